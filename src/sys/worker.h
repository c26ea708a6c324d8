/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helper threads, for calls that may block: what they did is collected by the thread that asked for it. */
#ifndef PANETOP_SYS_WORKER_H
#define PANETOP_SYS_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* One piece of work; the caller owns it and keeps it until done() was called. */
struct worker_job {
	void (*run)(struct worker_job *job);  /* in the helper thread */
	void (*done)(struct worker_job *job); /* in the thread that calls worker_collect() */
	struct worker_job *next;
	bool dropped; /* set before done() by worker_close(): nobody waits for it, it may not have run */
};

/* NULL with errno set when there can be no descriptor. The thread starts with the first job. */
struct worker *worker_open(void);

/*
 * Several threads for jobs of which one may hang for ever: as soon as all that there are seem to, another one
 * goes on, up to a few. Jobs may run in any order. It has no descriptor: it is waited for.
 */
struct worker *worker_open_team(void);

/*
 * Gives the jobs that run a second, then leaves them, and all others, to the end of the process, and is
 * false. Otherwise every job comes back by done() as dropped, those that waited without having run.
 */
bool worker_close(struct worker *worker);

/* Readable when worker_collect() has something to do. */
int worker_fd(const struct worker *worker);

/* Without a worker (NULL), or without a thread, the job runs and is done before this returns. */
void worker_submit(struct worker *worker, struct worker_job *job);
void worker_collect(struct worker *worker);

/*
 * Waits for a team until it has done all that waited, or has to be looked after, or until this moment; then
 * as worker_collect().
 */
void worker_wait(struct worker *worker, uint64_t until_ns);

/* Starts a thread that ends at once, and waits for its end: 0, or -errno where there can be no more. */
int worker_try_thread(void);

#endif
