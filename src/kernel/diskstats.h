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

struct disk_stats {
	uint64_t major, minor;
	struct span name;
	struct disk_requests reads, writes;
	uint64_t in_flight;         /* now */
	uint64_t busy_ms, queue_ms; /* with requests in flight; … weighted with their number */
	struct disk_requests discards; /* unknown before Linux 4.18 */
	uint64_t flushes, flush_ms;    /* unknown before Linux 5.5 */
};

/* The next device; skips malformed lines. */
bool disk_stats_next(struct span *text, struct disk_stats *stats);

/*
 * Is name, which comes later in the file, a partition of the device disk? The kernel adds a number, after a
 * "p" where the device's own name ends in a digit.
 */
bool disk_is_partition(struct span disk, struct span name);

/* Is its data stored by another device, or by none? In a sum with that one it would count twice. */
bool disk_is_stacked(struct span name);

#endif
