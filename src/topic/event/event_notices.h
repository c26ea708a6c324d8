/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of process events for --probe, and notices when one is missing or loses events. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_NOTICES_H
#define PANETOP_TOPIC_EVENT_EVENT_NOTICES_H

#include "topic/event/event_reader.h"
#include "topic/topic.h"

extern const struct source_spec event_source_specs[]; /* "perf", "connector" … */

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame,
		   const char *topic);

/* Members that the event topics share. */
#define EVENT_TOPIC                                                                                          \
	.sources = event_source_specs, .uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,               \
	.setting = "events.real-time", .setting_uses = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME)

#endif
