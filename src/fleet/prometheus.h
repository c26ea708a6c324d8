/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as Prometheus stored it, as a source of frames: a recording that is read as far as it is looked
 * at. */
#ifndef PANETOP_FLEET_PROMETHEUS_H
#define PANETOP_FLEET_PROMETHEUS_H

#include "model/source.h"

struct prometheus_api;

struct machine_clock;

struct prometheus_plan {
	const struct machine_clock *clock;
	struct prometheus_api *api; /* borrowed, as all of it */
	const char *machine;        /* label "instance" of its series */
	double step_seconds;        /* between two frames */
	double oldest;              /* as of stored_axis_open() */
	const struct schema *const *schemas;
	unsigned n_schemas;
};

/* 0; or -errno with *why, translated. */
int prometheus_open(struct source *source, const struct prometheus_plan *plan, const char **why);

/* Of such a source: the query of its machine, and where the answer about one moment is to be put. */
const char *prometheus_selector(const struct source *source);
struct stored_series **prometheus_answer(const struct source *source);
void prometheus_answered(const struct source *source, uint64_t wall_ns);

#endif
