/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that may keep their reader waiting are asked by helper threads: nobody waits long for one. */
#ifndef PANETOP_SYS_DEVICE_POLL_H
#define PANETOP_SYS_DEVICE_POLL_H

#include "sys/env.h"
#include "sys/worker.h"

struct late_pool;

/*
 * A device and what is asked of it: the beginning of something that its owner allocates. While it is out a
 * helper is at it, and nobody else may touch what ask() does.
 */
struct late {
	struct worker_job job;
	void (*ask)(struct late *late);     /* in a helper thread */
	void (*arrived)(struct late *late); /* in the main thread: what was asked is here */
	void (*free)(struct late *late);    /* gives it back, itself included */
	const void *group;                  /* see late_group_is_out(); NULL: none */
	char *key;                          /* owned */
	struct late_pool *pool;
	struct late *next_out;
	int root_fd;                /* for ask(); borrowed */
	uint64_t read_ns, took_ns;  /* when it was asked last, and how long that took; once it arrived */
	uint64_t reads;             /* of files, by ask() */
	int patience;               /* above 0: it is waited for */
	bool out, awaited, dropped; /* dropped: its owner has gone */
};

/* With ask, arrived and free set by the caller. Of the same key only one is asked at a time. */
void late_open(struct late *late, struct env *env, const char *key);
/* It is freed when it is back; until then its owner has nothing to do with it any more. */
void late_drop(struct late *late);

/* What came since the tick before arrives. Once in a tick, whoever calls first. */
void late_collect(struct env *env);

/* Has it asked, unless a helper is still at it. Without a worker in env it arrives before this returns. */
void late_ask(struct late *late);

/*
 * Waits for those that were asked and have always been quick: a moment, or a longer one for the first time.
 * Then what has come has arrived.
 */
void late_wait(struct env *env);

/* Is one of this group, which need not have an owner any more, out? */
bool late_group_is_out(struct env *env, const void *group);

/*
 * How long before this tick that was, 0 in it; U64_UNKNOWN when it was never (0), or too long ago to stand
 * for what is now.
 */
uint64_t late_age_ns(struct env *env, uint64_t read_ns);

#endif
