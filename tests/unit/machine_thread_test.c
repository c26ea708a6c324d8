/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of threads that work in rounds, as the kernel runs them. */
#include "suite.h"

#include <semaphore.h>

#define HOUR_NS UINT64_C(3600000000000)

static sem_t done;
static uint64_t pause_ns;
static _Atomic unsigned n_rounds, n_ends;

static uint64_t round_once(void *context)
{
	ck_assert_ptr_eq(context, &pause_ns);
	n_rounds++;
	sem_post(&done);
	return pause_ns;
}

static void end_once(void *context)
{
	ck_assert_ptr_eq(context, &pause_ns);
	n_ends++;
	sem_post(&done);
}

static struct machine_thread *start(uint64_t ns)
{
	static const struct thread_work work = { round_once, end_once, 0 };
	struct machine_thread *thread;

	sem_init(&done, 0, 0);
	pause_ns = ns;
	thread = thread_start(&real_threads, &work, &pause_ns);
	ck_assert_ptr_nonnull(thread);
	sem_wait(&done);
	return thread;
}

START_TEST(a_round_follows_a_pause_or_a_wake)
{
	struct machine_thread *thread = start(1);

	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	ck_assert(thread_end(thread, true));
	ck_assert_uint_ge(n_rounds, 4);
	n_rounds = 0;
	thread = start(HOUR_NS);
	for (int i = 0; i < 3; i++) {
		thread_wake(thread);
		sem_wait(&done);
	}
	ck_assert_uint_eq(n_rounds, 4);
	ck_assert(thread_end(thread, true));
	ck_assert_uint_eq(n_rounds, 4);
	ck_assert_uint_eq(n_ends, 2);
}

START_TEST(a_thread_may_end_before_its_owner_ends_it)
{
	struct machine_thread *thread = start(THREAD_ENDS);

	sem_wait(&done);
	ck_assert_uint_eq(n_ends, 1);
	thread_wake(thread);
	ck_assert(thread_end(thread, true));
	ck_assert_uint_eq(n_rounds, 1);
	ck_assert_uint_eq(n_ends, 1);
}

START_TEST(a_thread_ends_without_its_owner)
{
	ck_assert(thread_end(start(HOUR_NS), false));
	sem_wait(&done);
	ck_assert(n_rounds == 1 && n_ends == 1);
}
