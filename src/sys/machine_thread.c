/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of the C library, which wait between rounds. */
#include <config.h>

#include "sys/machine_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "sys/machine_clock.h"
#include "sys/patience.h"
#include "sys/privilege.h"

struct real_thread {
	struct machine_thread thread; /* the first member */
	pthread_t id;
	const struct thread_work *work;
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool woken, ends;   /* under lock */
	atomic_bool is_left; /* by the thread or its owner; the other one frees it */
};

static void leave(struct real_thread *thread)
{
	if (!atomic_exchange(&thread->is_left, true))
		return;
	pthread_mutex_destroy(&thread->lock);
	pthread_cond_destroy(&thread->wake);
	free(thread);
}

/* False: it is to end. */
static bool begin_round(struct real_thread *thread, uint64_t pause_ns)
{
	uint64_t until_ns = real_mono_ns() + pause_ns;
	const struct timespec until = { (time_t)(until_ns / UINT64_C(1000000000)),
					(long)(until_ns % UINT64_C(1000000000)) };
	int error = pause_ns > 0 ? 0 : ETIMEDOUT;
	bool ends;

	pthread_mutex_lock(&thread->lock);
	while (!thread->woken && !thread->ends && !error)
		error = pthread_cond_timedwait(&thread->wake, &thread->lock, &until);
	thread->woken = false;
	ends = thread->ends;
	pthread_mutex_unlock(&thread->lock);
	return !ends;
}

static void *run(void *context)
{
	struct real_thread *thread = context;
	uint64_t pause_ns = 0;

	privilege_limit(thread->work->rights);
	while (pause_ns != THREAD_ENDS && begin_round(thread, pause_ns))
		pause_ns = thread->work->round(thread->context);
	if (thread->work->end)
		thread->work->end(thread->context);
	leave(thread);
	return NULL;
}

static struct machine_thread *start(const struct machine_threads *threads, const struct thread_work *work,
				    void *context)
{
	struct real_thread *thread = alloc_zeroed(1, sizeof(*thread));
	pthread_condattr_t monotonic;
	int error;

	thread->thread.of = threads;
	thread->work = work;
	thread->context = context;
	pthread_mutex_init(&thread->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&thread->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	error = pthread_create(&thread->id, NULL, run, thread);
	if (!error)
		return &thread->thread;
	atomic_store(&thread->is_left, true);
	leave(thread);
	errno = error;
	return NULL;
}

static void order(struct real_thread *thread, bool ends)
{
	pthread_mutex_lock(&thread->lock);
	thread->woken = true;
	thread->ends |= ends;
	pthread_cond_signal(&thread->wake);
	pthread_mutex_unlock(&thread->lock);
}

static void wake(struct machine_thread *thread)
{
	order((struct real_thread *)thread, false);
}

static bool end(struct machine_thread *machine_thread, bool waits)
{
	struct real_thread *thread = (struct real_thread *)machine_thread;
	bool has_ended = true;

	order(thread, true);
	if (waits)
		has_ended = patience_join(thread->id);
	else
		pthread_detach(thread->id);
	leave(thread);
	return has_ended;
}

const struct machine_threads real_threads = { start, wake, end };
