/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The past of chosen numbers, for graphs and for sentences about the last minutes. */
#ifndef PANETOP_MODEL_HISTORY_H
#define PANETOP_MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

#define HISTORY_MARKS_MAX 16

/* Which number: of the row named row (by its first KEY column), or of the first row when row is NULL. */
struct series {
	const char *topic, *row, *column;
};

/* A moment to remember, such as "caches dropped": one letter on the graph. */
struct history_mark {
	uint64_t mono_ns;
	char letter;
};

/* A ring of samples, oldest overwritten. */
struct history {
	struct series *series; /* owned; the texts of those that were given to history_open() are borrowed */
	unsigned n_series, n_borrowed;
	size_t capacity, first, count;
	uint64_t *mono_ns;           /* of each sample */
	double *values;              /* capacity × n_series; NaN: not known then */
	struct history_mark marks[HISTORY_MARKS_MAX];
	unsigned n_marks;
};

void history_open(struct history *history, const struct series *series, unsigned n_series, size_t capacity);
void history_close(struct history *history);
void history_clear(struct history *history);

/*
 * Index of a series that is named like this, followed from frame (the newest) on if it was not followed
 * before; the texts are copied. The past of one that is new is not known.
 */
unsigned history_follow(struct history *history, const struct series *wanted, const struct frame *frame);

/* Adds the numbers of this frame; a frame not newer than the last one is ignored. */
void history_add(struct history *history, const struct frame *frame);

/* Forgets what is newer than mono_ns. */
void history_rewind(struct history *history, uint64_t mono_ns);
void history_mark(struct history *history, uint64_t mono_ns, char letter);

/* Index 0 is the oldest sample that is kept. */
uint64_t history_time(const struct history *history, size_t index);
double history_value(const struct history *history, unsigned series, size_t index);

/* Index of the newest sample that is not newer than this; -1 when there is none. */
long history_find(const struct history *history, uint64_t mono_ns);

/* So many times the usual time between samples one stands for what followed it. */
#define HISTORY_HOLD_STEPS 1.5

/*
 * The values of a series at count moments that are step_ns apart, the last one at end_ns: each that of the
 * newest sample before it, NaN when that is more than hold_ns old.
 */
void history_resample(const struct history *history, unsigned series, uint64_t end_ns, uint64_t step_ns,
		      uint64_t hold_ns, double *values, size_t count);

/*
 * The oldest and the newest known value of a series within [from_ns, to_ns] and the time between them.
 * False when there are not two.
 */
struct history_span {
	double first, last;
	double seconds;
};
bool history_between(const struct history *history, unsigned series, uint64_t from_ns, uint64_t to_ns,
		     struct history_span *span);

#endif
