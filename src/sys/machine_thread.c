/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of the C library, which wait between rounds. */
#include <config.h>

#include "sys/machine_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "sys/machine_clock.h"
#include "sys/patience.h"
#include "sys/privilege.h"
#include "sys/system_call.h"

#define CPUS_MAX 65536

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
	int error = 0;
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
	uint64_t pause_ns;

	privilege_limit(thread->work->rights);
	do
		pause_ns = thread->work->round(thread->context);
	while (pause_ns != THREAD_ENDS && begin_round(thread, pause_ns));
	if (thread->work->end)
		thread->work->end(thread->context);
	leave(thread);
	return NULL;
}

/* An errno. */
static int create(struct real_thread *thread)
{
	const struct thread_work *work = thread->work;
	pthread_attr_t attributes;
	int error = 0;

	pthread_attr_init(&attributes);
	if (work->stack)
		error = pthread_attr_setstack(&attributes, work->stack, work->stack_bytes);
	if (!error)
		error = pthread_create(&thread->id, &attributes, run, thread);
	pthread_attr_destroy(&attributes);
	return error;
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
	error = create(thread);
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

/* Where another thread of real-time priority keeps its CPU, it can end on others alone, also by a signal. */
static void let_run(const struct real_thread *thread)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *own = alloc_zeroed(1, bytes);

	if (sched_getaffinity(0, bytes, own) == 0 && !system_call_kills(SYS_sched_setaffinity))
		pthread_setaffinity_np(thread->id, bytes, own);
	free(own);
}

static bool end(struct machine_thread *machine_thread, bool waits)
{
	struct real_thread *thread = (struct real_thread *)machine_thread;
	bool has_ended = true;

	order(thread, true);
	if (thread->work->stack)
		let_run(thread);
	if (waits)
		has_ended = patience_join(thread->id);
	else
		pthread_detach(thread->id);
	leave(thread);
	return has_ended;
}

static uint64_t cpu_ns(const struct machine_thread *thread)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(((const struct real_thread *)thread)->id, &clock) != 0 ||
	    clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

const struct machine_threads real_threads = { start, wake, end, cpu_ns };
