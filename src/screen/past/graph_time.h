/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a graph in time: one per sample while they fit, then each the same number of seconds. Where
 * there is room for more samples than the span has, a sample takes several columns. Time asleep has columns,
 * too, which are empty: moments are those of history_clock().
 */
#ifndef PANETOP_SCREEN_GRAPH_TIME_H
#define PANETOP_SCREEN_GRAPH_TIME_H

#include "model/history.h"

#define GRAPH_COLUMNS_MAX 1024

struct graph_time {
	uint64_t now_ns;     /* the newest column ends there, by history_clock() … */
	uint64_t mono_ns;    /* … and by CLOCK_MONOTONIC */
	double seconds;      /* of a column */
	double step_seconds; /* usual time between samples */
	bool by_sample;      /* a column is one sample */
	int columns;
};

/* Until mono_ns. span_seconds 0: always a column per sample. step_seconds is used as long as there is only
 * one sample. */
struct graph_time graph_time_of(const struct history *history, uint64_t mono_ns, double span_seconds,
				double step_seconds, int columns);

/* The column of a moment before now_ns, counted from the oldest; negative: too long ago. */
long graph_time_column(const struct graph_time *time, uint64_t clock_ns);

/* The last moment of a column. */
uint64_t graph_time_end(const struct graph_time *time, long column);

enum graph_fold { GRAPH_MEAN, GRAPH_MOST };

/* The values of a series, one for each column; NaN where no sample is valid. */
void graph_time_values(const struct graph_time *time, const struct history *history, unsigned series,
		       enum graph_fold fold, double *values);

#endif
