/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose it may be what parents are told of their children, by the names of those that ended. */
#ifndef PANETOP_TOPIC_ACCOUNT_CHILD_CPU_SHARE_H
#define PANETOP_TOPIC_ACCOUNT_CHILD_CPU_SHARE_H

#include "topic/event/event_batch.h"
#include "topic/process/process_list.h"

#define CHILD_SHARES_MAX ((size_t)256) /* names of children that are remembered at a time, of all parents */

struct child_shares {
	struct child_share {
		uint32_t reaper_pid;  /* the living ancestor that is told what they used */
		uint64_t lived_ns;  /* after they were seen last, and without their own children's time */
		char comm[EVENT_COMM_BYTES + 1];
	} list[CHILD_SHARES_MAX];
	size_t count;
	uint64_t since_ns; /* when the processes were looked at before; 0: never */
};

/* Remembers what ended; the list comes back in the order of pids. To be called once per update of tasks. */
void child_shares_add(struct child_shares *shares, const struct process_list *processes,
		       struct event_ended_list *ended);

/*
 * Splits what heir_pid was told, by the time that each name lived: gives every name its part, and forgets the
 * names. False when no child of it is remembered.
 */
bool child_shares_split(struct child_shares *shares, const struct process_list *processes,
			uint32_t reaper_pid, uint64_t ns,
			void (*credit)(void *context, const char *name, uint64_t ns), void *context);

/* The nearest ancestor that lives, or, where the chain is broken, init; NULL when not even that is there. */
struct process *child_reaper(const struct process_list *processes, uint32_t parent_pid);

#endif
