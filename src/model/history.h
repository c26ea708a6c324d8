/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The past of selected numbers, for graphs and for sentences about the last minutes. */
#ifndef PANETOP_MODEL_HISTORY_H
#define PANETOP_MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sleep.h"

#define HISTORY_MARKS_MAX 16

/* A number: of the row with this first KEY column, or of the first row if row is NULL. */
struct series {
	const char *topic, *row, *column;
	bool while_shown; /* of a pane: its topic is not sampled for it while the pane is hidden */
};

/* A marked moment, such as "caches dropped": one letter on the graph. */
struct history_mark {
	uint64_t mono_ns;
	char letter;
};

/* A ring buffer of samples. */
struct history {
	struct series *series; /* owned; the texts of those given to history_open() are borrowed */
	unsigned n_series, n_borrowed;
	size_t capacity, first, count;
	uint64_t *mono_ns;           /* of each sample */
	double *values;              /* capacity × n_series; NaN: unknown */
	struct history_mark marks[HISTORY_MARKS_MAX];
	unsigned n_marks;
	struct sleep_past slept; /* when the machine slept: gaps of a graph */
};

void history_open(struct history *history, const struct series *series, unsigned n_series, size_t capacity);
void history_close(struct history *history);
void history_clear(struct history *history);

/*
 * Index of the series with this name; if it is new, it is recorded from frame (the newest) on, and its past
 * is unknown. The texts are copied.
 */
unsigned history_follow(struct history *history, const struct series *wanted, const struct frame *frame);

/* Adds the numbers of this frame; ignores a frame that is not newer than the last one. */
void history_add(struct history *history, const struct frame *frame);

/* Replaces a value of the newest sample if that is of this frame: by a number derived from it. */
void history_set(struct history *history, unsigned series, const struct frame *frame, double value);

/* Drops what is newer than mono_ns. */
void history_rewind(struct history *history, uint64_t mono_ns);

/* Makes the past of all numbers of this topic unknown: they meant something else. */
void history_forget_topic(struct history *history, const char *topic);
void history_mark(struct history *history, uint64_t mono_ns, char letter);

/* Index 0 is the oldest sample. A series that it does not have is unknown. */
uint64_t history_time(const struct history *history, size_t index);
double history_value(const struct history *history, unsigned series, size_t index);

/* A moment on a clock that counts the time asleep, too: the axis of a graph. */
uint64_t history_clock(const struct history *history, uint64_t mono_ns);

/* Index of the newest sample at or before mono_ns; -1: none. */
long history_find(const struct history *history, uint64_t mono_ns);

/* A sample is valid for this many times the usual time between samples. */
#define HISTORY_HOLD_STEPS 1.5

/*
 * The values of a series at count moments step_ns apart, the last one at end_ns: each from the newest sample
 * before it, NaN if that is more than hold_ns old.
 */
void history_resample(const struct history *history, unsigned series, uint64_t end_ns, uint64_t step_ns,
		      uint64_t hold_ns, double *values, size_t count);

/*
 * The oldest and the newest known value of a series within [from_ns, to_ns] and the time between them. False
 * when there are not two.
 */
struct history_span {
	double first, last;
	double seconds;
};
bool history_between(const struct history *history, unsigned series, uint64_t from_ns, uint64_t to_ns,
		     struct history_span *span);

#endif
