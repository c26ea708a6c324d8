/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is there what the options of the events pane name: processes, the root of a tree, groups? */
#ifndef PANETOP_TOPIC_EVENT_EVENT_NAMED_H
#define PANETOP_TOPIC_EVENT_EVENT_NAMED_H

#include "core/settings.h"
#include "model/frame.h"
#include "sys/env.h"

/* All zero before the first sample. What was there once is not looked for again. */
struct event_named {
	bool processes, tree, group, cgroup;
	uint64_t looked_ns; /* CLOCK_MONOTONIC of the last look */
};

/* Tells frame, and notes what is there; any_event: one was chosen, so that all of it was there. */
void event_named_tell(struct event_named *named, struct env *env, const struct settings *settings,
		      struct frame *frame, const char *topic, bool any_event);

#endif
