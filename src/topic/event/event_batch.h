/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reader hands to samplers: events with the details of their processes, processes that exited, and
 * sums over the selected events.
 */
#ifndef PANETOP_TOPIC_EVENT_EVENT_BATCH_H
#define PANETOP_TOPIC_EVENT_EVENT_BATCH_H

#include "core/arena.h"
#include "core/hash.h"
#include "core/vector.h"
#include "topic/event/event_process.h"

#define EVENT_BATCH_MAX ((size_t)262144) /* further events are counted as lost */

struct event {
	uint64_t number;  /* of the selected events, from 1 */
	uint64_t wall_ns; /* CLOCK_REALTIME */
	enum event_kind kind;
	uint32_t pid, tid, parent_pid;    /* 0: not known */
	uint32_t real_uid, effective_uid; /* UINT32_MAX: not known */
	uint32_t real_id, effective_id;   /* UID, GID: the new ones */
	uint32_t other_pid;               /* PTRACE: the traced process; itself where the tracer is
					   * not known */
	bool attached;
	uint32_t exit_code;   /* EXIT: as in wait(); UINT32_MAX: not known */
	int64_t terminal;     /* -1: not known */
	uint64_t duration_ns; /* EXIT: lifetime; U64_UNKNOWN */
	bool named;
	size_t comm, command, was; /* offsets in the texts; was: COMM: the previous name, or
				    * a thread's new one */
	size_t parent;             /* … the name of its parent; 0: not known */
	size_t program_length;
};

struct event_batch {
	struct event *list; /* owned */
	size_t count, capacity;
	char *texts; /* owned; each ends in a NUL, the first one is empty */
	size_t n_texts, texts_capacity;
	struct recent_use recent_list, recent_texts;
	struct event_name *last; /* its texts are at last_comm and last_command */
	size_t last_comm, last_command;
	struct event_name *last_parent; /* … at last_parent_comm */
	size_t last_parent_comm;
};

/* Adds an event with the names of process, otherwise zero; valid until the next call. */
struct event *event_batch_add(struct event_batch *batch, const struct event_process *process);
size_t event_batch_text(struct event_batch *batch, const char *text, size_t length);

/* The name of a process as an offset in the texts; 0: it has none. */
size_t event_batch_parent(struct event_batch *batch, const struct event_process *parent);

/* Moves the events of from up to EVENT_BATCH_MAX; from is then empty. Returns how many did not fit. */
size_t event_batch_append(struct event_batch *batch, struct event_batch *from);
void event_batch_empty(struct event_batch *batch);
void event_batch_free(struct event_batch *batch);

#define EVENT_ENDED_MAX ((size_t)65536) /* further ones are dropped */

struct event_ended {
	uint32_t pid, parent_pid;        /* 0: not known */
	uint32_t uid;                    /* effective; UINT32_MAX: not known */
	uint64_t start_ns, end_ns;       /* CLOCK_MONOTONIC; U64_UNKNOWN */
	uint64_t children_ns;            /* 0 here: child_cpu_share.c adds them */
	char comm[EVENT_COMM_BYTES + 1]; /* empty: not known */
};

struct event_ended_list {
	struct event_ended *list; /* owned, in the order of their exits */
	size_t count, capacity;
	struct recent_use recent;
};

void event_ended_add(struct event_ended_list *ended, const struct event_process *process, uint64_t end_ns);
void event_ended_free(struct event_ended_list *ended);

#define EVENT_COMMANDS_MAX ((size_t)4096)
#define EVENT_PARENTS_MAX ((size_t)1024)
#define EVENT_LIFETIMES 10 /* below 1 ms, 10 ms … 100,000 s, and above: see event_lifetime_ns() */

struct event_counts {
	char command[EVENT_COMM_BYTES + 1];
	uint64_t kinds[N_EVENT_KINDS];      /* forks count for the parent, others for the process itself */
	uint64_t failures;                  /* exits with a code or by a signal */
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
	struct event_parent *parents;    /* owned */
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

const char *event_kind_text(enum event_kind kind); /* "fork", as in --events */

/* One character per kind; failed exits have one of their own. */
const char *event_mark(const struct event *event);

/* "code 0", "SIGSEGV core", "attach 17350" …; texts: of its batch. */
const char *event_info(struct arena *arena, const struct event *event, const char *texts);

/* "0", "1", "SIGSEGV core", of an exit_code as in wait(); NULL: not known. */
const char *event_status(struct arena *arena, uint32_t exit_code);

/* Exit code and signal number of an exit_code as in wait(); U64_UNKNOWN if it is the other one. */
uint64_t event_exit_code(uint32_t exit_code);
uint64_t event_exit_signal(uint32_t exit_code);

#endif
