/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one process: of all its threads, those that it starts later, too, and their sums. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_THREADS_H
#define PANETOP_TOPIC_COUNTER_COUNTER_THREADS_H

#include "topic/counter/counter_machine.h"

/* What is counted of every process. */
struct counter_plan {
	struct counter_events events;
	struct counter_pmus pmus;
	bool inherits; /* the kernel counts new threads with those that start them (Linux 5.13) */
};

struct counter_threads {
	uint32_t pid;
	double start_seconds;
	char name[64];
	struct counter_set **list; /* owned: a set of counters for each thread, by tid */
	size_t n_threads, capacity;
	bool wanted;               /* for the user of this */
	struct counter_sum sums[COUNTER_EVENTS_MAX];
	struct counter_part {      /* of a sum: counted, but no estimate of all the time yet */
		uint64_t count;
		struct perf_times times;
	} parts[COUNTER_EVENTS_MAX];
	uint64_t since_ns, read_ns; /* CLOCK_MONOTONIC when the counting began, and at the last read */
	uint64_t clock_ns;         /* its CPU time after the last read */
	int error;                 /* -errno: why nothing at all is counted; 0 */
	int lost_error;            /* -errno: why a thread is not counted; 0: all are */
	bool user_only;            /* what the kernel does for it may not be counted */
	bool missed;               /* there may be threads that are not counted in full */
	bool restarted;            /* at this read: its counters had been taken away */
};

/*
 * Begins to count: pid, start_seconds and name are set, all else is zero. When it fails error says why:
 * -ESRCH when the process has ended, whoever has its pid now.
 */
void counter_threads_open(struct counter_threads *threads, struct env *env, const struct counter_plan *plan);
void counter_threads_close(struct counter_threads *threads);

/* Reads, also the last counts of what has ended; then follows what became of the threads. */
void counter_threads_read(struct counter_threads *threads, struct env *env, const struct counter_plan *plan);

/* An event of a thread, only to find out whether it can be counted: 0 or -errno. */
int counter_threads_try(const struct counter_event *event, const struct counter_plan *plan, uint32_t tid,
			bool user_only);

#endif
