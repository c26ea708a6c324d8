/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The moments of a fleet: one for all members, whose samples come at different times. Between two moments
 * each member has at most one sample, so that none is passed over.
 */
#ifndef PANETOP_FLEET_AXIS_H
#define PANETOP_FLEET_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AXIS_MOMENTS_MAX ((size_t)1 << 19) /* of a fleet that goes on: then the older half goes */

struct axis {
	uint64_t *moments; /* wall clock, ns, ascending */
	size_t n_moments, capacity;
};

/* A sample of a member. */
struct axis_sample {
	uint64_t wall_ns;
	unsigned member;
};

/* Of all samples of n_members members, in any order: they are sorted. */
void axis_make(struct axis *axis, struct axis_sample *samples, size_t n_samples, unsigned n_members);

/* Appends a moment, or the one behind the last if that is later. How many the oldest ones are that went. */
size_t axis_add(struct axis *axis, uint64_t wall_ns);

/* Index of the last moment at or before this time; 0 if all are later. */
size_t axis_find(const struct axis *axis, uint64_t wall_ns);

void axis_free(struct axis *axis);

#endif
