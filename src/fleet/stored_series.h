/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Prometheus stored of a panetop, as frames: answers of its query API are turned back into the rows that
 * they were made of. What has no metric there stays unknown.
 */
#ifndef PANETOP_FLEET_STORED_SERIES_H
#define PANETOP_FLEET_STORED_SERIES_H

#include <jansson.h>

#include "model/frame.h"

struct stored_series;

/* The schemas are borrowed. */
struct stored_series *stored_series_open(const struct schema *const *schemas, unsigned n_schemas);
void stored_series_close(struct stored_series *stored);

/* Moments of which values are wanted: n of them, from the first on, in seconds since 1970. */
struct stored_steps {
	double first, seconds;
	unsigned n;
};

/* Forgets what it had. */
void stored_series_begin(struct stored_series *stored, const struct stored_steps *steps);

/*
 * A series of an answer to query_range with these steps, if it is one of panetop's; it is a prometheus_take.
 * 0; -EMSGSIZE: they are too many, with *why.
 */
int stored_series_take(void *stored, const json_t *series, const char **why);

/* The machines that the series are of, by their label "instance"; "": one without. Until the next begin. */
size_t stored_series_machines(const struct stored_series *stored);
const char *stored_series_machine(const struct stored_series *stored, size_t machine);

#define STORED_ALL SIZE_MAX

/*
 * Adds the rows of a machine, or of STORED_ALL, that have a value at this step to a cleared frame, and sets
 * its clocks. Tables without rows there are not present. The number of values.
 */
size_t stored_series_fill(const struct stored_series *stored, size_t machine, unsigned step,
			  struct frame *frame);

#endif
