/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one CPU or one thread. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_SET_H
#define PANETOP_TOPIC_COUNTER_COUNTER_SET_H

#include "kernel/perf_record.h"
#include "topic/counter/counter_events.h"

/* Where events are counted: on a CPU, or in a thread. */
struct counter_place {
	uint32_t cpu;
	uint32_t tid;   /* 0: on the CPU */
	bool inherited; /* threads (not processes) that it starts from now on are included */
	bool user_only; /* without kernel mode */
};

/* One event in one place. */
struct counter_cell {
	int fd;         /* -errno: why it is not counted here */
	bool known;     /* it ran since the previous read */
	uint64_t last;  /* as read when it was last known */
	uint64_t grown; /* since the previous read; scaled on a CPU where it ran less than it was enabled */
	uint64_t total; /* sum of these */
	struct perf_times seen, grown_times; /* of its group */
};

struct counter_set {
	struct env *env;           /* borrowed; set along with the place */
	struct counter_place place;
	size_t files;              /* open descriptors */
	struct counter_cell cells[COUNTER_EVENTS_MAX];
};

/* As perf_open(), but -ENODEV for all errors that mean that nothing here can count it. */
int counter_open(const struct machine_perf *perf, const struct counter_event *event,
		 const struct counter_pmus *pmus, const struct counter_place *place, int leader);

/* Is the event not counted here for another reason than a missing counter? */
bool counter_is_lost(int fd);

/* Opens all events within the limit of descriptors, unless some are open; totals start at 0. */
void counter_set_open(struct counter_set *set, const struct counter_events *events,
		      const struct counter_pmus *pmus);
void counter_set_close(struct counter_set *set);

/*
 * Reads all groups. Closes them when a read fails, or when those of a CPU have stopped because it was
 * offline; counter_set_open() opens them again.
 */
void counter_set_read(struct counter_set *set, const struct counter_events *events);

#endif
