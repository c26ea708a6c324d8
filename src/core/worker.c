/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one helper thread: a queue in, a queue out, an eventfd as its bell. */
#include <config.h>

#include "core/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/privilege.h"

struct queue {
	struct worker_job *first, **last;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct queue waiting, finished; /* under lock */
	bool closing;                   /* under lock */
	bool started;                   /* the thread starts with the first job */
	int fd;                         /* eventfd: something is finished */
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

static void *work(void *context)
{
	struct worker *worker = context;

	privilege_keep(PRIVILEGE_BIT(PRIVILEGE_HIDDEN));
	pthread_mutex_lock(&worker->lock);
	while (!worker->closing) {
		struct worker_job *job = queue_take(&worker->waiting);
		uint64_t one = 1;

		if (!job) {
			pthread_cond_wait(&worker->work, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		job->run(job);
		pthread_mutex_lock(&worker->lock);
		queue_add(&worker->finished, job);
		if (write(worker->fd, &one, sizeof(one)) < 0)
			continue; /* the counter is full: the bell rings already */
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_open(void)
{
	struct worker *worker = alloc_zeroed(1, sizeof(*worker));

	queue_clear(&worker->waiting);
	queue_clear(&worker->finished);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->work, NULL);
	worker->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (worker->fd < 0) {
		free(worker);
		return NULL;
	}
	return worker;
}

static void give_back(struct queue *queue)
{
	struct worker_job *job;

	while ((job = queue_take(queue))) {
		job->dropped = true;
		job->done(job);
	}
}

void worker_close(struct worker *worker)
{
	struct timespec deadline;

	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->closing = true;
	pthread_cond_signal(&worker->work);
	pthread_mutex_unlock(&worker->lock);
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 1;
	if (worker->started && pthread_timedjoin_np(worker->thread, NULL, &deadline) != 0)
		return; /* stuck in the kernel: it goes when the process goes */
	give_back(&worker->finished);
	give_back(&worker->waiting);
	close(worker->fd);
	free(worker);
}

int worker_fd(const struct worker *worker)
{
	return worker->fd;
}

static bool start(struct worker *worker)
{
	if (!worker->started)
		worker->started = pthread_create(&worker->thread, NULL, work, worker) == 0;
	return worker->started;
}

void worker_submit(struct worker *worker, struct worker_job *job)
{
	if (!worker || !start(worker)) {
		job->run(job);
		job->done(job);
		return;
	}
	pthread_mutex_lock(&worker->lock);
	queue_add(&worker->waiting, job);
	pthread_cond_signal(&worker->work);
	pthread_mutex_unlock(&worker->lock);
}

void worker_collect(struct worker *worker)
{
	uint64_t count;

	if (read(worker->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
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
