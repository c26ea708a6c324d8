/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The difference of two samples, B - A, as a frame of its own: rows joined on their KEY columns, numbers as
 * signed reals, texts of B, and a last column that marks rows of only one of the two.
 */
#ifndef PANETOP_MODEL_DIFFERENCE_H
#define PANETOP_MODEL_DIFFERENCE_H

#include "model/frame.h"

#define DIFFERENCE_COLUMN "change"
#define DIFFERENCE_NEW N_("new")
#define DIFFERENCE_ENDED N_("ended")

/* Schemas of differences, and memory for joins. */
struct differences;

struct differences *differences_open(const struct schema *const *schemas, unsigned n_schemas);
void differences_close(struct differences *differences);

/* In the order of those of differences_open(), for frame_open(). */
const struct schema *const *differences_schemas(const struct differences *differences);

/* That of the differences of this topic; NULL: unknown topic. */
const struct schema *differences_schema(const struct differences *differences, const char *topic);

/*
 * Replaces difference by now - before; it borrows their texts. A number is unknown where either side is, also
 * in a new or ended row; but in a table of all existing rows (from_zero) what is absent has counted, used and
 * done nothing, so that counters, rates, bytes and counts of new rows grew from 0, and rates, bytes and
 * counts of ended rows fell to 0. Rows without keys belong to no other row: their change is unknown. A table
 * of events, and a table that one sample lacks, is absent; a notice says so of the latter. same_run: both
 * are of one recording, so that their monotonic clocks give the span.
 */
void frame_difference(struct differences *differences, struct frame *difference, const struct frame *before,
		      const struct frame *now, bool same_run);

#endif
