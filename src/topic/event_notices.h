/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where process events come from, for --probe, and what is to be said when a source is missing or loses. */
#ifndef PANETOP_TOPIC_EVENT_NOTICES_H
#define PANETOP_TOPIC_EVENT_NOTICES_H

#include "topic/event_reader.h"
#include "topic/topic.h"

extern const struct source_spec event_source_specs[]; /* "perf", "connector", the tracepoint */

/* The remedy for error (positive errno) at the source with this name; NULL when there is nothing to say. */
const char *event_remedy(const struct env *env, const char *source, int error);

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame,
		   const char *topic);

#endif
