/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A control group as it is kept between samples. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_ENTRY_H
#define PANETOP_TOPIC_GROUP_GROUP_ENTRY_H

#include "kernel/cgroup.h"
#include "sys/attribute.h"
#include "sys/env.h"

#define GROUP_HIERARCHIES_MAX 8
#define GROUP_KILLED_MAX 64

/* What a hierarchy counts. Version 2 has all that is enabled there. */
enum group_controller {
	GROUP_CPUACCT,
	GROUP_CPU,
	GROUP_MEMORY,
	GROUP_BLKIO,
	GROUP_PIDS,
	GROUP_NAMED,    /* of systemd, without a controller */
	GROUP_PRESSURE, /* version 2 alone */
	GROUP_TASKS,    /* no controller: which tasks there are, any hierarchy knows */
	N_GROUP_CONTROLLERS,
};

/* Counters and levels of a group with all groups below it; U64_UNKNOWN and NaN: not known. */
struct group_counters {
	uint64_t cpu_ns, read_bytes, write_bytes, refaults, oom_kills;
};

struct group_levels {
	uint64_t memory, anonymous, file, kernel, tasks;
};

/*
 * Processes killed because memory of a group was at its limit. An allocation that fails there is what tells
 * them from those that were killed because the machine ran out, which the kernel counts in oom_kills, too.
 */
struct group_kills {
	uint64_t failed,
		own_failed; /* allocations that failed at limits: here and below, at its own; as read */
	uint64_t last_kills, last_failed, last_own_failed; /* in the last sample; U64_UNKNOWN: not yet */
	uint64_t waiting, own_waiting; /* failed, in the sample before, and nothing was killed yet */
	bool counted_before;                               /* it was first seen with what it had counted */
	uint64_t below, failed_below;                      /* growth of the groups below it in this sample */
	char killed[GROUP_KILLED_MAX]; /* name and pid of the last one at its own limit; empty: not known */
	uint64_t at_own, at_any; /* at its own limit, and at those of all groups below it, since the first
				  * sample */
};

struct group_limits {
	double cpus; /* NaN: none */
	uint64_t memory, tasks, periods, throttled_periods, throttled_ns;
};

/*
 * A limit of a device. What is counted over it, as version 1 counts what is still held back, is queued: the
 * device is used at its limit until all of that could have passed.
 */
struct group_io_limit {
	uint64_t device; /* as the kernel has it, see disk_list.h */
	enum cgroup_io_kind kind;
	uint64_t each_second; /* bytes or requests */
	uint64_t seen;        /* its counter in the last sample; U64_UNKNOWN: not yet */
	double queued_seconds;
};

#define GROUP_IO_LIMITS_MAX 16

struct group_io {
	struct group_io_limit limits[GROUP_IO_LIMITS_MAX];
	unsigned n_limits;
	unsigned nearest;      /* index of the one that was used most since the last sample */
	double used_seconds;   /* sum of times in which one was in use; NaN: there is none */
	uint64_t read_ns;      /* when its counters were read; 0: not yet */
	uint64_t waiting;      /* own tasks that wait for a disk, as seen now; U64_UNKNOWN: not looked for */
};

struct group {
	struct group *parent, *first, *next; /* children by name */
	char *path;                          /* "/a/b", of the top "/"; owned */
	const char *last;                    /* the part after the last slash */
	char *name;                          /* owned */
	enum cgroup_kind kind;
	enum container_engine engine;
	char id[CONTAINER_ID_LENGTH + 1]; /* of a container whose name is not known yet; else empty */
	unsigned n_name_tries;
	unsigned in;     /* bits of the hierarchies that have it */
	uint64_t serial; /* 1, 2, … as they were found */
	struct group_directory {
		uint64_t inode, n_links; /* when it was listed; 0: not yet */
	} directories[GROUP_HIERARCHIES_MAX];

	struct attribute cpu_file, memory_file;
	unsigned absent;  /* bits of files that it does not have */
	uint64_t read_ns; /* when its files were read; 0: not yet */
	bool waits;       /* of its files only some were read: its turn comes */
	bool removed;
	bool old;    /* it was there before it was first seen, or is another one: the growth of its
		      * counters is not known */
	unsigned scope_epoch; /* of the scope in which it was looked for; 0: none */
	bool tops_scope;      /* it is one of its topmost groups */
	bool tasks_apart;     /* it is not where tasks are counted: they are tasks of other groups, too */
	bool active; /* it used CPU time since the last sample */

	struct group_counters counters; /* as read */
	struct group_levels levels;
	struct group_limits limits;
	struct group_kills kills;
	uint64_t caches, swap;
	struct group_io *io;               /* NULL: it never had a limit of I/O; owned */
	double stalled[3];                 /* seconds that tasks waited for CPU, memory, disks */
	uint64_t own_oom_kills, own_tasks; /* of version 1: without the groups below */

	bool below_waits;            /* some group below it waits: sums of them are not known */
	struct group_counters below; /* sums of the groups below it */
	struct group_levels below_levels;
	struct group_counters gone; /* what groups below it had counted when they were removed */
	struct group_counters own;  /* of its own tasks */
	struct group_levels own_levels;
};

/* Nothing is known of it yet. */
void group_clear(struct group *group);

/* Its counters of this controller start again: its parent keeps what they were, which is then not its own. */
void group_restart(struct group *group, enum group_controller what);

void group_free(struct group *group, struct env *env);

#endif
