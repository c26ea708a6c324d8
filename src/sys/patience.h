/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long panetop waits for threads and processes that should end: in all about a second at most. */
#ifndef PANETOP_SYS_PATIENCE_H
#define PANETOP_SYS_PATIENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/machine_clock.h"

/* All zero begins with the first use. */
struct patience {
	uint64_t until_ns, pause_ns;
	const struct machine_clock *clock; /* NULL: the kernel's */
};

/*
 * Sleeps for a moment, at first a short one. False: it has lasted long enough; after that, others last less
 * for a while, so that many that hang take no longer than one.
 */
bool patience_lasts(struct patience *patience);

/*
 * Joins a thread that was asked to end; one that runs, or waits for a CPU, has five seconds of CPU time.
 * False: it hangs; it and all that it uses are left to the end of the process.
 */
bool patience_join(pthread_t thread);

/* Locks what a thread holds while it looks at something. False: it hangs there. */
bool patience_lock(pthread_mutex_t *lock);

/* What a thread shares with the one that waits for its results. All zero at its start. */
struct progress {
	atomic_bool ready;     /* they are there */
	atomic_bool cancelled; /* they are of no use any more */
	atomic_uint steps;     /* grows as long as it gets on */
	const struct machine_clock *clock; /* of who waits; NULL: the kernel's */
};

/* Of the thread, after every step. False: it was cancelled. */
bool progress_goes_on(struct progress *progress);

/* Waits until it is ready. False: it makes no progress, takes too long, or a signal may end the run. */
bool patience_await(struct progress *progress);

#endif
