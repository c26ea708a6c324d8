/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates: the only place where two frames meet. */
#ifndef PANETOP_MODEL_DERIVE_H
#define PANETOP_MODEL_DERIVE_H

#include "model/frame.h"

/* Of a schema: more are not looked at. */
#define DERIVE_RATES_MAX 32
#define DERIVE_KEYS_MAX 8

/*
 * Fills the RATE columns of now and its interval_ns. Rows are joined on their KEY columns. A rate stays
 * unknown when before is NULL or lacks the row (but see from_zero of struct schema), when a value is unknown,
 * when the counter decreased and when no time passed. It changes nothing else and depends only on the two
 * frames.
 */
void frame_derive(struct frame *now, const struct frame *before);

#endif
