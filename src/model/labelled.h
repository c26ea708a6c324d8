/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of several machines as one: each row says of which it is. */
#ifndef PANETOP_MODEL_LABELLED_H
#define PANETOP_MODEL_LABELLED_H

#include "model/frame.h"

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
