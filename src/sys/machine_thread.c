/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of the C library, which wait between rounds. */
#include <config.h>

#include "sys/machine_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/descriptor.h"
#include "sys/machine.h"
#include "sys/privilege.h"
#include "sys/process.h"

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
	const struct timespec until = clock_timespec(real_mono_ns() + pause_ns);
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

static void init_monotonic(pthread_cond_t *condition)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static struct machine_thread *start(const struct machine_threads *threads, const struct thread_work *work,
				    void *context)
{
	struct real_thread *thread = alloc_zeroed(1, sizeof(*thread));
	int error;

	thread->thread.of = threads;
	thread->work = work;
	thread->context = context;
	pthread_mutex_init(&thread->lock, NULL);
	init_monotonic(&thread->wake);
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
	clockid_t clock;

	return pthread_getcpuclockid(((const struct real_thread *)thread)->id, &clock) == 0
		       ? clock_now_ns(&real_clock, clock)
		       : 0;
}

const struct machine_threads real_threads = { start, wake, end, cpu_ns, sched_getcpu, sched_setaffinity };

/* Helper threads: a queue of waiting jobs, one of finished jobs, and a wake-up for the caller. */

#define HELPERS_MAX 8
#define HELD_UP_NS UINT64_C(5000000) /* a helper that runs a job for so long may be blocked */

struct queue {
	struct worker_job *first, **last;
};

struct helper {
	struct worker *worker;
	pthread_t thread;
	uint64_t since_ns; /* start of its current job; 0: idle */
};

/* lock protects all but fd and most. */
struct worker {
	pthread_mutex_t lock;
	pthread_cond_t work, answer;
	struct queue waiting, finished;
	struct helper helpers[HELPERS_MAX]; /* n_helpers are started */
	unsigned n_helpers, most;
	uint64_t called_ns; /* when a helper was woken that has not taken a job yet; 0: none */
	bool answered;      /* a team has finished all waiting jobs */
	bool closing;
	int fd; /* eventfd: a job has finished; -1: a team */
};

static void queue_clear(struct queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
}

static void queue_add(struct queue *queue, struct worker_job *job)
{
	job->next = NULL;
	*queue->last = job;
	queue->last = &job->next;
}

static struct worker_job *queue_take(struct queue *queue)
{
	struct worker_job *job = queue->first;

	if (job) {
		queue->first = job->next;
		if (!queue->first)
			queue->last = &queue->first;
	}
	return job;
}

/* Under lock, which it releases while it wakes the caller. */
static void ring(struct worker *worker)
{
	uint64_t one = 1;

	if (worker->fd >= 0 && write(worker->fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: fd is readable already */
	if (worker->fd >= 0 || worker->waiting.first)
		return; /* the caller of a team is woken once, for all jobs */
	worker->answered = true;
	pthread_mutex_unlock(&worker->lock);
	pthread_cond_signal(&worker->answer);
	pthread_mutex_lock(&worker->lock);
}

static void *help(void *context)
{
	struct helper *helper = context;
	struct worker *worker = helper->worker;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_HIDDEN));
	pthread_mutex_lock(&worker->lock);
	while (!worker->closing) {
		struct worker_job *job = queue_take(&worker->waiting);

		if (!job) {
			helper->since_ns = 0;
			pthread_cond_wait(&worker->work, &worker->lock);
			continue;
		}
		helper->since_ns = real_mono_ns();
		worker->called_ns = 0;
		pthread_mutex_unlock(&worker->lock);
		job->run(job);
		pthread_mutex_lock(&worker->lock);
		queue_add(&worker->finished, job);
		ring(worker);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static struct worker *open_helpers(unsigned most, int fd)
{
	struct worker *worker = alloc_zeroed(1, sizeof(*worker));

	queue_clear(&worker->waiting);
	queue_clear(&worker->finished);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->work, NULL);
	init_monotonic(&worker->answer);
	worker->most = most;
	worker->fd = fd;
	return worker;
}

struct worker *worker_open(void)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	return fd < 0 ? NULL : open_helpers(1, fd);
}

struct worker *worker_open_team(void)
{
	return open_helpers(HELPERS_MAX, -1);
}

bool worker_close(struct worker *worker)
{
	struct worker_job *job;
	bool all_end = true;

	if (!worker)
		return true;
	pthread_mutex_lock(&worker->lock);
	worker->closing = true;
	pthread_cond_broadcast(&worker->work);
	pthread_mutex_unlock(&worker->lock);
	for (unsigned i = 0; i < worker->n_helpers; i++)
		all_end &= patience_join(worker->helpers[i].thread);
	if (!all_end)
		return false; /* blocked in the kernel: ends with the process */
	while ((job = queue_take(worker->finished.first ? &worker->finished : &worker->waiting))) {
		job->dropped = true;
		job->done(job);
	}
	descriptor_close(worker->fd);
	free(worker);
	return true;
}

int worker_fd(const struct worker *worker)
{
	return worker->fd;
}

static void *end_at_once(void *argument)
{
	return argument;
}

int worker_try_thread(void)
{
	pthread_t thread;
	int error = -pthread_create(&thread, NULL, end_at_once, NULL);

	if (!error)
		pthread_join(thread, NULL);
	return error;
}

static bool start_helper(struct worker *worker)
{
	struct helper *helper = &worker->helpers[worker->n_helpers];

	helper->worker = worker;
	if (worker->n_helpers == worker->most || pthread_create(&helper->thread, NULL, help, helper) != 0)
		return false;
	worker->n_helpers++;
	return true;
}

/* Are all helpers blocked or idle, and is none about to take a job? */
static bool is_held_up(const struct worker *worker, uint64_t now_ns)
{
	if (worker->called_ns > 0 && now_ns - worker->called_ns < HELD_UP_NS)
		return false;
	for (unsigned i = 0; i < worker->n_helpers; i++)
		if (worker->helpers[i].since_ns > 0 && now_ns - worker->helpers[i].since_ns < HELD_UP_NS)
			return false;
	return true;
}

/* Where a waiting job needs it, wakes an idle helper; without one, starts another helper. */
static void unlock_and_call(struct worker *worker)
{
	uint64_t now_ns = real_mono_ns();
	bool wanted = worker->waiting.first && is_held_up(worker, now_ns), idle = false;

	for (unsigned i = 0; i < worker->n_helpers; i++)
		idle |= worker->helpers[i].since_ns == 0;
	if (wanted && (idle || start_helper(worker)))
		worker->called_ns = now_ns;
	pthread_mutex_unlock(&worker->lock);
	if (wanted && idle)
		pthread_cond_signal(&worker->work);
}

void worker_submit(struct worker *worker, struct worker_job *job)
{
	bool taken = false;

	if (worker) {
		pthread_mutex_lock(&worker->lock);
		taken = worker->n_helpers > 0 || start_helper(worker);
		if (taken)
			queue_add(&worker->waiting, job);
		unlock_and_call(worker);
	}
	if (taken)
		return;
	job->run(job);
	job->done(job);
}

void worker_collect(struct worker *worker)
{
	uint64_t count;

	if (worker->fd >= 0 && read(worker->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return;
	for (;;) {
		struct worker_job *job;

		pthread_mutex_lock(&worker->lock);
		job = queue_take(&worker->finished);
		pthread_mutex_unlock(&worker->lock);
		if (!job)
			return;
		job->done(job);
	}
}

void worker_wait(struct worker *worker, uint64_t until_ns)
{
	uint64_t look_ns = real_mono_ns() + HELD_UP_NS;
	const struct timespec deadline = clock_timespec(look_ns < until_ns ? look_ns : until_ns);
	int error = 0;

	pthread_mutex_lock(&worker->lock);
	while (!worker->answered && !error)
		error = pthread_cond_timedwait(&worker->answer, &worker->lock, &deadline);
	worker->answered = false;
	unlock_and_call(worker);
	worker_collect(worker);
}
