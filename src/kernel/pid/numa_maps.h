/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/numa_maps: on which NUMA nodes the pages of each region are. */
#ifndef PANETOP_KERNEL_NUMA_MAPS_H
#define PANETOP_KERNEL_NUMA_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* A line: "7f2c80000000 default anon=513 dirty=513 N0=256 N1=257 kernelpagesize_kB=4". */
struct numa_region {
	uint64_t start;      /* address */
	uint64_t page_bytes; /* in which its pages are counted; 0: not in the line */
	struct span rest;    /* for numa_region_next() */
};

/* The next region; skips other lines. */
bool numa_maps_next(struct span *text, struct numa_region *region);

/* The next node that has pages of it; false after the last. */
bool numa_region_next(struct numa_region *region, uint64_t *node, uint64_t *pages);

#endif
