/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What findings remember of earlier frames: values, for their growth, and since when a rule has held. */
#ifndef PANETOP_MODEL_FINDING_PAST_H
#define PANETOP_MODEL_FINDING_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct finding_trace; /* of one value */

/* The sentence of a rule that held, when it was worst: a copy. */
struct finding_told {
	const char *subject, *text, *row; /* row: NULL: it was about the machine */
	double rank;                /* a higher one is worse; NaN: all are alike */
	uint64_t until_wall_ns;     /* CLOCK_REALTIME, up to which it was so */
};

/* In which a rule held for a row. */
struct finding_spell {
	uint64_t identity;
	unsigned rule;
	bool ended;
	uint64_t begin_ns, end_ns;           /* end: the last frame in which it held */
	uint64_t begin_wall_ns, end_wall_ns; /* CLOCK_REALTIME then */
	struct finding_told told;            /* subject NULL: nothing */
};

/* All zero is empty. Identities are those of the caller. */
struct finding_past {
	struct finding_trace *traces;
	size_t n_traces, trace_capacity, next_trace;
	struct finding_spell *spells;
	size_t n_spells, spell_capacity;
	uint64_t now_ns, before_ns; /* of frames; 0: none */
	uint64_t wall_ns;           /* CLOCK_REALTIME of now_ns */
	const struct finding_past *live; /* of all frames as they came; NULL: this is it, or there is none */
};

/* The frame of these times follows; it may be earlier than the one before. */
void finding_past_begin(struct finding_past *past, uint64_t mono_ns, uint64_t wall_ns);

/* What a value is compared with. */
struct finding_window {
	double seconds;
	bool counter;   /* one that shrank starts again */
	bool from_zero; /* unless it was seen in the frame before, it was 0 there */
	bool mean;      /* not its growth: its mean in the window, of all frames and now */
};

struct finding_growth {
	double number;       /* within the window, or since it was first seen; NaN: only now */
	double covered;      /* seconds that it is of */
	uint64_t changed_ns; /* when the value grew last, as far as that was seen; 0: not at all */
};

struct finding_growth finding_past_growth(struct finding_past *past, uint64_t identity, double now,
					  const struct finding_window *window);

/* Did it hold in the frame before this one? */
bool finding_past_held(const struct finding_past *past, uint64_t identity);

/*
 * It holds now: since begin_ns of its spell. A time that was not observed is bridged if it is short. The
 * spell is there until the next call.
 */
struct finding_spell *finding_past_hold(struct finding_past *past, uint64_t identity, unsigned rule);

/* Keeps the sentence of now, unless a worse one is there, and up to when it was so. Texts are copied. */
void finding_spell_tell(struct finding_spell *spell, const struct finding_told *told);

/* All rows of this rule were judged: what did not hold has ended. */
void finding_past_end(struct finding_past *past, unsigned rule);

/*
 * The next spell that has ended less than that many seconds ago; the newest first. NULL: there is no more.
 * at: 0 at first.
 */
const struct finding_spell *finding_past_over(const struct finding_past *past, double seconds, size_t *at);

void finding_past_empty(struct finding_past *past);
void finding_past_free(struct finding_past *past);

#endif
