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

#include "model/scope.h"
#include "sys/env.h"

struct profile_events {
	struct env *env;
	unsigned rate;     /* samples a second of each busy CPU */
	bool by_cycles;    /* after cycles of the CPU, in number as the rate wants; else after time on it */
	bool own_only;     /* only processes of this user, and no code of the kernel */
	unsigned least_rate; /* so far: what a process forked then keeps it */
	bool are_mapped;   /* some process has mapped the rings */
	size_t ring_bytes; /* of each ring */
	int *rings;        /* descriptors that own a ring, one for each CPU that was online */
	uint32_t *cpus;    /* … and their CPUs */
	uint64_t *enabled_ns; /* … and for how long they have counted; 0: not known */
	size_t n_rings, ring_capacity, cpu_capacity, enabled_capacity;
	struct own_task {
		uint32_t tid, pid;
		int *fds; /* one for each ring */
	} *tasks;
	size_t n_tasks, task_capacity;
	struct own_process *processes, *next; /* of this user, by pid; next: room for the next look */
	size_t n_processes, process_capacity, next_capacity;
	size_t n_left_out; /* of them: they run, and are not sampled, as there are too many threads … */
	size_t n_missed;   /* … or for another reason … */
	int missed_error;  /* … of one of them: of perf_event_open(); -ENODATA: not known */
	bool lack_wanted;  /* a wanted one has run, and no sample of it has come */
};

/* With own_only: what is known at a look. All zero: nothing. */
struct profile_look {
	uint64_t now_ns;
	uint64_t read_ns; /* all samples until then have been shown to profile_events_saw() */
	bool has_gap;     /* since the look before, samples may not have come */
	const struct scope *scope; /* what is in it is wanted more than the rest; NULL: all is */
	uint32_t pid;              /* … or this process alone; 0: none */
};

/* All zero is closed. 0 or -errno: -ENOTSUP on another architecture, or if env is not this machine. */
int profile_events_open(struct profile_events *events, struct env *env, unsigned rate);
void profile_events_close(struct profile_events *events);

/* Do they match the CPUs that are online now? Events of one that was offline meanwhile have ended. */
bool profile_events_fit(struct profile_events *events);

/* There is a sample of this process, or a record that it forked: it is in. */
void profile_events_saw(struct profile_events *events, uint32_t pid);

/*
 * With own_only: takes own processes in. Later on what they fork is in with them; others are taken in when
 * they were begun by another user, or have run without a sample. 0 or -errno: /proc cannot be read.
 */
int profile_events_follow(struct profile_events *events, const struct profile_look *look);

/*
 * After a process has mapped the rings, also another one than before: the kernel parts the events of tasks
 * from a ring that no process has mapped. It may run beside nothing else here.
 */
void profile_events_join(struct profile_events *events);

int profile_events_set_rate(struct profile_events *events, unsigned rate); /* 0 or -errno */

#endif
