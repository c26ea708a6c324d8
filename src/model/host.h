/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as one row: its gauges and its worst finding. */
#ifndef PANETOP_MODEL_HOST_H
#define PANETOP_MODEL_HOST_H

#include "model/frame.h"

extern const struct schema host_schema;

/* What its source knows of a machine, beside its frame. */
struct host_state {
	const char *name;            /* differs from those of other machines */
	double age_seconds;          /* of its newest sample; NaN: there is none */
	double clock_offset_seconds; /* its clock less ours; NaN: not measured */
	const char *trouble;         /* why nothing new comes from it, translated; NULL: it comes */
};

/* Marks the topics that a row is made of, by index of the schema. */
void host_want_parts(const struct schema *const *schemas, unsigned n_schemas, bool *wanted);

/* The same, if the table of hosts is wanted. */
void host_want(const struct schema *const *schemas, unsigned n_schemas, bool *wanted);

/*
 * Adds the row of a machine to the table of frame. of is its frame with rates and findings, NULL where it has
 * none.
 */
void host_add(struct frame *frame, const struct frame *of, const struct host_state *state);

/* Of all rows that were added the worst first; others keep their order. */
void host_sort(struct frame *frame);

/* Fills the table, if it was sampled, or in any case with always, with the machine that the frame is of. */
void host_derive(struct frame *frame, bool always);

#endif
