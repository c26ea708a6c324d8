/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control groups of the machine: one tree of paths over all mounted hierarchies. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_TREE_H
#define PANETOP_TOPIC_GROUP_GROUP_TREE_H

#include "kernel/cgroup.h"
#include "sys/attribute.h"
#include "topic/disk/disk_list.h"

#define GROUP_HIERARCHIES_MAX 8

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

#define GROUP_COUNTS_NOTHING                                                                                 \
	(struct group_counters){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN }

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

struct hierarchy {
	char *point; /* where it is mounted, without a leading slash; owned */
	int version;
	unsigned controllers;  /* bits of enum group_controller, of version 1 */
	bool whole;            /* its top is the whole machine, not a container's group */
	uint64_t newest_inode; /* of its groups in the last sample; later ones have higher numbers */
};

struct group_tree {
	struct env *env; /* borrowed */
	struct hierarchy hierarchies[GROUP_HIERARCHIES_MAX];
	unsigned n_hierarchies;
	int sources[N_GROUP_CONTROLLERS]; /* the hierarchy that counts it; -1: none */
	struct group *top;
	struct group **all; /* each before those below it */
	size_t n_all, capacity;
	uint64_t n_found; /* so far */
	bool begun;       /* there was a sample */
	struct buffer names;
	const char **sorted; /* names of a directory */
	size_t n_sorted, sorted_capacity;
	char path[2 * CGROUP_PATH_MAX + CGROUP_NAME_MAX];
};

/* 0; -ENODEV: no hierarchy is mounted; -errno. */
int group_tree_open(struct group_tree *tree, struct env *env);
void group_tree_close(struct group_tree *tree);

/*
 * Looks at the directories of a group: lists those whose links have changed, adds the groups below it, and
 * marks those that are removed, or the group itself.
 */
void group_tree_look(struct group_tree *tree, struct group *group);

/* The same in the hierarchies of CPU time and memory alone, in which most groups are made. */
void group_tree_glance(struct group_tree *tree, struct group *group);

/* The next group, with those below it after each; NULL after the last. */
struct group *group_tree_next(const struct group *group);

/* Forgets the removed groups, and makes the list of all. */
void group_tree_finish(struct group_tree *tree);

/* The hierarchy that counts this, if the group is in it; -1: it is not, or there is none. */
int group_tree_hierarchy(const struct group_tree *tree, const struct group *group,
			 enum group_controller what);

/* The path of a file of the group, valid until the next call. */
const char *group_tree_path(struct group_tree *tree, const struct group *group, unsigned hierarchy,
			    const char *file);

/*
 * Of all groups, each before those below it: sums what version 1 counts for each alone, and finds the own
 * numbers. The counters of the first are then those of the groups below it and its own together, to the last
 * digit.
 */
void group_sum(struct group *const *groups, size_t n_groups);

#define GROUP_TEXT_MAX 16384 /* of a file with a line for each device */

struct group_reader {
	struct group_tree *tree; /* borrowed */
	const struct disk_list *disks;     /* borrowed; empty where they cannot be read */
	struct group_open_directory {      /* of the group that was read last, where several files are read */
		const struct group *group; /* NULL: not open */
		int hierarchy, fd;
	} open;
	uint64_t machine_kills; /* by the OOM killer, of the whole machine; U64_UNKNOWN */
	bool any_killed;        /* that grew since the last sample */
	bool counts_io;      /* false: this kernel counts I/O of version 1 only below limits */
	bool has_pressure;   /* some group has it */
	uint64_t now_ns;     /* of the sample */
	struct buffer tasks; /* of a group without the controller pids */
	char text[GROUP_TEXT_MAX];
};

/*
 * Reads the CPU time of a group, or its memory if CPU time is not counted there: true if that changed. A
 * group that is gone is marked.
 */
bool group_read_activity(struct group_reader *reader, struct group *group);

/* Reads its files with what it used. */
void group_read_use(struct group_reader *reader, struct group *group);

/* Reads its kills alone. */
void group_read_kills(struct group_reader *reader, struct group *group);

/* Is the group the whole machine, whose own files have more than the files of the group? */
bool group_is_machine(const struct group_reader *reader, const struct group *group,
		      enum group_controller what);

/* Has it a limit of CPU time, memory or I/O, as far as was read? */
bool group_has_limit(const struct group *group);

/* The same; reads those of CPU time and memory. */
bool group_read_limits(struct group_reader *reader, struct group *group);

/* Reads its limits, too, and looks for files that it did not have before. */
void group_read_all(struct group_reader *reader, struct group *group);

/* Before the groups of a sample: the machine's numbers, where the top group is the machine. */
void group_read_machine(struct group_reader *reader);

void group_reader_close(struct group_reader *reader);

#endif
