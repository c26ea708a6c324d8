/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asynchronous reads of what may block (slow devices, stuck processes) by helper processes, which the kernel
 * may hold for ever, or by threads, where the kernel lets go what is killed.
 */
#ifndef PANETOP_SYS_DEVICE_POLL_H
#define PANETOP_SYS_DEVICE_POLL_H

#include <stdatomic.h>

#include "sys/attribute.h"
#include "sys/env.h"
#include "sys/helper.h"
#include "sys/machine_thread.h"

struct device_pool;

/*
 * A device and how to read it: the first member of a struct that its owner allocates, with helper_alloc()
 * unless it is in_thread. While it is in flight a helper reads it, and the main thread must not touch what
 * read() uses; read() of a helper must use nothing else, see struct helper_job.
 */
struct device_poll {
	struct helper_job job;
	struct worker_job thread_job;
	bool in_thread, in_keeper; /* in_keeper: always in the same process, which ends with the poll */
	void (*read)(struct device_poll *poll);     /* in a helper or a thread */
	void (*finished)(struct device_poll *poll); /* in the main thread: the result is here */
	void (*lost)(struct device_poll *poll);     /* instead: its helper was killed; or NULL */
	void (*free)(struct device_poll *poll);     /* frees the whole struct */
	char *key;                                  /* owned */
	struct device_pool *pool;
	struct device_poll *next_in_flight;
	const struct root *root;    /* for read(); borrowed */
	const struct machine_clock *clock; /* of env; borrowed, it may outlive env, as … */
	const struct machine_calls *calls; /* … these */
	uint64_t read_ns, took_ns;  /* when the last finished read began, and how long it took */
	uint64_t reads;             /* files that read() has read */
	_Atomic pid_t helper;       /* the process or thread that reads; 0: none has begun */
	int credit;                 /* above 0: device_poll_wait() waits for it */
	bool in_flight, awaited, dropped; /* dropped: it has no owner */
};

/* The caller has set read, finished and free. Of polls with the same key, only one is in flight at a time. */
void device_poll_open(struct device_poll *poll, struct env *env, const char *key);

/* Gives up ownership: it is freed at once or, when it is in flight, as soon as it has finished. */
void device_poll_drop(struct device_poll *poll);

/* Finishes what has come in since the last tick; only the first call of a tick does something. */
void device_poll_collect(struct env *env);

/* Starts a read, unless one is in flight. Without a worker in env, the read finishes before this returns. */
void device_poll_submit(struct device_poll *poll);

/*
 * Waits, for a moment or a little longer the first time, for the submitted polls that have been quick so far,
 * and finishes what has come in.
 */
void device_poll_wait(struct env *env);

/* Waits until this one has finished, whatever its credit, at most ns. */
void device_poll_wait_for(struct device_poll *poll, uint64_t ns);

/* Is it in flight only for want of a CPU? A helper that sleeps waits for what it reads. */
bool device_poll_waits_for_cpu(const struct device_poll *poll);

/*
 * How long before this tick read_ns was; 0: in this tick; U64_UNKNOWN: never (read_ns is 0), or too long ago
 * to stand for the present.
 */
uint64_t device_poll_age_ns(struct env *env, uint64_t read_ns);

/* An attribute of a slow device, with room for its text. */
struct device_attribute {
	struct device_poll poll;
	struct env *env; /* borrowed */
	char *path;      /* owned, of helper_alloc() */
	void (*finished)(void *owner, size_t index, const struct device_attribute *attribute);
	void *owner;
	size_t index, room;
	long length; /* of bytes without a newline at the end, or -errno */
	char bytes[];
};

/* finished is called with owner and index in the main thread after each read, also a failed one. */
struct device_attribute *device_attribute_open(struct env *env, const char *path, size_t room,
					       void (*finished)(void *owner, size_t index,
								const struct device_attribute *attribute),
					       void *owner, size_t index);
void device_attribute_drop(struct device_attribute *attribute);
void device_attribute_submit(struct device_attribute *attribute);

#endif
