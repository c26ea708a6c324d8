/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one CPU or one thread: opening, reading and adding up. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_SET_H
#define PANETOP_TOPIC_COUNTER_COUNTER_SET_H

#include "kernel/perf_read.h"
#include "topic/counter/counter_events.h"

/* Where events are counted: all that a CPU does, or all that a thread does. */
struct counter_place {
	uint32_t cpu;
	uint32_t tid;   /* 0: of the CPU */
	bool inherited; /* with the threads, not the processes, that the thread starts from now on */
	bool user_only; /* without what the kernel does for it */
};

/* One event in one place. */
struct counter_cell {
	int fd;         /* -errno: why it is not counted here */
	bool known;     /* it counted since the read before */
	uint64_t last;  /* as read, when it was last known */
	uint64_t grown; /* since the read before; on a CPU an estimate when it ran less than it was enabled */
	uint64_t total; /* sum of these */
	struct perf_times seen, grown_times; /* of its group */
};

struct counter_set {
	struct env *env;           /* borrowed; set along with the place */
	struct counter_place place;
	size_t files;              /* open descriptors */
	struct counter_cell cells[COUNTER_EVENTS_MAX];
};

/* An event in this place, as perf_open(); -ENODEV for whatever means that nothing here can count it. */
int counter_open(const struct counter_event *event, const struct counter_pmus *pmus,
		 const struct counter_place *place, int leader);

/* Is this why a place does not count what others do, and not that it has no such counter? */
bool counter_is_lost(int fd);

/* Opens all events that there is room for, unless some are open; its totals then start at 0. */
void counter_set_open(struct counter_set *set, const struct counter_events *events,
		      const struct counter_pmus *pmus);
void counter_set_close(struct counter_set *set);

/*
 * Reads all groups. When they cannot be read, or a CPU's count no longer, as after it was switched off,
 * though it may be on again by now, they are closed, to be opened anew.
 */
void counter_set_read(struct counter_set *set, const struct counter_events *events);

#endif
