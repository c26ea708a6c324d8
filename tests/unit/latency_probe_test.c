/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the memory of measuring threads, with threads that do not begin. */
#include "suite.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sys/latency_thread.h"

#define KIB ((size_t)1024)
#define PAGE_MAX (64 * KIB)

static uint64_t offsets[3];
static unsigned n_threads;
static struct latency_thread last; /* as it was given */
static bool has_guard, has_locked_counters, has_locked_stack;

/* Does memory of its own begin and end there, with these rights? */
static bool has_range(const char *at, size_t bytes, const char *rights)
{
	const char *range = textf("%lx-%lx %s ", (unsigned long)at, (unsigned long)(at + bytes), rights);
	FILE *file = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[512];

	while (!found && fgets(line, sizeof(line), file))
		found = strncmp(line, range, strlen(range)) == 0;
	fclose(file);
	return found;
}

static struct machine_thread *refuse(const struct machine_threads *threads, const struct thread_work *work,
				     void *context)
{
	(void)threads;
	last = *(const struct latency_thread *)context;
	ck_assert_ptr_eq(work->stack, last.work.stack);
	offsets[n_threads++ % 3] = last.offset_ns;
	has_guard = has_range((char *)work->stack - PAGE_MAX, PAGE_MAX, "---p");
	has_locked_counters = has_range(last.memory, (size_t)((char *)work->stack - (char *)last.memory) -
							     PAGE_MAX, "rw-p");
	has_locked_stack = has_range((char *)work->stack + work->stack_bytes - 32 * KIB, 32 * KIB, "rw-p");
	errno = EAGAIN;
	return NULL;
}

static const struct machine_threads refusing = { .start = refuse };

/* May this test lock it? Then it is apart from what is not locked; mlock() of sanitizers does nothing. */
static bool may_lock(void)
{
	char *pages = mmap(NULL, 3 * PAGE_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool may = mlock(pages + PAGE_MAX, PAGE_MAX) == 0 && has_range(pages + PAGE_MAX, PAGE_MAX, "rw-p");

	munmap(pages, 3 * PAGE_MAX);
	return may;
}

/* Counters from the beginning, then what may not be touched, then the stack up to the end. */
static void check_memory(unsigned n_phases, uint64_t bucket_ns)
{
	const struct latency_plan plan = { .policy = LATENCY_OTHER,
					   .period_ns = 1000000,
					   .bucket_ns = bucket_ns,
					   .threads = &refusing,
					   .n_phases = n_phases };
	const uint32_t cpus[] = { 0 };
	size_t needed = n_phases * sizeof(struct live_counts), counters;
	int errors[] = { 0 }, error;

	if (bucket_ns > 0)
		needed += n_phases * HISTOGRAM_BUCKETS * sizeof(live_u64);
	ck_assert_ptr_null(latency_probe_open(&plan, cpus, 1, errors, &error));
	ck_assert(error == -EAGAIN && errors[0] == -EAGAIN);
	counters = (size_t)((char *)last.work.stack - (char *)last.memory) - PAGE_MAX;
	ck_assert(counters >= needed && counters - needed < PAGE_MAX && counters % PAGE_MAX == 0);
	ck_assert_uint_eq(last.work.stack_bytes, 2048 * KIB);
	ck_assert_uint_eq(last.memory_bytes, counters + PAGE_MAX + last.work.stack_bytes);
	ck_assert(has_guard && (has_locked_counters || !may_lock()));
	ck_assert(has_locked_stack || !may_lock()); /* the rest of it is not needed */
	ck_assert(msync(last.memory, PAGE_MAX, MS_ASYNC) < 0 && errno == ENOMEM); /* it was given back */
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
	const struct latency_plan plan = {
		.policy = LATENCY_OTHER, .period_ns = 1000000, .threads = &refusing, .n_phases = 1
	};
	static const int cases[][3] = { { -EPERM, -ENODEV, -EPERM },
					{ -ENODEV, -EPERM, -EPERM },
					{ -ENODEV, -ENODEV, -ENODEV } };
	const uint32_t cpus[] = { 0, 1 };

	for (unsigned i = 0; i < 3; i++) {
		int errors[] = { cases[i][0], cases[i][1] }, error;

		ck_assert_ptr_null(latency_probe_open(&plan, cpus, 2, errors, &error));
		ck_assert(error == cases[i][2] && errors[0] == cases[i][0] && errors[1] == cases[i][1]);
	}
	ck_assert_uint_eq(n_threads, 0);
}

/* CPUs that share a core would slow each other down. */
START_TEST(threads_are_spread_over_the_period)
{
	const struct latency_plan plan = {
		.policy = LATENCY_OTHER, .period_ns = 1000000, .threads = &refusing, .n_phases = 1
	};
	const uint32_t cpus[] = { 0, 1, 2 };
	int errors[3] = { 0 }, error;

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
