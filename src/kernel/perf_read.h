/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a read of a group of perf events gives: counts, and for how much of the time they were counted. */
#ifndef PANETOP_KERNEL_PERF_READ_H
#define PANETOP_KERNEL_PERF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

struct perf_times {
	uint64_t enabled_ns; /* how long it should have counted */
	uint64_t running_ns; /* how long it did: less when events share the counters of the CPU */
};

/*
 * The bytes of a group read with PERF_READ_FORMAT (see core/perf.h), in the byte order of this machine:
 * the counts of its events, in the order in which they were opened. False, and nothing is set, when they
 * are not exactly a group of n_values events.
 */
bool perf_read_parse(struct span bytes, uint64_t *values, size_t n_values, struct perf_times *times);

/*
 * What would have been counted in all of the time: exact when it ran all of it, else an estimate;
 * U64_UNKNOWN when it never ran.
 */
uint64_t perf_scaled(uint64_t count, struct perf_times times);

#endif
