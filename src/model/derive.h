/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates: the only place where two frames meet. */
#ifndef PANETOP_MODEL_DERIVE_H
#define PANETOP_MODEL_DERIVE_H

#include "model/frame.h"

/*
 * A rate above its ceiling is unknown: the counter was read while its file was rewritten, or it was set. This
 * long the counter may be read later than the time says, as on a busy machine.
 */
#define DERIVE_LATE_SECONDS 1.0

/* CPUs of the largest kernel: the ceiling of the columns of_cpu. */
#define DERIVE_CPUS_MAX 8192

/* Of a schema: more are not looked at. */
#define DERIVE_RATES_MAX 32
#define DERIVE_KEYS_MAX 8

/*
 * Fills the RATE columns of now and its interval_ns. Rows are joined on their KEY columns. A rate stays
 * unknown when before is NULL or lacks the row (but see from_zero of struct schema), when a value is unknown,
 * when the counter decreased, when it grew by more than its ceiling and when no time passed.
 *
 * A counter that decreased is unknown in that frame, since many are 0 for a moment; now notes then
 * what it was (struct doubt), and the next rate is over both intervals. It changes nothing else and depends
 * only on the two frames.
 */
void frame_derive(struct frame *now, const struct frame *before);

/*
 * What the rates of the next frame need of an earlier one: the keys, and the columns that rates are of. The
 * rows of the earlier frame can be filled again meanwhile, and large tables are there once.
 */
struct derive_base {
	struct frame frame; /* for frame_derive(); its rows have these columns only */
	struct base_schema *schemas;
};

void derive_base_open(struct derive_base *base, const struct schema *const *schemas, unsigned n_schemas);
void derive_base_close(struct derive_base *base);

/*
 * From a frame of these schemas, in place of what it had. The texts of the frame become those of base: the
 * frame can still be read until it is cleared, and then they stay with base.
 */
void derive_base_take(struct derive_base *base, struct frame *frame);

#endif
