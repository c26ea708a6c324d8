/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over the selected events: by command, by parent, by lifetime. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_STATISTICS_H
#define PANETOP_TOPIC_EVENT_EVENT_STATISTICS_H

#include "core/hash.h"
#include "topic/event/event_process.h"

#define EVENT_COMMANDS_MAX ((size_t)4096)
#define EVENT_PARENTS_MAX ((size_t)1024)
#define EVENT_LIFETIMES 10 /* below 1 ms, 10 ms … 100,000 s, and above: see event_lifetime_ns() */

struct event_counts {
	char command[EVENT_COMM_BYTES + 1];
	uint64_t kinds[N_EVENT_KINDS]; /* forks count for the parent, others for the process itself */
	uint64_t failures; /* exits with a code or by a signal */
	uint64_t lifetimes_ns, n_lifetimes; /* sum of those that are known, and their number */
};

struct event_parent {
	uint32_t pid;
	uint64_t start_ns, start_ticks; /* as in struct event_process */
	bool ended;
	char command[EVENT_COMM_BYTES + 1];
	uint64_t forks;
	uint64_t resident_bytes, page_table_bytes; /* at its last fork; U64_UNKNOWN */
};

struct event_statistics {
	struct event_counts *commands; /* owned */
	size_t n_commands, command_capacity;
	struct hash by_command;
	struct event_counts all, others; /* others: commands beyond the limit; both without a name */
	struct event_parent *parents; /* owned */
	size_t n_parents;
	uint64_t lifetimes[EVENT_LIFETIMES + 1]; /* the last one: unknown start */
};

void event_statistics_open(struct event_statistics *statistics);
void event_statistics_free(struct event_statistics *statistics);

/* Counts an event for process and for all. of_thread: of a thread other than the first: its exit does not
 * count. */
void event_statistics_count(struct event_statistics *statistics, const struct event_process *process,
			    enum event_kind kind, bool of_thread, bool failed);

/* Counts a fork of this parent and updates its memory sizes. */
void event_statistics_fork(struct event_statistics *statistics, const struct event_process *parent);

/* Counts the lifetime (U64_UNKNOWN: not known); as a parent the process may be replaced from now on. */
void event_statistics_exit(struct event_statistics *statistics, const struct event_process *process,
			   uint64_t lifetime_ns);

/* Lower limit of a lifetime bucket; U64_UNKNOWN past the last one. */
uint64_t event_lifetime_ns(unsigned bucket);

#endif
