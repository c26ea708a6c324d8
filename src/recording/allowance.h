/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory a recording may take when it is read. It grows with the recording's own size, since a few
 * bytes can stand for millions of rows.
 */
#ifndef PANETOP_RECORDING_ALLOWANCE_H
#define PANETOP_RECORDING_ALLOWANCE_H

#include <stddef.h>
#include <stdint.h>

struct allowed_use;

struct allowance {
	uint64_t most, held;      /* bytes */
	struct allowed_use *uses; /* a table each, then what the owner adds */
	unsigned n_uses;
};

void allowance_open(struct allowance *allowance, unsigned n_uses);
void allowance_close(struct allowance *allowance);

/* The recording has this many bytes, or a pipe gave as many so far. */
void allowance_set_size(struct allowance *allowance, uint64_t recorded_bytes);

/* The most bytes that this use may hold: what it has, and what is left. */
uint64_t allowance_room(const struct allowance *allowance, unsigned use);

/* This use holds that many bytes now. */
void allowance_hold(struct allowance *allowance, unsigned use, uint64_t bytes);

/* Frames were cleared for the next sample, which gives back what an earlier peak took. */
void allowance_next_sample(struct allowance *allowance);

/* What a row of this many numbers and texts takes wherever it lies. */
uint64_t allowance_row_bytes(size_t cells);

/* The same of texts. */
uint64_t allowance_text_bytes(size_t bytes);

/* The sentence about what was skipped since it would take more than that; translated. */
const char *allowance_exceeded(void);

#endif
