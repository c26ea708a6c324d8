/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "perf": task records in a ring per CPU, and arguments by BPF or from the exec tracepoint. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_PERF_H
#define PANETOP_TOPIC_EVENT_EVENT_PERF_H

#include "sys/env.h"
#include "topic/event/event_raw.h"
#include "topic/trace/trace.h"

struct event_perf;

/*
 * No event is missed after it returns. NULL and *error on failure: -EACCES or -EPERM where perf events of all
 * tasks are not permitted; -ENOENT or -ENOSYS without perf events; or another error. arguments: of
 * trace_plan_event, outlives it; where it is not open, or NULL, the tracepoint gives most of them.
 */
struct event_perf *event_perf_open(struct env *env, size_t ring_bytes,
				   const struct trace_set *arguments, int *error);

/* Of execs alone, with their names; each makes a descriptor readable. */
struct event_perf *event_perf_open_execs(struct env *env, size_t ring_bytes, int *error);
void event_perf_close(struct event_perf *perf); /* NULL is fine */

/* Of arguments: 0; -ENOENT without BPF and tracefs, -EACCES where that is not permitted, or -errno. */
int event_perf_exec_error(const struct event_perf *perf);

/* Adds the events that arrived, exits only if requested; never blocks. */
void event_perf_drain(struct event_perf *perf, struct raw_events *events, bool exits);

unsigned event_perf_cpus(const struct event_perf *perf); /* monitored CPUs */

/* Call it regularly: CPUs go offline and come back. */
void event_perf_follow_cpus(struct event_perf *perf);

/*
 * Armed: the descriptors become readable with the next event; otherwise when a ring is half full. False if
 * some CPU has no alarm: its events are found only by draining.
 */
bool event_perf_arm(struct event_perf *perf, bool armed);

/* Writes at most room descriptors; returns how many. */
unsigned event_perf_descriptors(const struct event_perf *perf, int *fds, unsigned room);

uint64_t event_perf_received(const struct event_perf *perf); /* records */

/* Lost records, as the kernel counts them: exact since Linux 6.0, before that up to the last drain. */
uint64_t event_perf_lost(const struct event_perf *perf);

#endif
