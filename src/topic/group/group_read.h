/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the files of a control group, and of the machine in the place of the top one. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_READ_H
#define PANETOP_TOPIC_GROUP_GROUP_READ_H

#include "topic/disk/disk_list.h"
#include "topic/group/group_tree.h"

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
