/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines of a Prometheus as one source: its frames are those of the machine that the request names, and
 * have a row for each machine, which takes one query of a few metrics for all of them.
 */
#ifndef PANETOP_FLEET_STORED_FLEET_H
#define PANETOP_FLEET_STORED_FLEET_H

#include "fleet/member.h"
#include "model/sample_request.h"

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
