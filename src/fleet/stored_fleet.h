/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines of a Prometheus as one source: its frames are those of the machine that the request names, and
 * have a row for each machine, which takes one query of a few metrics for all of them.
 */
#ifndef PANETOP_FLEET_STORED_FLEET_H
#define PANETOP_FLEET_STORED_FLEET_H

#include "fleet/member.h"
#include "model/frame.h"
#include "model/settings.h"

/* Moments of what Prometheus stored, at equal steps up to now: half of a source whose frames they are. */

/* The state of a source begins with it. */
struct stored_axis {
	const struct machine_clock *clock; /* borrowed */
	double first, step; /* first: in seconds since 1970, a multiple of the step */
	int timer_fd;       /* readable once a step; -1: not open */
	size_t next;        /* index of the frame that is given next */
};

/*
 * oldest: when the first sample was stored, in seconds since 1970; 0: not known. 0 or -errno. The first frame
 * that is given is the last but one, which the last one needs for its rates.
 */
int stored_axis_open(struct stored_axis *axis, const struct machine_clock *clock, double step_seconds,
		     double oldest);
void stored_axis_close(struct stored_axis *axis);

size_t stored_axis_moments(const struct stored_axis *axis); /* so far */
double stored_axis_time(const struct stored_axis *axis, size_t index);
uint64_t stored_axis_ns(const struct stored_axis *axis, size_t index);

/* Makes a source of what it does itself: not next(), want(), remark() and close(). */
void stored_axis_give(struct stored_axis *axis, struct source *source);

struct stored_fleet_plan {
	struct member_plan reading;
	const char *url;                /* borrowed, as the next */
	const char *machine;            /* the only one; NULL: all that there are */
	double step_seconds;            /* between two frames */
	struct sample_request *request; /* its n_hosts is set, and host is read */
};

/* plan is borrowed. 0; or -errno with *why, translated and valid until the next call. */
int stored_fleet_open(struct source *source, const struct stored_fleet_plan *plan, const char **why);

#endif
