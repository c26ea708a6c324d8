/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of when the process that unwinds is late, and what is left alone, for how long. */
#include "suite.h"

#include "sys/process.h"
#include "topic/profile/profiler.h"

#define SECOND UINT64_C(1000000000)

static struct profile_watch watch;
static struct profile_shared shared;

static void work_on(uint32_t pid, uint64_t file, const char *path)
{
	shared.pid = pid;
	shared.works++;
	shared.work.file = file;
	snprintf(shared.work.path, sizeof(shared.work.path), "%s", path);
}

static size_t n_shunned(uint64_t now_ns)
{
	struct code_shunned list[PROFILE_CULPRITS_MAX];

	return profile_watch_shunned(&watch, list, now_ns);
}

START_TEST(what_is_blamed_is_left_alone_longer_each_time)
{
	static const unsigned seconds[] = { 5, 10, 20, 40, 80, 160, 320, 600, 600 };
	uint64_t now_ns = SECOND;
	unsigned n_ended;

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		work_on((uint32_t)getpid(), 77, "/a\nb");
		profile_watch_blame(&watch, &shared, now_ns);
		ck_assert_uint_eq(n_shunned(now_ns + seconds[i] * SECOND - 1), 1);
		ck_assert_uint_eq(n_shunned(now_ns + seconds[i] * SECOND), 0);
		now_ns += seconds[i] * SECOND;
	}
	ck_assert_str_eq(profile_watch_last(&watch, now_ns, &n_ended)->path, "/a?b");
	ck_assert_str_eq(profile_watch_last(&watch, now_ns, &n_ended)->command, "profile_watch_t");
	ck_assert_uint_eq(n_ended, 9);
	now_ns += 601 * SECOND;
	ck_assert_ptr_null(profile_watch_last(&watch, now_ns, &n_ended));
	ck_assert_uint_eq(n_ended, 0);
	now_ns += 3600 * SECOND;
	profile_watch_blame(&watch, &shared, now_ns); /* forgiven */
	ck_assert_uint_eq(n_shunned(now_ns + 5 * SECOND), 0);
	ck_assert_ptr_nonnull(profile_watch_last(&watch, now_ns, &n_ended));
	ck_assert_uint_eq(n_ended, 1);
}

START_TEST(any_number_of_files_is_blamed)
{
	uint64_t now_ns = SECOND;

	for (uint32_t i = 1; i <= 1000; i++) {
		work_on(i, i, "");
		profile_watch_blame(&watch, &shared, now_ns++);
	}
	ck_assert_uint_eq(n_shunned(now_ns), PROFILE_CULPRITS_MAX);
	work_on(0, 5, "/old"); /* it was between two stacks */
	profile_watch_blame(&watch, &shared, now_ns);
	ck_assert_uint_eq(n_shunned(now_ns + 1), PROFILE_CULPRITS_MAX - 1);
}

/* CPU time counts, in which a stack is not done. */
START_LIVE_TEST(a_process_that_computes_is_late)
{
	struct profile_shared *both = mmap(NULL, sizeof(*both), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t now_ns = SECOND;
	pid_t child = fork();

	if (child == 0)
		for (;;)
			;
	both->pid = 1;
	while (!profile_watch_is_late(&watch, both, child, now_ns)) {
		now_ns += 1000;
		ck_assert_uint_lt(child_cpu_ns(child), 30 * SECOND);
	}
	ck_assert_uint_ge(child_cpu_ns(child), SECOND / 2);
	both->works++; /* it goes on */
	ck_assert(!profile_watch_is_late(&watch, both, child, now_ns));
	both->pid = 0;
	ck_assert(!profile_watch_is_late(&watch, both, child, now_ns + 1000 * SECOND));
	for (int i = 0; i < PROFILE_STUCK_MAX; i++)
		profile_watch_leave(&watch, child);
	ck_assert(!profile_watch_reap(&watch)); /* as if it did not end */
	kill(child, SIGKILL);
	while (!profile_watch_reap(&watch))
		;
	ck_assert_int_lt(kill(child, 0), 0);
	munmap(both, sizeof(*both));
}

/* It may wait for a disk, but not for good: a signal has stopped it. */
START_LIVE_TEST(a_process_that_neither_runs_nor_reads_is_late)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	while (child_runs(child))
		;
	work_on(1, 1, "");
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned look = 0; look < 50; look++)
			ck_assert(!profile_watch_is_late(&watch, &shared, child, look * SECOND + 1));
		shared.read_ns += 1 - i;
	}
	ck_assert(profile_watch_is_late(&watch, &shared, child, 50 * SECOND));
	ck_assert(child_end(child));
}
