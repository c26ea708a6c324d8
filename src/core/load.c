/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that compute for a share of the time and sleep for the rest. */
#include <config.h>

#include "core/load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "core/privilege.h"

#define PERIOD_NS INT64_C(100000000)
#define ROUNDS 4096 /* of arithmetic in one operation: some microseconds */
#define PARTS 10000 /* a share is kept in parts of this */

struct load_thread {
	struct load *load;
	pthread_t thread;
	unsigned index;
	_Atomic uint64_t operations;
	volatile uint64_t result; /* so that the work is not optimised away */
};

struct load {
	_Atomic bool ended;
	_Atomic unsigned cpus, parts;
	struct load_thread *threads;
	unsigned n_threads;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	struct timespec until = { .tv_sec = ns / INT64_C(1000000000), .tv_nsec = ns % INT64_C(1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void work(struct load_thread *thread)
{
	uint64_t value = thread->result + 1;

	for (unsigned i = 0; i < ROUNDS; i++)
		value = value * UINT64_C(6364136223846793005) + i;
	thread->result = value;
	atomic_fetch_add_explicit(&thread->operations, 1, memory_order_relaxed);
}

static void *run(void *argument)
{
	struct load_thread *thread = argument;
	struct load *load = thread->load;
	int64_t start = now_ns();

	privilege_keep(0);
	while (!atomic_load(&load->ended)) {
		unsigned parts = thread->index < atomic_load(&load->cpus) ? atomic_load(&load->parts) : 0;
		int64_t busy_until = start + PERIOD_NS * parts / PARTS;

		while (now_ns() < busy_until && !atomic_load(&load->ended))
			work(thread);
		start += PERIOD_NS;
		if (now_ns() < start)
			sleep_until(start);
	}
	return NULL;
}

static bool allowed_cpus(cpu_set_t *allowed)
{
	return sched_getaffinity(0, sizeof(*allowed), allowed) == 0 && CPU_COUNT(allowed) > 0;
}

unsigned load_cpus(void)
{
	cpu_set_t allowed;

	return allowed_cpus(&allowed) ? (unsigned)CPU_COUNT(&allowed) : 1;
}

/* The next CPU after cpu that may be used. */
static size_t next_cpu(const cpu_set_t *allowed, size_t cpu)
{
	do {
		cpu = (cpu + 1) % CPU_SETSIZE;
	} while (!CPU_ISSET(cpu, allowed));
	return cpu;
}

static bool start_thread(struct load *load, size_t cpu)
{
	struct load_thread *thread = &load->threads[load->n_threads];
	cpu_set_t one;

	thread->load = load;
	thread->index = load->n_threads;
	if (pthread_create(&thread->thread, NULL, run, thread) != 0)
		return false;
	load->n_threads++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(thread->thread, sizeof(one), &one);
	return true;
}

struct load *load_open(void)
{
	struct load *load = alloc_zeroed(1, sizeof(*load));
	unsigned wanted = load_cpus();
	cpu_set_t allowed;
	size_t cpu = CPU_SETSIZE - 1;

	load->threads = alloc_zeroed(wanted, sizeof(*load->threads));
	if (!allowed_cpus(&allowed))
		CPU_SET(0, &allowed);
	for (unsigned i = 0; i < wanted; i++) {
		cpu = next_cpu(&allowed, cpu);
		if (start_thread(load, cpu))
			continue;
		load_close(load);
		return NULL;
	}
	return load;
}

void load_set(struct load *load, unsigned cpus, double share)
{
	atomic_store(&load->parts, (unsigned)(share * PARTS + 0.5));
	atomic_store(&load->cpus, cpus);
}

uint64_t load_operations(const struct load *load)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < load->n_threads; i++)
		sum += atomic_load(&load->threads[i].operations);
	return sum;
}

void load_close(struct load *load)
{
	atomic_store(&load->ended, true);
	for (unsigned i = 0; i < load->n_threads; i++)
		pthread_join(load->threads[i].thread, NULL);
	free(load->threads);
	free(load);
}
