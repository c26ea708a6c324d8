/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread that measures, and its counters, which only it writes. */
#ifndef PANETOP_SYS_LATENCY_THREAD_H
#define PANETOP_SYS_LATENCY_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "sys/latency_probe.h"

typedef _Atomic uint64_t live_u64;

#define load(from) atomic_load_explicit((from), memory_order_acquire)
#define store(to, value) atomic_store_explicit((to), (value), memory_order_release)

/* The sequence is odd while the rest is being written: what was read meanwhile is of no one moment. */
struct live_counts {
	_Alignas(64) live_u64 sequence;
	live_u64 missed, sum_ns, min_ns, max_ns, n_worst;
	live_u64 floor_ns; /* the least of the worst, once there are as many as are kept */
	_Atomic double squares;
	live_u64 woken_ns[CYCLIC_WORST], late_ns[CYCLIC_WORST];
	live_u64 *linear; /* HISTOGRAM_BUCKETS of them; NULL: none */
	live_u64 times[HISTOGRAM_BUCKETS];
};

void live_clear(struct live_counts *counts);

/* Counts a wake-up at this moment that came so late; no two threads count in the same. */
void live_count(struct live_counts *counts, const struct cyclic_plan *plan, uint64_t woken_ns,
		uint64_t late_ns);

/*
 * What was counted, from any thread. The other writes for a moment in each period: a few tries find it at
 * rest. If none does, sums and extremes may be those of a sample more or less than the buckets have.
 */
void live_read(const struct live_counts *live, const struct cyclic_plan *plan, struct cyclic_counts *counts);

/* What all threads are told. */
struct cyclic_control {
	live_u64 stop, restarts, phase, start_ns;
	int stop_fd;     /* readable when they shall stop */
	sem_t ready, go; /* a thread is prepared, or has failed; it may begin */
};

struct cyclic_thread {
	const struct cyclic_plan *plan;
	struct cyclic_control *control;
	uint32_t cpu;
	uint64_t offset_ns;    /* of its moments from those of the first thread */
	bool runs;
	int error; /* -errno of its preparation */
	live_u64 away, ended;
	pthread_t id;
	void *memory, *stack; /* of counters and stack together */
	size_t memory_bytes;
	struct live_counts *counts[CYCLIC_PHASES];
};

void *cyclic_thread_run(void *thread);

#endif
