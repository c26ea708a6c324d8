/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of samples of chosen numbers. */
#include <config.h>

#include "model/history.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"

void history_open(struct history *history, const struct series *series, unsigned n_series, size_t capacity)
{
	*history = (struct history){ .series = series, .n_series = n_series, .capacity = capacity };
	history->mono_ns = alloc_zeroed(capacity, sizeof(*history->mono_ns));
	history->values = alloc_zeroed(capacity, n_series * sizeof(*history->values));
}

void history_close(struct history *history)
{
	free(history->mono_ns);
	free(history->values);
	*history = (struct history){ 0 };
}

void history_clear(struct history *history)
{
	history->first = history->count = 0;
	history->n_marks = 0;
}

static size_t slot(const struct history *history, size_t index)
{
	return (history->first + index) % history->capacity;
}

void history_add(struct history *history, const struct frame *frame)
{
	size_t at;

	if (history->count > 0 && frame->mono_ns <= history_time(history, history->count - 1))
		return;
	if (history->count == history->capacity)
		history->first = slot(history, 1);
	else
		history->count++;
	at = slot(history, history->count - 1);
	history->mono_ns[at] = frame->mono_ns;
	for (unsigned i = 0; i < history->n_series; i++) {
		const struct series *series = &history->series[i];

		history->values[at * history->n_series + i] =
			frame_number(frame, series->topic, series->row, series->column);
	}
}

void history_rewind(struct history *history, uint64_t mono_ns)
{
	while (history->count > 0 && history_time(history, history->count - 1) > mono_ns)
		history->count--;
	while (history->n_marks > 0 && history->marks[history->n_marks - 1].mono_ns > mono_ns)
		history->n_marks--;
}

void history_mark(struct history *history, uint64_t mono_ns, char letter)
{
	if (history->n_marks == HISTORY_MARKS_MAX) {
		for (unsigned i = 1; i < HISTORY_MARKS_MAX; i++)
			history->marks[i - 1] = history->marks[i];
		history->n_marks--;
	}
	history->marks[history->n_marks++] = (struct history_mark){ .mono_ns = mono_ns, .letter = letter };
}

uint64_t history_time(const struct history *history, size_t index)
{
	return history->mono_ns[slot(history, index)];
}

double history_value(const struct history *history, unsigned series, size_t index)
{
	return history->values[slot(history, index) * history->n_series + series];
}

bool history_between(const struct history *history, unsigned series, uint64_t from_ns, uint64_t to_ns,
		     struct history_span *span)
{
	size_t oldest = history->count, newest = 0;

	for (size_t i = 0; i < history->count; i++) {
		uint64_t time = history_time(history, i);

		if (time < from_ns || time > to_ns || isnan(history_value(history, series, i)))
			continue;
		if (oldest == history->count)
			oldest = i;
		newest = i;
	}
	if (oldest >= newest)
		return false;
	span->first = history_value(history, series, oldest);
	span->last = history_value(history, series, newest);
	span->seconds = (double)(history_time(history, newest) - history_time(history, oldest)) * 1e-9;
	return true;
}
