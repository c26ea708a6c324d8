/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that are none: their rounds run in that of the test. */
#include <config.h>

#include "held_threads.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "suite.h"

struct held_thread {
	struct machine_thread thread; /* the first member */
	const struct thread_work *work;
	void *context;
	bool has_ended;
};

static struct machine_thread *start(const struct machine_threads *threads, const struct thread_work *work,
				    void *context)
{
	struct held_threads *held = (struct held_threads *)threads;
	struct held_thread *thread;
	unsigned i = 0;

	errno = held->error;
	if (errno)
		return NULL;
	while (held->list[i])
		ck_assert_uint_lt(++i, LENGTH(held->list));
	held->list[i] = thread = alloc_zeroed(1, sizeof(*thread));
	*thread = (struct held_thread){ { threads }, work, context, false };
	held->n_begun++;
	return &thread->thread;
}

static void wake(struct machine_thread *thread)
{
	(void)thread;
}

static uint64_t cpu_ns(const struct machine_thread *thread)
{
	(void)thread;
	return 0;
}

static void end_once(struct held_thread *thread)
{
	if (!thread->has_ended && thread->work->end)
		thread->work->end(thread->context);
	thread->has_ended = true;
}

static bool end(struct machine_thread *thread, bool waits)
{
	struct held_threads *held = (struct held_threads *)thread->of;
	unsigned i = 0;

	(void)waits;
	while (held->list[i] != (struct held_thread *)thread)
		ck_assert_uint_lt(++i, LENGTH(held->list));
	end_once(held->list[i]);
	free(held->list[i]);
	held->list[i] = NULL;
	return true;
}

void held_threads_go_on(const struct held_threads *held)
{
	for (unsigned i = 0; i < LENGTH(held->list); i++)
		if (held->list[i] && !held->list[i]->has_ended &&
		    held->list[i]->work->round(held->list[i]->context) == THREAD_ENDS)
			end_once(held->list[i]);
}

void hold_threads(struct held_threads *held, struct env *env)
{
	*held = (struct held_threads){ .threads = { start, wake, end, cpu_ns } };
	env->own_threads = &held->threads;
}
