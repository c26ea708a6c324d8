/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of devices mean, in sentences that hold only where their rule does. */
#ifndef PANETOP_PANE_DISKS_DISKS_STORY_H
#define PANETOP_PANE_DISKS_DISKS_STORY_H

#include <stdbool.h>
#include <stddef.h>

/* A device in an interval; NaN: unknown, as a mean without requests is. */
struct disk_facts {
	const char *device, *kind;                   /* kind "" when unknown */
	double reads, writes;                        /* requests per second */
	double read_bytes, write_bytes, block_bytes; /* of a request, on the mean; the physical block */
	double read_wait, write_wait;                /* seconds, on the mean */
	double merged_ratio, queue, busy_ratio;
	double queued_wait, device_wait; /* of it: in the kernel, and at the device; 0: not measured */
};

/* A process that uses a device in an interval. */
struct disk_user_facts {
	const char *command;
	double pid, reads_bytes, requests, request_bytes; /* bytes read and requests per second */
};

/*
 * The sentence number index about these devices, translated; false: there are no more. Each names its
 * evidence.
 */
bool disks_story(const struct disk_facts *disks, size_t n_disks, unsigned index, char *text, size_t room);

/* The same about what a process asks of a device. */
bool disks_user_story(const struct disk_user_facts *user, const struct disk_facts *disk, char *text,
		      size_t room);

/* A file system; NaN: unknown. */
struct space_facts {
	const char *mount;
	double used_ratio, available_bytes; /* as df(1) has them */
	double inodes_used_ratio;
	double full_from, inodes_full_from; /* these shares count as full */
};

/* The same about a file system that is full; mode: "ro" cannot fill up. */
bool disks_space_story(const struct space_facts *space, const char *mode, char *text, size_t room);

#endif
