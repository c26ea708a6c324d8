/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the memory of measuring threads. This program has a pthread_attr_setstack() and a pthread_create()
 * that refuse, so that no thread starts, and sees what is protected, locked and given back.
 */
#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "suite.h"
#include "sys/latency_probe.h"
#include "sys/latency_thread.h"

#define KIB ((size_t)1024)
#define PAGE_MAX (64 * KIB)

struct range {
	char *at;
	size_t bytes;
};

static struct range memory, guard, stack, locked[2];
static unsigned n_locked, n_threads;
static int stack_error = EINVAL;
static uint64_t offsets[3];

int pthread_attr_setstack(pthread_attr_t *attributes, void *at, size_t bytes)
{
	(void)attributes;
	stack = (struct range){ at, bytes };
	return stack_error;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *thread)
{
	(void)id, (void)attributes, (void)function;
	offsets[n_threads++] = ((const struct latency_thread *)thread)->offset_ns;
	return EAGAIN;
}

int mprotect(void *at, size_t bytes, int protection)
{
	if (protection == PROT_NONE)
		guard = (struct range){ at, bytes };
	return (int)syscall(SYS_mprotect, at, bytes, protection);
}

int mlock(const void *at, size_t bytes)
{
	if (n_locked < 2)
		locked[n_locked] = (struct range){ (char *)(uintptr_t)at, bytes };
	n_locked++;
	return 0;
}

int munmap(void *at, size_t bytes)
{
	if (at == locked[0].at)
		memory = (struct range){ at, bytes };
	return (int)syscall(SYS_munmap, at, bytes);
}

/* Counters from the beginning, then what may not be touched, then the stack up to the end. */
static void check_memory(unsigned n_phases, uint64_t bucket_ns)
{
	const struct latency_plan plan = {
		.policy = LATENCY_OTHER, .period_ns = 1000000, .bucket_ns = bucket_ns, .n_phases = n_phases
	};
	const uint32_t cpus[] = { 0 };
	size_t needed = n_phases * sizeof(struct live_counts), counters;
	int errors[] = { 0 }, error;

	if (bucket_ns > 0)
		needed += n_phases * HISTOGRAM_BUCKETS * sizeof(live_u64);
	n_locked = 0;
	memory = guard = stack = locked[0] = locked[1] = (struct range){ 0 };
	ck_assert_ptr_null(latency_probe_open(&plan, cpus, 1, errors, &error));
	ck_assert(error == -EINVAL && errors[0] == -EINVAL);
	ck_assert_uint_eq(n_locked, 2);
	counters = locked[0].bytes;
	ck_assert(counters >= needed && counters - needed < PAGE_MAX && counters % PAGE_MAX == 0);
	ck_assert_ptr_nonnull(memory.at);
	ck_assert(guard.at == memory.at + counters && guard.bytes == PAGE_MAX);
	ck_assert(stack.at == guard.at + guard.bytes && stack.bytes == 2048 * KIB);
	ck_assert_ptr_eq(stack.at + stack.bytes, memory.at + memory.bytes);
	ck_assert_ptr_eq(locked[1].at + locked[1].bytes, stack.at + stack.bytes);
	ck_assert_uint_eq(locked[1].bytes, 32 * KIB); /* the rest is not needed */
}

START_TEST(memory_of_a_thread)
{
	for (unsigned n_phases = 1; n_phases <= LATENCY_PHASES; n_phases++) {
		check_memory(n_phases, 0);
		check_memory(n_phases, 1000);
	}
}

/* What could not run before is not tried, and a refused policy is told rather than another reason. */
START_TEST(no_thread_runs)
{
	const struct latency_plan plan = { .policy = LATENCY_OTHER, .period_ns = 1000000, .n_phases = 1 };
	static const int cases[][3] = { { -EPERM, -ENODEV, -EPERM },
					{ -ENODEV, -EPERM, -EPERM },
					{ -ENODEV, -ENODEV, -ENODEV } };
	const uint32_t cpus[] = { 0, 1 };

	n_locked = 0;
	for (unsigned i = 0; i < 3; i++) {
		int errors[] = { cases[i][0], cases[i][1] }, error;

		ck_assert_ptr_null(latency_probe_open(&plan, cpus, 2, errors, &error));
		ck_assert(error == cases[i][2] && errors[0] == cases[i][0] && errors[1] == cases[i][1]);
	}
	ck_assert_uint_eq(n_locked, 0);
}

/* CPUs that share a core would slow each other down. */
START_TEST(threads_are_spread_over_the_period)
{
	const struct latency_plan plan = { .policy = LATENCY_OTHER, .period_ns = 1000000, .n_phases = 1 };
	const uint32_t cpus[] = { 0, 1, 2 };
	int errors[3] = { 0 }, error;

	stack_error = 0;
	ck_assert_ptr_null(latency_probe_open(&plan, cpus, 3, errors, &error));
	ck_assert_int_eq(error, -EAGAIN);
	ck_assert_uint_eq(n_threads, 3);
	ck_assert(offsets[0] == 0 && offsets[1] == 333333 && offsets[2] == 666666);
}

/* Ascending, each once, and those alone on which this process may run. */
START_TEST(own_cpus_are_those_of_the_affinity)
{
	static uint32_t cpus[CPU_SETSIZE];
	cpu_set_t allowed, one;
	size_t n;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		skip_test("there are very many CPUs");
	n = latency_probe_own_cpus(cpus, CPU_SETSIZE);
	ck_assert_uint_eq(n, (size_t)CPU_COUNT(&allowed));
	for (size_t i = 0; i < n; i++)
		ck_assert(CPU_ISSET(cpus[i], &allowed) && (i == 0 || cpus[i - 1] < cpus[i]));
	for (size_t i = 0; i < n && i < 2; i++) {
		uint32_t found[2] = { UINT32_MAX, UINT32_MAX };
		static uint32_t many[CPU_SETSIZE];

		CPU_ZERO(&one);
		CPU_SET(cpus[i], &one);
		ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
		ck_assert_uint_eq(latency_probe_own_cpus(many, CPU_SETSIZE), 1);
		ck_assert_uint_eq(many[0], cpus[i]);
		ck_assert_uint_eq(many[1], 0);
		ck_assert_uint_le(latency_probe_own_cpus(found, 1), 1);
		ck_assert_uint_eq(found[1], UINT32_MAX); /* there was no room for it */
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

/* There are no priorities above 99. */
START_TEST(the_limit_of_priorities_is_that_of_the_process)
{
	static const struct {
		rlim_t soft;
		int priority;
	} cases[] = {
		{ RLIM_INFINITY, 99 }, { 1000, 99 }, { 100, 99 }, { 99, 99 }, { 98, 98 }, { 1, 1 }, { 0, 0 }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rlimit limit = { cases[i].soft, cases[i].soft };

		if (setrlimit(RLIMIT_RTPRIO, &limit) < 0)
			continue; /* without rights it is only lowered */
		ck_assert_int_eq(latency_probe_priority_limit(), cases[i].priority);
	}
}
