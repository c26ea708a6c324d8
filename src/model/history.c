/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring buffer of samples of selected numbers. */
#include <config.h>

#include "model/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "model/finding.h"
#include "model/rule.h"

#define SECONDS_MAX 4e9                           /* a recording may say anything */
#define SLEPT_MAX_NS UINT64_C(100000000000000000) /* three years: the sum of spans is a time, too */

struct sleep_span sleep_of_frame(const struct frame *frame)
{
	const struct table *table = frame_table(frame, SLEEP_TOPIC);
	double slept = 0, set = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *kind = table_text(table, row, "kind");
		double seconds = table_number(table, row, "seconds");

		if (strcmp(kind, SLEEP_SUSPEND) == 0 && seconds > 0)
			slept += seconds;
		else if (strcmp(kind, SLEEP_CLOCK) == 0 && !isnan(seconds))
			set += seconds;
	}
	return (struct sleep_span){
		.mono_ns = frame->mono_ns,
		.slept_ns = slept < SLEPT_MAX_NS / 1e9 ? (uint64_t)(slept * 1e9) : 0,
		.set_ns = fabs(set) < SECONDS_MAX ? (int64_t)(set * 1e9) : 0,
	};
}

void sleep_past_take(struct sleep_past *past, const struct frame *frame)
{
	struct sleep_span span = sleep_of_frame(frame);

	if ((span.slept_ns == 0 && span.set_ns == 0) ||
	    (past->n > 0 && span.mono_ns <= past->spans[past->n - 1].mono_ns))
		return;
	if (past->n == SLEEP_SPANS_MAX) {
		uint64_t slept_ns = past->spans[1].slept_ns + past->spans[0].slept_ns;

		past->spans[1].slept_ns = slept_ns < SLEPT_MAX_NS ? slept_ns : SLEPT_MAX_NS;
		past->spans[1].set_ns =
			(int64_t)((uint64_t)past->spans[1].set_ns + (uint64_t)past->spans[0].set_ns);
		memmove(past->spans, past->spans + 1, --past->n * sizeof(past->spans[0]));
	}
	past->spans[past->n++] = span;
}

void sleep_past_rewind(struct sleep_past *past, uint64_t mono_ns)
{
	while (past->n > 0 && past->spans[past->n - 1].mono_ns > mono_ns)
		past->n--;
}

uint64_t sleep_past_between_ns(const struct sleep_past *past, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t between_ns = to_ns - from_ns;

	for (unsigned i = past->n; i-- > 0 && past->spans[i].mono_ns > from_ns;)
		if (past->spans[i].mono_ns <= to_ns)
			between_ns += past->spans[i].slept_ns;
	return between_ns;
}

uint64_t sleep_past_wall_ns(const struct sleep_past *past, const struct frame *frame, uint64_t awake_ns)
{
	uint64_t from_ns = awake_ns < frame->mono_ns ? frame->mono_ns - awake_ns : 0;
	double ago_ns = (double)awake_ns;

	for (unsigned i = past->n; i-- > 0 && past->spans[i].mono_ns > from_ns;)
		if (past->spans[i].mono_ns <= frame->mono_ns)
			ago_ns += (double)past->spans[i].slept_ns + (double)past->spans[i].set_ns;
	if (ago_ns < 0)
		return frame->wall_ns + (uint64_t)fmin(-ago_ns, SECONDS_MAX * 1e9);
	return ago_ns < (double)frame->wall_ns ? frame->wall_ns - (uint64_t)ago_ns : 0;
}

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
		history_set(history, history->n_series - 1, frame,
			    frame_number(frame, added->topic, added->row, added->column));
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
		history->n_marks--;
		memmove(history->marks, history->marks + 1, history->n_marks * sizeof(*history->marks));
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

#define SECOND_NS UINT64_C(1000000000)
#define SAME_NS (2 * SECOND_NS) /* the clocks drift apart */

/* The oldest that is not of the user; one of the user only when no other is left. */
static void drop_one(struct marks *marks)
{
	unsigned oldest = 0;

	while (oldest < marks->n && marks->list[oldest].kind == MARK_USER)
		oldest++;
	if (oldest == marks->n)
		oldest = 0;
	memmove(&marks->list[oldest], &marks->list[oldest + 1], (--marks->n - oldest) * sizeof(*marks->list));
}

static struct mark *add(struct marks *marks, uint64_t wall_ns, enum mark_kind kind, uint64_t finding)
{
	if (marks->n == MARKS_MAX)
		drop_one(marks);
	marks->list[marks->n++] = (struct mark){ wall_ns, kind, finding, false };
	return &marks->list[marks->n - 1];
}

void marks_add(struct marks *marks, uint64_t wall_ns)
{
	add(marks, wall_ns, MARK_USER, 0);
}

/* The mark, which may be there already. */
static struct mark *add_once(struct marks *marks, uint64_t wall_ns, enum mark_kind kind, uint64_t finding)
{
	for (unsigned i = 0; i < marks->n; i++) {
		uint64_t there_ns = marks->list[i].wall_ns;
		uint64_t apart_ns = there_ns > wall_ns ? there_ns - wall_ns : wall_ns - there_ns;

		if (marks->list[i].kind == kind && marks->list[i].finding == finding && apart_ns <= SAME_NS)
			return &marks->list[i];
	}
	return add(marks, wall_ns, kind, finding);
}

/* Rules of the user that fired. */
static void take_firings(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, FIRING_TOPIC);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		uint64_t rule = hash_bytes(HASH_SEED, span_text(table_text(table, row, "rule"))) | 1;

		add_once(marks, table_u64(table, row, "time"), MARK_FINDING, rule);
	}
}

/* A sleep where it began, a set clock where it is now. */
static void take_sleeps(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, SLEEP_TOPIC);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		bool slept = strcmp(table_text(table, row, "kind"), SLEEP_SUSPEND) == 0;

		add_once(marks, table_u64(table, row, slept ? "from_time" : "time"),
			 slept ? MARK_SLEEP : MARK_CLOCK, 0);
	}
	sleep_past_take(&marks->slept, frame);
}

/* The number of the stretch that has this time; n_stretches: none does. */
static unsigned find_stretch(const struct marks *marks, uint64_t wall_ns)
{
	unsigned i = 0;

	while (i < marks->n_stretches &&
	       (wall_ns < marks->stretches[i].from_ns || wall_ns > marks->stretches[i].to_ns))
		i++;
	return i;
}

bool marks_know(const struct marks *marks, uint64_t wall_ns)
{
	return find_stretch(marks, wall_ns) < marks->n_stretches;
}

/* The first frame of a stretch, which one that is there may have. */
static void begin_stretch(struct marks *marks, const struct frame *frame)
{
	marks->stretch = find_stretch(marks, frame->wall_ns);
	if (marks->stretch < marks->n_stretches)
		return;
	if (marks->n_stretches == MARKS_STRETCHES_MAX)
		memmove(marks->stretches, marks->stretches + 1,
			--marks->n_stretches * sizeof(*marks->stretches));
	marks->stretch = marks->n_stretches++;
	marks->stretches[marks->stretch] =
		(struct stretch_judged){ frame->wall_ns - frame->interval_ns, frame->wall_ns };
}

void marks_take(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, finding_schema.name);

	if (frame->interval_ns == 0)
		marks->slept.n = 0; /* its clocks may be those of another boot */
	take_firings(marks, frame);
	take_sleeps(marks, frame);
	if (frame->interval_ns == 0 || (!table && frame->mono_ns - marks->last_ns > FINDINGS_REST_NS))
		marks->first_ns = 0;
	if (!table || frame->interval_ns == 0)
		return;
	if (marks->first_ns == 0) {
		marks->first_ns = frame->mono_ns;
		begin_stretch(marks, frame);
	}
	marks->last_ns = frame->mono_ns;
	if (marks->stretches[marks->stretch].to_ns < frame->wall_ns)
		marks->stretches[marks->stretch].to_ns = frame->wall_ns;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		uint64_t rule = hash_bytes(HASH_SEED, span_text(table_text(table, row, "rule")));
		uint64_t finding = hash_bytes(rule, span_text(table_text(table, row, "row"))) | 1;
		uint64_t since_ns = (uint64_t)(table_number(table, row, "since_seconds") * 1e9);
		const char *severity = table_text(table, row, "severity");
		struct mark *mark;

		/* what is merely busy, or over, needs no mark */
		if (strcmp(severity, "note") == 0 || frame->mono_ns <= marks->first_ns + SAME_NS + since_ns)
			continue;
		mark = add_once(marks, sleep_past_wall_ns(&marks->slept, frame, since_ns), MARK_FINDING,
				finding);
		mark->is_critical |= strcmp(severity, "critical") == 0;
	}
}
