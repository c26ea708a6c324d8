/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring buffer of samples of selected numbers. */
#include <config.h>

#include "model/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

void history_open(struct history *history, const struct series *series, unsigned n_series, size_t capacity)
{
	*history = (struct history){ .n_series = n_series, .n_borrowed = n_series, .capacity = capacity };
	history->series = alloc_zeroed(n_series, sizeof(*history->series));
	if (n_series > 0)
		memcpy(history->series, series, n_series * sizeof(*series));
	history->mono_ns = alloc_zeroed(capacity, sizeof(*history->mono_ns));
	history->values = alloc_zeroed(capacity, n_series * sizeof(*history->values));
}

void history_close(struct history *history)
{
	for (unsigned i = history->n_borrowed; i < history->n_series; i++) {
		free((char *)history->series[i].topic);
		free((char *)history->series[i].row);
		free((char *)history->series[i].column);
	}
	free(history->series);
	free(history->mono_ns);
	free(history->values);
	*history = (struct history){ 0 };
}

void history_clear(struct history *history)
{
	history->first = history->count = 0;
	history->n_marks = 0;
	history->slept.n = 0;
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
	sleep_past_take(&history->slept, frame);
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

static bool same_text(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* Inserts a column into each sample; the values of the new one are unknown. */
static void widen(struct history *history)
{
	unsigned width = history->n_series;
	double *values = alloc_zeroed(history->capacity, (width + 1) * sizeof(*values));

	for (size_t i = 0; i < history->count; i++) {
		size_t at = slot(history, i);

		memcpy(values + at * (width + 1), history->values + at * width, width * sizeof(*values));
		values[at * (width + 1) + width] = NAN;
	}
	free(history->values);
	history->values = values;
}

unsigned history_follow(struct history *history, const struct series *wanted, const struct frame *frame)
{
	struct series *added;

	for (unsigned i = 0; i < history->n_series; i++)
		if (same_text(history->series[i].topic, wanted->topic) &&
		    same_text(history->series[i].row, wanted->row) &&
		    same_text(history->series[i].column, wanted->column))
			return i;
	widen(history);
	history->series =
		alloc_resize(history->series, history->n_series + 1, sizeof(*history->series));
	added = &history->series[history->n_series];
	*added = (struct series){ alloc_text(wanted->topic), wanted->row ? alloc_text(wanted->row) : NULL,
				  alloc_text(wanted->column) };
	history->n_series++;
	if (history->count > 0 && history_time(history, history->count - 1) == frame->mono_ns)
		history->values[slot(history, history->count - 1) * history->n_series + history->n_series -
				1] = frame_number(frame, added->topic, added->row, added->column);
	return history->n_series - 1;
}

long history_find(const struct history *history, uint64_t mono_ns)
{
	size_t at;

	VECTOR_BOUND(at, history->count, history_time(history, at) <= mono_ns);
	return (long)at - 1;
}

void history_resample(const struct history *history, unsigned series, uint64_t end_ns, uint64_t step_ns,
		      uint64_t hold_ns, double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t ago = (count - 1 - i) * step_ns, time = end_ns - ago;
		long found = ago <= end_ns ? history_find(history, time) : -1;

		values[i] = found >= 0 && time - history_time(history, (size_t)found) <= hold_ns
				    ? history_value(history, series, (size_t)found)
				    : NAN;
	}
}

void history_set(struct history *history, unsigned series, const struct frame *frame, double value)
{
	if (history->count > 0 && history_time(history, history->count - 1) == frame->mono_ns)
		history->values[slot(history, history->count - 1) * history->n_series + series] = value;
}

void history_rewind(struct history *history, uint64_t mono_ns)
{
	while (history->count > 0 && history_time(history, history->count - 1) > mono_ns)
		history->count--;
	while (history->n_marks > 0 && history->marks[history->n_marks - 1].mono_ns > mono_ns)
		history->n_marks--;
	sleep_past_rewind(&history->slept, mono_ns);
}

void history_forget_topic(struct history *history, const char *topic)
{
	for (unsigned s = 0; s < history->n_series; s++)
		for (size_t i = 0; i < history->count && strcmp(history->series[s].topic, topic) == 0; i++)
			history->values[slot(history, i) * history->n_series + s] = NAN;
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

uint64_t history_clock(const struct history *history, uint64_t mono_ns)
{
	return sleep_past_between_ns(&history->slept, 0, mono_ns);
}

double history_value(const struct history *history, unsigned series, size_t index)
{
	return series < history->n_series ? history->values[slot(history, index) * history->n_series + series]
					  : NAN;
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
	span->seconds = (double)(history_time(history, newest) - history_time(history, oldest)) / 1e9;
	return true;
}
