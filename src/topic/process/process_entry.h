/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a process from tick to tick, and looking it up in a list. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ENTRY_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ENTRY_H

#include "kernel/pid_stat.h"
#include "sys/env.h"

#define PROCESS_NAME_MAX 64
#define PROCESS_NOT_A_SUM "%s (process name)" /* a process that goes by the name of a sum of processes */

struct process {
	uint32_t pid, uid;         /* uid: effective, UINT32_MAX when it could not be read */
	uint64_t start_ticks;      /* since boot, in USER_HZ */
	uint64_t cpu_ns;           /* since its start, of all its threads */
	uint64_t system_ns;        /* part of it, split as the ticks of its stat file are */
	uint64_t used_ns;          /* part of cpu_ns since the tick before; U64_UNKNOWN when not seen then */
	struct pid_stat stat;      /* as last read; without comm */
	bool stale;               /* it could not be read anew: stat is of an earlier tick */
	char name[PROCESS_NAME_MAX];  /* comm, NUL-terminated */
	char *command; /* arguments joined by blanks, cut when very long; NULL: not known, or none */
	size_t program_length;     /* of its first argument */
	bool ran;                /* it ran since the tick before, or is new */
	bool clock_valid;                /* cpu_ns is of this tick, and what it grew by was used in it */
	uint64_t command_tick;     /* when command was asked for last; 0: never */
	uint64_t ran_tick;
	uint64_t outside_tick;     /* when it was in the root of the control groups; ENV_NEVER */
	int stat_file;             /* see pids_read_kept() */
	double system_share;       /* of what it used when it was last seen to use anything */
	uint64_t dead_ns; /* CPU time of its threads that ended while we watched, as its clock has it */
	uint64_t children_ns;      /* of children that it waited for, as counted so far */
	uint64_t known_children_ns; /* what will come to children_ns, but was counted while they lived */
};

/* Does --pid mean it? See process_pattern_matches(). */
bool process_matches(const struct process *process, struct span list);

/* NULL when the list, which is sorted by pid, has none with this pid. */
struct process *process_in_list(struct process *const *list, size_t n_list, uint32_t pid);

struct process *process_new(uint32_t pid);
void process_free(struct process *process);

/* Is it a thread of the kernel? */
static inline bool process_is_kernel_thread(const struct process *process)
{
	return process->stat.flags & PID_FLAG_KERNEL_THREAD;
}

#endif
