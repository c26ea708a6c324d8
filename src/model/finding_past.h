/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What findings remember of earlier frames: values, for their growth, and since when a rule has held. */
#ifndef PANETOP_MODEL_FINDING_PAST_H
#define PANETOP_MODEL_FINDING_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct finding_trace; /* of one value */
struct finding_spell; /* in which a rule held for a row */

/* All zero is empty. Identities are those of the caller. */
struct finding_past {
	struct finding_trace *traces;
	size_t n_traces, trace_capacity, next_trace;
	struct finding_spell *spells;
	size_t n_spells, spell_capacity;
	uint64_t now_ns, before_ns; /* of frames; 0: none */
	const struct finding_past *live; /* of all frames as they came; NULL: this is it, or there is none */
};

/* The frame of this time follows; it may be earlier than the one before. */
void finding_past_begin(struct finding_past *past, uint64_t mono_ns);

/*
 * The growth of this value within the last window_seconds, or since it was first seen; NaN: only now. A
 * counter that shrank starts again. from_zero: unless it was seen in the frame before, it was 0 there.
 */
double finding_past_growth(struct finding_past *past, uint64_t identity, double now, double window_seconds,
			   bool counter, bool from_zero);

/* It holds now: for how long, in seconds? A time that was not observed is bridged if it is short. */
double finding_past_since(struct finding_past *past, uint64_t identity, unsigned rule);

/* All rows of this rule were judged: what did not hold has ended. */
void finding_past_end(struct finding_past *past, unsigned rule);

void finding_past_empty(struct finding_past *past);
void finding_past_free(struct finding_past *past);

#endif
