/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where process events come from, for --probe, and what is to be said when a source is missing or loses. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_NOTICES_H
#define PANETOP_TOPIC_EVENT_EVENT_NOTICES_H

#include "topic/event/event_reader.h"
#include "topic/topic.h"

extern const struct source_spec event_source_specs[]; /* "perf", "connector" … */

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame,
		   const char *topic);

/* What the topics over the reader have in common. */
#define EVENT_TOPIC                                                                                          \
	.sources = event_source_specs, .uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,               \
	.setting = "events.real-time", .setting_uses = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME)

#endif
