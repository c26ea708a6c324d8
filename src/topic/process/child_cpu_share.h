/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splits a parent's cutime growth among its exited children, by name. */
#ifndef PANETOP_TOPIC_PROCESS_CHILD_CPU_SHARE_H
#define PANETOP_TOPIC_PROCESS_CHILD_CPU_SHARE_H

#include "topic/event/event_batch.h"
#include "topic/process/process_list.h"

#define CHILD_SHARES_MAX ((size_t)256) /* names of exited children, of all parents */

struct child_shares {
	struct child_share {
		uint32_t reaper_pid; /* the living ancestor whose cutime includes them */
		uint64_t lived_ns;   /* since they were last seen, without the lifetimes of their children */
		char comm[EVENT_COMM_BYTES + 1];
	} list[CHILD_SHARES_MAX];
	size_t count;
	uint64_t since_ns; /* of the previous update of the processes; 0: none */
};

/* Adds what exited, and sorts ended by pid. Once per update of the processes. */
void child_shares_add(struct child_shares *shares, const struct process_list *processes,
		       struct event_ended_list *ended);

/*
 * Splits ns, the growth of the cutime of reaper_pid, in proportion to lifetimes: credits each name with its
 * part, and removes the names. False when no child of it is known.
 */
bool child_shares_split(struct child_shares *shares, const struct process_list *processes,
			uint32_t reaper_pid, uint64_t ns,
			void (*credit)(void *context, const char *name, uint64_t ns), void *context);

/* The nearest living ancestor; init, where the chain is broken; NULL: not even that is visible. */
struct process *child_reaper(const struct process_list *processes, uint32_t parent_pid);

#endif
