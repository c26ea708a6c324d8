/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long panetop waits for what should end. */
#include "suite.h"

#include <pthread.h>
#include <time.h>

#include "sys/process.h"

#define SECOND_NS UINT64_C(1000000000)

static struct still_clock at; /* it moves in pauses alone */
static struct progress *slow; /* takes so many steps more, one in each pause; NULL: none */
static unsigned steps_left;

static void goes_on(const struct machine_clock *clock, uint64_t ns)
{
	(void)clock;
	at.ns += ns;
	if (slow && steps_left > 0) {
		at.ns += SECOND_NS / 2;
		steps_left--;
		progress_goes_on(slow);
	}
}

static const struct machine_clock *script(void)
{
	if (at.ns == 0) {
		at = still_clock_at(1000 * SECOND_NS);
		at.clock.pause = goes_on;
	}
	return &at.clock;
}

/* The time for which a new one lasts from now on; it is over afterwards. */
static uint64_t lasting_ns(void)
{
	struct patience patience = { .clock = script() };
	uint64_t ns = at.ns;

	ck_assert(patience_lasts(&patience));
	ns = patience.until_ns - ns;
	at.ns = patience.until_ns - 1;
	ck_assert(patience_lasts(&patience));
	at.ns++;
	ck_assert(!patience_lasts(&patience));
	ck_assert(!patience_lasts(&patience));
	return ns;
}

START_TEST(many_that_hang_take_little_longer_than_one)
{
	uint64_t first_ns = lasting_ns(), others_ns = 0;

	ck_assert(first_ns <= SECOND_NS);
	for (unsigned i = 0; i < 20; i++)
		others_ns += lasting_ns();
	ck_assert(others_ns < SECOND_NS);
	at.ns += 10 * SECOND_NS;
	ck_assert_uint_eq(lasting_ns(), first_ns);
}

static uint64_t awaited_ns(struct progress *progress, unsigned steps, bool expected)
{
	uint64_t begun_ns = at.ns += 10 * SECOND_NS;

	slow = progress;
	steps_left = steps;
	ck_assert_int_eq(patience_await(progress), expected);
	return at.ns - begun_ns;
}

START_TEST(results_are_awaited_as_long_as_there_is_progress)
{
	struct progress progress = { .clock = script() };
	uint64_t hangs_ns = awaited_ns(&progress, 0, false), slow_ns = awaited_ns(&progress, 10, false);

	ck_assert(hangs_ns <= SECOND_NS);
	ck_assert(slow_ns >= 5 * SECOND_NS && slow_ns <= 5 * SECOND_NS + 2 * hangs_ns);
	ck_assert(awaited_ns(&progress, 1000, false) < 12 * SECOND_NS);
	atomic_store(&progress.ready, true);
	ck_assert_uint_eq(awaited_ns(&progress, 0, true), 0);
	ck_assert(progress_goes_on(&progress));
	atomic_store(&progress.cancelled, true);
	ck_assert(!progress_goes_on(&progress));
}

START_TEST(a_signal_that_ends_the_run_ends_the_waiting)
{
	struct progress progress = { .clock = script() };
	sigset_t set, before;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	ck_assert_int_eq(pthread_kill(pthread_self(), SIGTERM), 0);
	ck_assert_uint_eq(awaited_ns(&progress, 10, false), 0);
	ck_assert_int_eq(sigwait(&set, &number), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

START_TEST(a_lock_that_hangs_is_given_up)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	ck_assert(patience_lock(&lock));
	ck_assert(!patience_lock(&lock));
	pthread_mutex_unlock(&lock);
	ck_assert(patience_lock(&lock));
	pthread_mutex_unlock(&lock);
}

static void *compute(void *end)
{
	struct timespec used = { 0 };

	while (used.tv_sec < 1)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return end;
}

static void *hang(void *pipe)
{
	char byte;

	return read(*(int *)pipe, &byte, 1) < 0 ? pipe : NULL;
}

START_TEST(a_thread_that_runs_is_waited_for_and_one_that_hangs_is_not)
{
	static int ends[2];
	pthread_t runs, hangs;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(pthread_create(&runs, NULL, compute, NULL), 0);
	ck_assert(patience_join(runs));
	ck_assert_int_eq(pthread_create(&hangs, NULL, hang, ends), 0);
	ck_assert(!patience_join(hangs));
	close(ends[1]);
}
