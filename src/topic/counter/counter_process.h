/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one process: of all its threads, present and future, and their sums. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_PROCESS_H
#define PANETOP_TOPIC_COUNTER_COUNTER_PROCESS_H

#include "topic/counter/counter_machine.h"

struct counter_plan {
	struct counter_events events;
	struct counter_pmus pmus;
	bool inherits; /* the kernel adds counts of new threads to those of their parents (Linux 5.13) */
};

struct counter_threads {
	uint32_t pid;
	double start_seconds;
	char name[64];
	struct counter_set **list; /* owned: a set of counters for each thread, by tid */
	size_t n_threads, capacity;
	bool wanted; /* for the caller */
	struct counter_sum sums[COUNTER_EVENTS_MAX];
	struct counter_part { /* of a sum: counted, but not scaled yet */
		uint64_t count;
		struct perf_times times;
	} parts[COUNTER_EVENTS_MAX];
	uint64_t since_ns, read_ns; /* CLOCK_MONOTONIC when counting started, and at the last read */
	uint64_t clock_ns;          /* its CPU time after the last read */
	int error;                  /* -errno: why nothing at all is counted; 0 */
	int lost_error;             /* -errno: why a thread is not counted; 0: all are */
	bool user_only;             /* kernel mode may not be counted */
	bool missed;                /* there may be threads that are counted only in part */
	bool restarted;             /* at this read: its counters had stopped, and were opened again */
};

/*
 * Starts counting; pid, start_seconds and name are set, all else is zero. Sets error on failure: -ESRCH when
 * the process has exited, even if its pid is in use.
 */
void counter_threads_open(struct counter_threads *threads, struct env *env, const struct counter_plan *plan);
void counter_threads_close(struct counter_threads *threads);

/* Reads, including the last counts of exited threads; then opens and closes threads. */
void counter_threads_read(struct counter_threads *threads, struct env *env, const struct counter_plan *plan);

#endif
