/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source "perf": records of tasks in a ring per CPU, joined with the tracepoint of programs that start. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_PERF_H
#define PANETOP_TOPIC_EVENT_EVENT_PERF_H

#include "sys/env.h"
#include "topic/event/event_raw.h"

struct event_perf;

/*
 * From its return on nothing is missed. NULL and *error otherwise: -EACCES or -EPERM where perf events of all
 * tasks are not allowed; -ENOENT or -ENOSYS without perf events; or of what else failed.
 */
struct event_perf *event_perf_open(struct env *env, size_t ring_bytes, int *error);
void event_perf_close(struct event_perf *perf); /* NULL is fine */

/*
 * Is the tracepoint there, which tells file and arguments? 0, -ENOENT without tracing file system, -EACCES
 * where it may not be used, or -errno.
 */
int event_perf_exec_error(const struct event_perf *perf);

/* Adds what has come, ends of processes only if asked for. Never blocks. */
void event_perf_drain(struct event_perf *perf, struct raw_events *events, bool exits);

unsigned event_perf_cpus(const struct event_perf *perf); /* that are watched */

/* CPUs come and go: to be called now and then. */
void event_perf_follow_cpus(struct event_perf *perf);

/*
 * Armed, the descriptors become readable with the next event; otherwise only when a ring is half full. False
 * when there is no alarm on some CPU: then its events are only seen by draining.
 */
bool event_perf_arm(struct event_perf *perf, bool armed);

/* Writes at most room of them, and tells how many. */
unsigned event_perf_descriptors(const struct event_perf *perf, int *fds, unsigned room);

uint64_t event_perf_received(const struct event_perf *perf); /* records */

/* Records that did not fit, as the kernel counts them; exact since Linux 6.0, else up to the last drain. */
uint64_t event_perf_lost(const struct event_perf *perf);

#endif
