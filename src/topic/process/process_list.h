/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of the machine, updated once per tick for all topics that use them. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_LIST_H
#define PANETOP_TOPIC_PROCESS_PROCESS_LIST_H

#include "core/hash.h"
#include "model/settings.h"
#include "sys/env.h"
#include "topic/process/process_entry.h"
#include "topic/reader.h"

struct process_list {
	struct env *env;           /* borrowed */
	struct pool pool;          /* of all processes below */
	struct process **all;      /* sorted by pid */
	size_t n_all, capacity;
	struct process **previous; /* room for the next update; the same capacity */
	size_t n_previous;         /* not 0 only during an update */
	struct process **exited;   /* since the previous tick, by pid; a reused pid counts as an exit */
	size_t n_exited, exited_capacity;
	size_t n_denied;           /* processes whose stat file may not be read */
	size_t n_failed;           /* processes whose stat file could not be read for another reason */
	int failure;               /* -errno: the last such reason */
	size_t n_missing;          /* of both: not in all, because they were never read before */
	size_t n_found_ended;      /* new with found_ended */
	size_t n_appeared;         /* in all; older than the previous tick, but not seen then */
	uint64_t tick;             /* of the last update */
	uint64_t mono_ns;          /* when its clocks were read: the time of all tables made from them */
	uint64_t last_ns;          /* the same in the previous update; 0: none */
	uint64_t boot_ns, last_boot_ns; /* the same since boot, now and in the previous update; 0: none */
	uint64_t *cpu_ns;          /* clocks, in the order of the listed pids; U64_UNKNOWN: exited */
	size_t cpu_capacity;
	uint64_t *marks;           /* in the order of cpu_ns: struct bpf_walked; 0: unknown */
	size_t mark_capacity;
	struct trace_set *walk;    /* reads all clocks at once; owned; NULL: not tried, or it cannot … */
	bool walk_tried;           /* … */
	bool walked;               /* in this update: marks say what has changed */
	struct hash walked_at;     /* of its processes, where they are not by pid */
	void (*clocks_read)(void *context); /* called right after them, before files are read; NULL: not */
	void *clocks_context;
	int error;                 /* -errno of the last update */
	unsigned long updates;
	struct cgroup_cpu_time *cpu_sum; /* of the whole machine, read along with the clocks; NULL: none */
	uint64_t run_ns;           /* growth of cpu_sum since the previous tick; U64_UNKNOWN */
	bool clocks;               /* times come from clocks, in nanoseconds; else from stat, in USER_HZ */
	uint32_t next_turn;        /* the least pid that is read next although it did not run */
	const struct sample_request *request; /* whose visible processes are read, too, and whose scope is
						 fed; borrowed; NULL: none */
	uint64_t io_tick, wait_tick; /* of the last process_io_update(), process_wait_update() */
	size_t n_io_denied, n_io_unread; /* unread: they wait for their turn */
	struct thread_wait *wait_room; /* for the threads of a process; owned */
	size_t wait_capacity;
	struct command_lines *commands;
	bool all_commands;         /* idle processes need their command lines, too, in turn */
	bool groups;               /* control groups are wanted */
	bool of_scope;             /* process_scope_find() has it open */
	struct scope_containers *containers; /* NULL: no scope has named one; owned */
	bool scoped;               /* some may be outside of the scope */
	bool commands_now;         /* all command lines are needed at once: --pid names a program */
};

/* Fails when the processes cannot be listed. */
extern const struct reader process_reader;

/* Control groups that were not wanted so far, of this process alone; 0: of all. */
void process_list_read_groups(struct process_list *list, uint32_t pid);

/* Its control group as of this tick; NULL: unknown. Process keeps it. */
const char *process_list_group(struct process_list *list, struct process *process);

/* NULL: no process with this pid is alive, or has exited since the previous tick. */
struct process *process_list_find(const struct process_list *list, uint32_t pid);
struct process *process_list_find_exited(const struct process_list *list, uint32_t pid);

/*
 * Whether a process or thread with this start existed at boot_ns (0: never). If it is first seen later it was
 * hidden or unreadable, and when it used its CPU time is unknown. False where processes are not live.
 */
bool process_list_existed_at(const struct process_list *list, uint64_t start_ticks, uint64_t boot_ns);

#endif
