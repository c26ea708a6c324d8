/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as one row, its gauges and its worst finding; and tables of several machines as one. */
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

#define LABELLED_COLUMN "host"

/* The same schemas, with a last KEY column LABELLED_COLUMN where they have none. */
struct labelled;

struct labelled *labelled_open(const struct schema *const *schemas, unsigned n_schemas);
void labelled_close(struct labelled *labelled); /* NULL: nothing to close */

/* In the order of those of labelled_open(), for frame_open(). */
const struct schema *const *labelled_schemas(const struct labelled *labelled);

/* The one with this name; NULL: there is none. */
const struct schema *labelled_schema(const struct labelled *labelled, const char *name);

/*
 * Adds all rows and notices of a frame of the plain schemas to one of the labelled ones, with their texts;
 * but no rows of machines. events: the rows of events alone.
 */
void labelled_add(struct frame *to, const struct frame *from, const char *host, bool events);

#endif
