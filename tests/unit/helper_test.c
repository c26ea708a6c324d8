/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of helper processes: some hang, some end their helper, some open a file. */
#include "suite.h"

#include <sched.h>
#include <time.h>

#include "sys/helper.h"

#define N 40
#define LONG_NS UINT64_C(60000000000) /* no wait takes so long unless something is wrong */

struct numbered_job {
	struct helper_job job;
	unsigned number;
	pid_t pid;
};

static struct numbered_job *jobs[N];
static unsigned n_done;
static const unsigned places[] = { 0, 1, 15, 16, 39 }; /* in batches */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void run_well(struct helper_job *job)
{
	struct numbered_job *own = (struct numbered_job *)job;

	own->pid = getpid();
	job->error = -(int)own->number;
}

static void hang(struct helper_job *job)
{
	run_well(job);
	for (;;)
		pause();
}

static void end_helper_of(struct helper_job *job)
{
	run_well(job);
	raise(SIGKILL);
}

static void open_one(struct helper_job *job)
{
	run_well(job);
	job->fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
}

static void note_done(struct helper_job *job)
{
	(void)job;
	n_done++;
}

static struct helper_team *begin(void (*usual)(struct helper_job *job))
{
	ck_assert_int_eq(helper_start("/"), 0);
	n_done = 0;
	for (unsigned i = 0; i < N; i++) {
		jobs[i] = helper_alloc(sizeof(*jobs[i]));
		jobs[i]->job.run = usual;
		jobs[i]->job.done = note_done;
		jobs[i]->number = i;
	}
	return helper_team_open(0, 8);
}

static void submit_all(struct helper_team *team)
{
	for (unsigned i = 0; i < N; i++)
		ck_assert(helper_submit(team, &jobs[i]->job));
}

static void wait_for(struct helper_team *team, unsigned wanted)
{
	uint64_t until_ns = now_ns() + LONG_NS;

	while (n_done < wanted && now_ns() < until_ns)
		helper_wait(team, until_ns);
	ck_assert_uint_eq(n_done, wanted);
	ck_assert_uint_lt(now_ns(), until_ns); /* it was told of each */
}

static void finish(struct helper_team *team, bool frees)
{
	helper_team_close(team);
	helper_stop();
	for (unsigned i = 0; frees && i < N; i++) {
		if (jobs[i]->job.fd >= 0 && jobs[i]->job.run == open_one)
			close(jobs[i]->job.fd);
		helper_free(jobs[i]);
	}
}

START_TEST(each_job_has_its_own_result)
{
	struct helper_team *team = begin(open_one);

	jobs[0]->job.run = run_well;
	submit_all(team);
	wait_for(team, N);
	for (unsigned i = 0; i < N; i++) {
		char text[16] = "";

		ck_assert_int_eq(jobs[i]->job.error, -(int)i);
		ck_assert(!jobs[i]->job.dropped && jobs[i]->pid != getpid());
		ck_assert_int_eq(jobs[i]->job.fd >= 0, i > 0);
		if (i == 0)
			continue;
		ck_assert_int_gt(read(jobs[i]->job.fd, text, sizeof(text) - 1), 0);
		ck_assert_int_eq(strtol(text, NULL, 10), jobs[i]->pid);
	}
	finish(team, true);
}

/* One that hangs: what is behind it runs elsewhere. One that ends its helper is dropped, and no other. */
START_TEST(a_bad_job_harms_no_other)
{
	for (size_t p = 0; p < 2 * sizeof(places) / sizeof(places[0]); p++) {
		bool hangs = p % 2;
		unsigned place = places[p / 2];
		struct helper_team *team = begin(run_well);

		jobs[place]->job.run = hangs ? hang : end_helper_of;
		submit_all(team);
		wait_for(team, N - hangs);
		for (unsigned i = 0; i < N; i++) {
			ck_assert_int_eq(jobs[i]->job.dropped, i == place && !hangs);
			ck_assert(i == place || jobs[i]->job.error == -(int)i);
		}
		finish(team, !hangs);
		ck_assert_uint_eq(n_done, N - hangs);
	}
}

/* By someone else, between two jobs. */
START_TEST(a_helper_that_was_killed_is_replaced)
{
	struct helper_team *team = begin(run_well);
	unsigned n_dropped = 0;

	ck_assert(helper_submit(team, &jobs[0]->job));
	wait_for(team, 1);
	ck_assert_int_eq(kill(jobs[0]->pid, SIGKILL), 0);
	n_done = 0;
	submit_all(team);
	wait_for(team, N);
	for (unsigned i = 0; i < N; i++) {
		n_dropped += jobs[i]->job.dropped;
		ck_assert(jobs[i]->job.dropped || jobs[i]->job.error == -(int)i);
	}
	ck_assert_uint_le(n_dropped, 1); /* what it was given before panetop saw its end */
	finish(team, true);
}

START_TEST(jobs_of_a_closed_team_are_done_or_left)
{
	struct helper_team *team = begin(run_well);

	jobs[0]->job.run = hang;
	submit_all(team);
	while (*(volatile pid_t *)&jobs[0]->pid == 0) /* a helper has begun it */
		sched_yield();
	helper_team_close(team);
	ck_assert_uint_eq(n_done, N - 1);
	helper_stop();
}
