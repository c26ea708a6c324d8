/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of an env that go on when the test wants it: env->own_threads. */
#ifndef PANETOP_TESTS_HELD_THREADS_H
#define PANETOP_TESTS_HELD_THREADS_H

#include "sys/env.h"

struct held_thread;

struct held_threads {
	struct machine_threads threads; /* the first member: of env */
	struct held_thread *list[8];    /* of those that have not been freed */
	unsigned n_begun;               /* so far */
	int error;                      /* errno: no other can begin; 0 */
};

void hold_threads(struct held_threads *held, struct env *env);

/* A round of each, in the thread that calls this. */
void held_threads_go_on(const struct held_threads *held);

#endif
