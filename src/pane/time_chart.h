/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of times: bars of a histogram, and a heat map of its last minutes on the same axis. */
#ifndef PANETOP_PANE_TIME_CHART_H
#define PANETOP_PANE_TIME_CHART_H

#include "pane/bucket_past.h"
#include "screen/canvas.h"

#define CHART_ROWS_MAX 64

/* Rows of a chart, the shortest time first; edges in ns. */
struct time_axis {
	int n_rows;
	double edges[CHART_ROWS_MAX + 1]; /* row i holds edges[i] to edges[i + 1] */
	bool open;                        /* the last row also holds longer times */
};

/* An axis of at most n_rows rows that holds the histogram. */
void time_axis_make(struct time_axis *axis, const struct histogram *histogram, int n_rows, bool linear);

/* Draws rows of times, bars, counts and the percentiles that lie in them. */
void time_bars(const struct canvas *canvas, const struct time_axis *axis, const struct histogram *histogram,
	       bool log_counts);

/* What is drawn: the samples of a key until now, in intervals of step_seconds; unit is translated. */
struct heat_of {
	const struct bucket_past *past;
	uint16_t key;
	uint64_t now_ns;
	double step_seconds;
	const char *unit; /* "wake-ups per cell" */
};

/* Draws a heat map beside an axis: a line of legend, the rows, a line of time. */
void time_heat(const struct canvas *canvas, const struct time_axis *axis, const struct heat_of *of);

#endif
