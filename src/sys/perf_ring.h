/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring that the kernel writes the records of perf events of one CPU into, and this program reads. */
#ifndef PANETOP_SYS_PERF_RING_H
#define PANETOP_SYS_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

struct perf_ring {
	void *mapping; /* NULL: none; its first page is the kernel's */
	size_t bytes;  /* of the data, a power of two */
};

/*
 * Maps the ring of this event; bytes is rounded down to a power of two. 0 or -errno: -EPERM when locked
 * memory is limited to less.
 */
int perf_ring_open(struct perf_ring *ring, int event, size_t bytes);
void perf_ring_close(struct perf_ring *ring);

/* Lets another event of the same CPU write into the ring of this one. 0 or -errno. */
int perf_ring_join(int event, int owner);

/*
 * Copies what has come since the last time into room, which has ring->bytes bytes, and gives the ring free:
 * the whole records.
 */
struct span perf_ring_take(struct perf_ring *ring, char *room);

/* Records that this event could not write since it was opened; U64_UNKNOWN before Linux 6.0. */
uint64_t perf_lost(int event);

#endif
