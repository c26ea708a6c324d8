/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf events of a profile, with a ring for each CPU: of all that runs there, or where that is not
 * permitted, of the user's own processes, without the kernel.
 */
#ifndef PANETOP_TOPIC_PROFILE_PROFILE_EVENTS_H
#define PANETOP_TOPIC_PROFILE_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/env.h"

struct profile_events {
	struct env *env;
	unsigned rate;     /* samples a second of each busy CPU */
	bool by_cycles;    /* after cycles of the CPU, in number as the rate wants; else after time on it */
	bool own_only;     /* only processes of this user, and no code of the kernel */
	bool are_mapped;   /* some process has mapped the rings */
	size_t ring_bytes; /* of each ring */
	int *rings;        /* descriptors that own a ring, one for each CPU that was online */
	uint32_t *cpus;    /* … and their CPUs */
	size_t n_rings, ring_capacity, cpu_capacity;
	struct own_task {
		uint32_t tid, pid;
		int *fds; /* one for each ring */
	} *tasks;
	size_t n_tasks, task_capacity;
	size_t n_left_out; /* processes of the user that are too many */
};

/* All zero is closed. 0 or -errno: -ENOTSUP on another architecture, or if env is not this machine. */
int profile_events_open(struct profile_events *events, struct env *env, unsigned rate);
void profile_events_close(struct profile_events *events);

/* Do they match the CPUs that are online now? */
bool profile_events_fit(const struct profile_events *events);

/* With own_only: takes own processes in, and later those that began since and were not forked by one that is
 * in already. */
void profile_events_follow(struct profile_events *events);

/*
 * After a process has mapped the rings, also another one than before: the kernel parts the events of tasks
 * from a ring that no process has mapped. It may run beside nothing else here.
 */
void profile_events_join(struct profile_events *events);

int profile_events_set_rate(struct profile_events *events, unsigned rate); /* 0 or -errno */

#endif
