/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of the machine, a record each, brought up to date once per tick for all topics that ask. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_LIST_H
#define PANETOP_TOPIC_PROCESS_PROCESS_LIST_H

#include "sys/env.h"
#include "topic/process/process_entry.h"

struct process_list {
	struct env *env;    /* borrowed */
	struct process **all;  /* those that live, by pid */
	size_t n_all, capacity;
	struct process **previous; /* room for the list of the next update; the same capacity */
	size_t n_previous;      /* while an update takes over what it was */
	struct process *
		*exited; /* those that ended since the tick before, or whose pid became another process's */
	size_t n_exited, exited_capacity;
	size_t n_denied;    /* listed, but their stat file may not be read */
	size_t n_failed;    /* listed, but their stat file could not be read for another reason */
	int failure;   /* -errno: that reason, of the last */
	size_t n_missing;   /* of both: not in all, as they were not known before */
	size_t n_appeared;  /* in all, and lived unseen before: what they used in the interval is not known */
	uint64_t tick;      /* of the last update */
	uint64_t mono_ns;   /* when its clocks were read: the time of all tables made from them */
	uint64_t boot_ns, last_boot_ns; /* the same moment since boot, and in the update before; 0: none */
	uint64_t *cpu_ns;   /* what the clocks said, by index of the pid; U64_UNKNOWN: it has ended */
	size_t cpu_capacity;
	int error;          /* -errno of that */
	unsigned long updates;
	struct cgroup_cpu_time *cpu_sum; /* of the whole machine, read along with the clocks; NULL: none */
	uint64_t run_ns;    /* by which it grew since the tick before; U64_UNKNOWN */
	bool clocks;        /* times are of clocks, to the nanosecond; else of stat files, in USER_HZ */
	size_t next_turn;   /* index of the task whose turn it is to be read although it did not move */
	struct command_lines *commands;
	bool all_commands;  /* command lines also of processes that do nothing are wanted, in turn */
	bool commands_now;  /* they are wanted at once: a process is looked for by its program */
};

/* Shared by all samplers of env; each that opens it closes it. */
struct process_list *process_list_open(struct env *env);
void process_list_close(struct process_list *list);

/* Those that somebody has open; NULL when nobody has. */
struct process_list *process_list_opened(const struct env *env);

/* Brings them up to date, once per tick. 0, or -errno when the processes cannot be listed. */
int process_list_update(struct process_list *list);

/* NULL when there is none with this pid among those that live, or those that ended. */
struct process *process_list_find(const struct process_list *list, uint32_t pid);
struct process *process_list_find_exited(const struct process_list *list, uint32_t pid);

/*
 * Did what has this start begin before that moment since boot (0: none)? Seen for the first time only later
 * it was hidden or could not be read: when it used its time is not known. False where processes are not live.
 */
bool process_list_began_before(const struct process_list *list, uint64_t start_ticks, uint64_t boot_ns);

#endif
