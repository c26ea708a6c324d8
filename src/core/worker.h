/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one helper thread, for calls that may block: its results come back through a descriptor. */
#ifndef PANETOP_CORE_WORKER_H
#define PANETOP_CORE_WORKER_H

#include <stdbool.h>

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
 * Gives the job that runs a second, then leaves it, and all others, to the end of the process. Otherwise
 * every job comes back by done() as dropped, those that waited without having run.
 */
void worker_close(struct worker *worker);

/* Readable when worker_collect() has something to do. */
int worker_fd(const struct worker *worker);

/* Without a worker (NULL), or without a thread, the job runs and is done before this returns. */
void worker_submit(struct worker *worker, struct worker_job *job);
void worker_collect(struct worker *worker);

#endif
