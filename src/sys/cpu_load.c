/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that compute for a share of time and sleep for the rest. */
#include <config.h>

#include "sys/cpu_load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/latency_probe.h"
#include "sys/privilege.h"

#define PERIOD_NS UINT64_C(100000000)
#define ROUNDS 4096 /* of arithmetic per operation: some microseconds */
#define CPUS_MAX 65536 /* no CPU has this number, nor a higher one */
#define PARTS 10000 /* the unit of a share is one part of these */

struct cpu_load_thread {
	struct cpu_load *load;
	pthread_t thread;
	unsigned index;
	_Atomic uint64_t operations;
	volatile uint64_t result; /* keeps the work from being optimized away */
};

struct cpu_load {
	_Atomic bool ended;
	_Atomic unsigned cpus, parts;
	struct cpu_load_thread *threads;
	unsigned n_threads;
};

static void sleep_until(uint64_t ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(ns / UINT64_C(1000000000)),
		.tv_nsec = (long)(ns % UINT64_C(1000000000)),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void work(struct cpu_load_thread *thread)
{
	uint64_t value = thread->result + 1;

	for (unsigned i = 0; i < ROUNDS; i++)
		value = value * UINT64_C(6364136223846793005) + i;
	thread->result = value;
	atomic_fetch_add_explicit(&thread->operations, 1, memory_order_relaxed);
}

static void *run(void *argument)
{
	struct cpu_load_thread *thread = argument;
	struct cpu_load *load = thread->load;
	uint64_t start = real_mono_ns();

	privilege_limit(0);
	while (!atomic_load(&load->ended)) {
		unsigned parts = thread->index < atomic_load(&load->cpus) ? atomic_load(&load->parts) : 0;
		uint64_t busy_until = start + PERIOD_NS * parts / PARTS;

		while (real_mono_ns() < busy_until && !atomic_load(&load->ended))
			work(thread);
		start += PERIOD_NS;
		if (real_mono_ns() < start)
			sleep_until(start);
	}
	return NULL;
}

/* The CPUs that this process may use, to be freed; the first one if unknown. */
static uint32_t *own_cpus(unsigned *n_cpus)
{
	uint32_t *cpus = alloc_zeroed(CPUS_MAX, sizeof(*cpus));

	*n_cpus = (unsigned)latency_probe_own_cpus(cpus, CPUS_MAX);
	if (*n_cpus == 0)
		*n_cpus = 1;
	return cpus;
}

unsigned cpu_load_cpus(void)
{
	unsigned n_cpus;

	free(own_cpus(&n_cpus));
	return n_cpus;
}

static void run_on(pthread_t thread, uint32_t cpu)
{
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *one = alloc_zeroed(1, bytes);

	CPU_SET_S(cpu, bytes, one);
	pthread_setaffinity_np(thread, bytes, one);
	free(one);
}

static bool start_thread(struct cpu_load *load)
{
	struct cpu_load_thread *thread = &load->threads[load->n_threads];

	thread->load = load;
	thread->index = load->n_threads;
	if (pthread_create(&thread->thread, NULL, run, thread) != 0)
		return false;
	load->n_threads++;
	return true;
}

struct cpu_load *cpu_load_open(void)
{
	struct cpu_load *load = alloc_zeroed(1, sizeof(*load));
	unsigned wanted, i = 0;
	uint32_t *cpus = own_cpus(&wanted);

	load->threads = alloc_zeroed(wanted, sizeof(*load->threads));
	for (; i < wanted && start_thread(load); i++)
		run_on(load->threads[i].thread, cpus[i]);
	free(cpus);
	if (i == wanted)
		return load;
	cpu_load_close(load);
	return NULL;
}

void cpu_load_set(struct cpu_load *load, unsigned cpus, double share)
{
	atomic_store(&load->parts, (unsigned)(share * PARTS + 0.5));
	atomic_store(&load->cpus, cpus);
}

uint64_t cpu_load_operations(const struct cpu_load *load)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < load->n_threads; i++)
		sum += atomic_load(&load->threads[i].operations);
	return sum;
}

void cpu_load_close(struct cpu_load *load)
{
	atomic_store(&load->ended, true);
	for (unsigned i = 0; i < load->n_threads; i++)
		pthread_join(load->threads[i].thread, NULL);
	free(load->threads);
	free(load);
}
