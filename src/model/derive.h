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
 * when the counter decreased, when it grew
 * by more than its ceiling and when no time passed. It changes nothing else and depends only on the two
 * frames.
 */
void frame_derive(struct frame *now, const struct frame *before);

#endif
