/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/diskstats: a line per block device, its partitions after it. */
#ifndef PANETOP_KERNEL_DISKSTATS_H
#define PANETOP_KERNEL_DISKSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

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

#endif
