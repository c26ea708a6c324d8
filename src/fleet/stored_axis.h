/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments of what Prometheus stored, at equal steps up to now: the frames of a source. */
#ifndef PANETOP_FLEET_STORED_AXIS_H
#define PANETOP_FLEET_STORED_AXIS_H

#include <stddef.h>
#include <stdint.h>

struct stored_axis {
	double first, step; /* first: in seconds since 1970, a multiple of the step */
	int timer_fd;       /* readable once a step; -1: not open */
};

int stored_axis_open(struct stored_axis *axis, double step_seconds); /* 0 or -errno */
void stored_axis_close(struct stored_axis *axis);

size_t stored_axis_moments(const struct stored_axis *axis); /* so far */
double stored_axis_time(const struct stored_axis *axis, size_t index);
uint64_t stored_axis_ns(const struct stored_axis *axis, size_t index);
size_t stored_axis_find(const struct stored_axis *axis, uint64_t wall_ns); /* the last one up to then */

/* Takes what its timer has to say. */
void stored_axis_wake(const struct stored_axis *axis);

#endif
