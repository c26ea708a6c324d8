/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one CPU: opening, reading and adding up. */
#ifndef PANETOP_TOPIC_COUNTER_CPU_H
#define PANETOP_TOPIC_COUNTER_CPU_H

#include "kernel/perf_read.h"
#include "topic/counter_events.h"
#include "topic/counter_pmu.h"

/* One event on one CPU. */
struct counter_cell {
	int fd;         /* -errno: why it is not counted here */
	bool known;     /* it counted since the read before */
	uint64_t last;  /* as read, when it was last known */
	uint64_t grown; /* since the read before; an estimate when it ran less than it was enabled */
	uint64_t total; /* sum of these */
	struct perf_times seen, grown_times; /* of its group */
};

struct counter_cpu {
	uint32_t number;
	size_t files; /* open descriptors */
	struct counter_cell cells[COUNTER_EVENTS_MAX];
};

/* An event on this CPU, as perf_open(); -ENODEV for whatever means that nothing here can count it. */
int counter_open(const struct counter_event *event, const struct counter_pmus *pmus, uint32_t cpu,
		 int leader);

/* Is this why a CPU does not count what others do, and not that it has no such counter? */
bool counter_is_lost(int fd);

/* Opens all events, taking at most room descriptors, unless some are open; then its totals start at 0. */
void counter_cpu_open(struct counter_cpu *cpu, const struct counter_events *events,
		      const struct counter_pmus *pmus, size_t room);
void counter_cpu_close(struct counter_cpu *cpu);

/*
 * Reads all groups. When they count no longer, as after the CPU was switched off, though it may be on again
 * by now, they are closed, to be opened anew.
 */
void counter_cpu_read(struct counter_cpu *cpu, const struct counter_events *events);

#endif
