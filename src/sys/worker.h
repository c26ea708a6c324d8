/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helper threads for calls that may block; the submitting thread collects the results. */
#ifndef PANETOP_SYS_WORKER_H
#define PANETOP_SYS_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* The caller owns a job and keeps it until done() has been called. */
struct worker_job {
	void (*run)(struct worker_job *job);  /* in the helper thread */
	void (*done)(struct worker_job *job); /* in the thread that calls worker_collect() */
	struct worker_job *next;
	bool dropped; /* set by worker_close() before done(): it may not have run */
};

/* One thread, started with the first job. NULL with errno when it gets no descriptor. */
struct worker *worker_open(void);

/*
 * A team of threads for jobs that may block for ever: when all seem to be blocked, another one is started, up
 * to a few. Jobs may run in any order. It has no descriptor: use worker_wait().
 */
struct worker *worker_open_team(void);

/*
 * Waits a moment for running jobs. False when one is still blocked: all jobs are then left to the end of the
 * process. Otherwise calls done() of each job with dropped set; waiting jobs have not run.
 */
bool worker_close(struct worker *worker);

/* Readable when worker_collect() has something to do. */
int worker_fd(const struct worker *worker);

/* Without a worker (NULL) or a thread, the job runs before this returns. */
void worker_submit(struct worker *worker, struct worker_job *job);
void worker_collect(struct worker *worker);

/*
 * Waits until until_ns, until a team has finished all jobs, or until it may need another helper; then as
 * worker_collect().
 */
void worker_wait(struct worker *worker, uint64_t until_ns);

/* Starts a thread and waits for its end. 0, or -errno when no more threads are possible. */
int worker_try_thread(void);

#endif
