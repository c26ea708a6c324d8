/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/mounts, mountinfo, diskstats and locks: file systems, the disks below them, who holds a file. */
#ifndef PANETOP_KERNEL_MOUNTS_H
#define PANETOP_KERNEL_MOUNTS_H

#include "core/span.h"

/* /proc/mounts: where file systems of a type are mounted. */

/* The directory of the first mount of this type, with "\040" for blanks. False when there is none. */
bool mounts_find(struct span text, const char *type, struct span *directory);

/*
 * The value of an option, "2" for "hidepid=2", of the topmost mount of this type at directory. False without
 * such a mount or option.
 */
bool mounts_option(struct span text, const char *type, const char *directory, const char *option,
		   struct span *value);

/* /proc/PID/mountinfo: a line per mount, as that process sees them. */
struct mount_info {
	uint64_t id, parent;
	uint64_t device;   /* of the file system: major << 32 | minor */
	struct span root;  /* the directory of the file system that is mounted; escaped, as all texts here */
	struct span point; /* where */
	struct span type, source;
	struct span options; /* of the file system: "rw,cpu,cpuacct"; empty: none */
	bool read_only;  /* the file system: where only the mount is, it can be written to elsewhere */
	bool is_written; /* by this mount: neither is read-only */
};

/* The next mount; skips malformed lines. */
bool mountinfo_next(struct span *text, struct mount_info *info);

/* Takes the next byte of a text that is not empty, or of its escape. */
char mountinfo_byte(struct span *escaped);

/*
 * A new string, with "\040" and other octal escapes as bytes. Escaped zeros and malformed escapes are kept
 * unchanged.
 */
char *mountinfo_text(struct span escaped);

/* /proc/diskstats: a line per block device, its partitions after it. */
#define DISK_SECTOR_BYTES 512 /* of this file, whatever the device has */

/* Requests of one direction, since the device appeared. */
struct disk_requests {
	uint64_t completed, merged, sectors, milliseconds; /* the last: the sum of the time each took */
};

#define DISK_COUNTERS 16

struct disk_stats {
	uint64_t major, minor;
	struct span name;
	uint64_t in_flight; /* now */
	union {
		struct {
			struct disk_requests reads, writes;
			struct disk_requests discards; /* unknown before Linux 4.18 */
			uint64_t busy_ms, queue_ms; /* with requests in flight; … times their number */
			uint64_t flushes, flush_ms; /* unknown before Linux 5.5 */
		};
		uint64_t counters[DISK_COUNTERS];
	};
};

/* The next device; skips malformed lines. */
bool disk_stats_next(struct span *text, struct disk_stats *stats);

/*
 * Is name, which comes later in the file, a partition of the device disk? The kernel adds a number, after a
 * "p" where the device's own name ends in a digit.
 */
bool disk_is_partition(struct span disk, struct span name);

/* By its name: does another device store its data, or memory? For devices of which sysfs says nothing. */
bool disk_is_stacked(struct span name);

/* Is it one of the paths to an NVMe disk, as nvme0c1n2 is to nvme0n2? head: the name of that one. */
#define DISK_HEAD_MAX 48
bool disk_path_head(struct span name, char head[DISK_HEAD_MAX]);

/* /proc/locks: who holds the lock of a file that a process waits for (fs/locks.c, locks_show()). */

/*
 * The process that took the lock for which pid waits: it, or who has inherited the open file from it, holds
 * it. False: pid waits for none, or the holder is not one process of this PID namespace, such as that of a
 * lock of an open file description.
 */
bool file_locks_holder(struct span text, uint64_t pid, uint64_t *holder);

#endif
