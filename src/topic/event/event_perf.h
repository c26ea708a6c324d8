/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "perf": task records in a ring per CPU, and arguments by BPF or from the exec tracepoint. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_PERF_H
#define PANETOP_TOPIC_EVENT_EVENT_PERF_H

#include "topic/event/event_source.h"

/*
 * No event is missed after it returns. NULL and *error on failure: -EACCES or -EPERM where perf events of all
 * tasks are not permitted; -ENOENT or -ENOSYS without perf events; or another error. arguments: of
 * trace_plan_event, outlives it; where it is not open, or NULL, the tracepoint gives most of them.
 */
struct event_source *event_perf_open(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				     int *error);

/* Of execs alone, with their names; each makes a descriptor readable. */
struct event_source *event_perf_open_execs(struct env *env, size_t ring_bytes, int *error);

#endif
