/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over the events that were chosen: by command, by parent, by life time. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_STATISTICS_H
#define PANETOP_TOPIC_EVENT_EVENT_STATISTICS_H

#include "core/hash.h"
#include "topic/event/event_process.h"

#define EVENT_COMMANDS_MAX ((size_t)4096)
#define EVENT_PARENTS_MAX ((size_t)1024)
#define EVENT_LIFETIMES 10 /* below 1 ms, 10 ms … 100,000 s, and above: see event_lifetime_ns() */

struct event_counts {
	char command[EVENT_COMM_BYTES + 1];
	uint64_t kinds[N_EVENT_KINDS]; /* forks are of the parent, the others of who did it */
	uint64_t failures; /* exits with a code or by a signal */
};

struct event_parent {
	uint32_t pid;
	uint64_t start_ns, start_ticks; /* as of struct event_process */
	bool ended;
	char command[EVENT_COMM_BYTES + 1];
	uint64_t forks;
	uint64_t resident_bytes, page_table_bytes; /* as read last while it forked; U64_UNKNOWN */
};

struct event_statistics {
	struct event_counts *commands; /* owned */
	size_t n_commands, command_capacity;
	struct hash by_command;
	struct event_counts all, others; /* others: of commands there was no room for; both without a name */
	struct event_parent *parents; /* owned */
	size_t n_parents;
	uint64_t lifetimes[EVENT_LIFETIMES + 1]; /* the last one: not known */
};

void event_statistics_open(struct event_statistics *statistics);
void event_statistics_free(struct event_statistics *statistics);

/* Counts one for process, and for all. of_thread: of one that is not the first, whose exit is none. */
void event_statistics_count(struct event_statistics *statistics, const struct event_process *process,
			    enum event_kind kind, bool of_thread, bool failed);

/* One more fork of this parent; what is known of its memory replaces what was. */
void event_statistics_fork(struct event_statistics *statistics, const struct event_process *parent);

/* Counts how long it lived, U64_UNKNOWN where that is not known; as a parent it may make room for others. */
void event_statistics_exit(struct event_statistics *statistics, const struct event_process *process,
			   uint64_t lifetime_ns);

/* Where the bucket of life times with this index begins; U64_UNKNOWN behind the last. */
uint64_t event_lifetime_ns(unsigned bucket);

#endif
