/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of groups of perf events: counts, and how long they were counted. */
#ifndef PANETOP_KERNEL_PERF_READ_H
#define PANETOP_KERNEL_PERF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

struct perf_times {
	uint64_t enabled_ns; /* how long the group was enabled */
	uint64_t running_ns; /* how long it counted: less when events share the counters of the CPU */
};

/*
 * The counts of a group that was read with PERF_READ_FORMAT (see sys/perf_ring.h), in the order in which the
 * events were opened. False, and nothing is set, unless bytes are exactly a group of n_values events.
 */
bool perf_read_parse(struct span bytes, uint64_t *values, size_t n_values, struct perf_times *times);

/*
 * The count scaled to the time enabled: exact when the group ran all of it, else an estimate; U64_UNKNOWN
 * when it never ran.
 */
uint64_t perf_scaled(uint64_t count, struct perf_times times);

#endif
