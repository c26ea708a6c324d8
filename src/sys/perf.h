/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open(2), for which the C library has no function: groups of events on a CPU or in a thread. */
#ifndef PANETOP_SYS_PERF_H
#define PANETOP_SYS_PERF_H

#include <linux/perf_event.h>
#include <stddef.h>

/* How every event of a group is to be opened, for kernel/perf_read.h to understand what is read. */
#define PERF_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * An event of all tasks on this CPU (tid -1), or of this thread wherever it runs (cpu -1): its descriptor,
 * or -errno; -ESRCH when the thread has ended. leader is the descriptor of the event with which it counts at
 * the same time, -1 when it is the first of a group. The first should be opened disabled and its group
 * started when it is complete: an event of another kind (a tracepoint, task-clock) that joins a group that
 * counts stays at 0 on Linux 6.18.
 */
int perf_open(const struct perf_event_attr *attr, int tid, int cpu, int leader);
int perf_start(int leader); /* 0 or -errno */

/* Reads the whole group of this leader: the length, or -errno. -ENOSPC when room is too small. */
long perf_read(int leader, void *bytes, size_t room);
#endif
