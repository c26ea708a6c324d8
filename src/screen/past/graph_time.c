/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seconds of a column go up a ladder, and samples keep their column, so that nothing drawn moves or
 * changes.
 */
#include <config.h>

#include "screen/past/graph_time.h"

#include <math.h>

#define GAPS_MAX 9

/* Seconds of a column go through these, so that the columns stay while the time that they show grows. */
static const double ladder[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };

static double ladder_up(double seconds)
{
	double decade = pow(10, floor(log10(seconds)));

	for (unsigned i = 0; i < sizeof(ladder) / sizeof(ladder[0]); i++)
		if (ladder[i] * decade >= seconds * (1 - 1e-9))
			return ladder[i] * decade;
	return 10 * decade;
}

static double gap_after(const struct history *history, size_t index)
{
	return (double)(history_time(history, index + 1) - history_time(history, index)) / 1e9;
}

/* The median of the newest gaps: a pause or a late sample changes nothing. */
static double usual_step(const struct history *history, long newest, double otherwise)
{
	double gaps[GAPS_MAX] = { 0 };
	unsigned n_gaps = 0;

	for (long i = newest - 1; i >= 0 && n_gaps < GAPS_MAX; i--) {
		double gap = gap_after(history, (size_t)i);
		unsigned at = n_gaps++;

		for (; at > 0 && gaps[at - 1] > gap; at--)
			gaps[at] = gaps[at - 1];
		gaps[at] = gap;
	}
	return n_gaps > 0 ? gaps[n_gaps / 2] : otherwise;
}

struct graph_time graph_time_of(const struct history *history, uint64_t mono_ns, double span_seconds,
				double step_seconds, int columns)
{
	struct graph_time time = {
		.now_ns = history_clock(history, mono_ns),
		.mono_ns = mono_ns,
		.by_sample = true,
		.columns = columns,
	};
	long newest = history_find(history, mono_ns);
	double shown;

	if (time.columns > GRAPH_COLUMNS_MAX)
		time.columns = GRAPH_COLUMNS_MAX;
	time.step_seconds = usual_step(history, newest, step_seconds);
	if (!(time.step_seconds > 0))
		time.step_seconds = 1;
	time.seconds = time.step_seconds;
	if (newest < 0 || time.columns < 2 || !(span_seconds > 0))
		return time;
	if (time.step_seconds * (time.columns - 1) > span_seconds) {
		time.by_sample = false;
		time.seconds = span_seconds / (time.columns - 1);
		return time;
	}
	shown = (double)(time.now_ns - history_clock(history, history_time(history, 0))) / 1e9;
	shown = fmin(shown, span_seconds) / (time.columns - 1);
	if (shown <= time.step_seconds * 1.02)
		return time;
	time.by_sample = false;
	time.seconds = ladder_up(shown);
	return time;
}

/* Samples of one column stay together as time goes on, so that no column changes after its time. */
long graph_time_column(const struct graph_time *time, uint64_t clock_ns)
{
	double now = (double)time->now_ns / 1e9, then = (double)clock_ns / 1e9, ago;

	ago = time->by_sample ? round((now - then) / time->seconds)
			      : floor(now / time->seconds) - floor(then / time->seconds);
	return ago > time->columns ? -1 : time->columns - 1 - (long)fmax(ago, 0);
}

uint64_t graph_time_end(const struct graph_time *time, long column)
{
	double ago = (double)(time->columns - 1 - column), now = (double)time->now_ns / 1e9, end;

	end = time->by_sample ? now - (ago - 0.5) * time->seconds
			      : (floor(now / time->seconds) - ago + 1) * time->seconds;
	end -= time->seconds / 1000; /* it belongs to the next one */
	return end >= now ? time->now_ns : end > 0 ? (uint64_t)(end * 1e9) : 0;
}

/* A sample is valid a little longer than the time between samples, so that only a pause leaves a gap. */
static long columns_held(const struct graph_time *time, const struct history *history, size_t index)
{
	double gap = index > 0 ? gap_after(history, index - 1) : 0;

	return (long)(HISTORY_HOLD_STEPS * fmax(gap, time->step_seconds) / time->seconds);
}

static double folded(enum graph_fold fold, double before, double value, unsigned n_before)
{
	if (n_before == 0 || isnan(before))
		return value;
	if (isnan(value))
		return before;
	return fold == GRAPH_MOST ? fmax(before, value) : before + (value - before) / (n_before + 1);
}

static void fill_held(const struct graph_time *time, long from, long to, double value, double *values)
{
	for (long column = from < 0 ? 0 : from; column <= to && column < time->columns; column++)
		values[column] = value;
}

void graph_time_values(const struct graph_time *time, const struct history *history, unsigned series,
		       enum graph_fold fold, double *values)
{
	uint64_t shown_ns = (uint64_t)((time->columns + 2) * time->seconds * 1e9);
	long newest = history_find(history, time->mono_ns), last = -1, i;
	unsigned n_here = 0;

	for (i = 0; i < time->columns; i++)
		values[i] = NAN;
	i = time->mono_ns > shown_ns ? history_find(history, time->mono_ns - shown_ns) : 0;
	for (i = i < 0 ? 0 : i; i <= newest; i++) {
		uint64_t clock_ns = history_clock(history, history_time(history, (size_t)i));
		long column = graph_time_column(time, clock_ns);
		double value = history_value(history, series, (size_t)i);

		n_here = column == last ? n_here + 1 : 0;
		last = column;
		if (column >= 0)
			values[column] = folded(fold, values[column], value, n_here);
		fill_held(time, column + 1, column + columns_held(time, history, (size_t)i), value, values);
	}
}
