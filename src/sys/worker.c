/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helper threads: a queue of waiting jobs, one of finished jobs, and a wake-up for the caller. */
#include <config.h>

#include "sys/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/patience.h"
#include "sys/privilege.h"

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

static void *work(void *context)
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
	pthread_condattr_t monotonic;

	queue_clear(&worker->waiting);
	queue_clear(&worker->finished);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->work, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&worker->answer, &monotonic);
	pthread_condattr_destroy(&monotonic);
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

static void give_back(struct queue *queue)
{
	struct worker_job *job;

	while ((job = queue_take(queue))) {
		job->dropped = true;
		job->done(job);
	}
}

/* Do all helpers end within a moment? */
static bool all_end(struct worker *worker)
{
	bool end = true;

	for (unsigned i = 0; i < worker->n_helpers; i++)
		end &= patience_join(worker->helpers[i].thread);
	return end;
}

bool worker_close(struct worker *worker)
{
	if (!worker)
		return true;
	pthread_mutex_lock(&worker->lock);
	worker->closing = true;
	pthread_cond_broadcast(&worker->work);
	pthread_mutex_unlock(&worker->lock);
	if (!all_end(worker))
		return false; /* blocked in the kernel: ends with the process */
	give_back(&worker->finished);
	give_back(&worker->waiting);
	if (worker->fd >= 0)
		close(worker->fd);
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

static bool start(struct worker *worker)
{
	struct helper *helper = &worker->helpers[worker->n_helpers];

	helper->worker = worker;
	if (worker->n_helpers == worker->most || pthread_create(&helper->thread, NULL, work, helper) != 0)
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

/* Under lock: does a waiting job need an idle helper to be woken? Without one, starts another helper. */
static bool wants_call(struct worker *worker)
{
	uint64_t now_ns = real_mono_ns();
	bool idle = false;

	if (!worker->waiting.first || !is_held_up(worker, now_ns))
		return false;
	for (unsigned i = 0; i < worker->n_helpers; i++)
		idle |= worker->helpers[i].since_ns == 0;
	if (idle || start(worker))
		worker->called_ns = now_ns;
	return idle;
}

static void unlock_and_call(struct worker *worker)
{
	bool call = wants_call(worker);

	pthread_mutex_unlock(&worker->lock);
	if (call)
		pthread_cond_signal(&worker->work);
}

/* False when there is no thread to run the job. */
static bool hand_over(struct worker *worker, struct worker_job *job)
{
	bool taken;

	pthread_mutex_lock(&worker->lock);
	taken = worker->n_helpers > 0 || start(worker);
	if (taken)
		queue_add(&worker->waiting, job);
	unlock_and_call(worker);
	return taken;
}

void worker_submit(struct worker *worker, struct worker_job *job)
{
	if (worker && hand_over(worker, job))
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
	const struct timespec deadline = env_timespec(look_ns < until_ns ? look_ns : until_ns);
	int error = 0;

	pthread_mutex_lock(&worker->lock);
	while (!worker->answered && !error)
		error = pthread_cond_timedwait(&worker->answer, &worker->lock, &deadline);
	worker->answered = false;
	unlock_and_call(worker);
	worker_collect(worker);
}
