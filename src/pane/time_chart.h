/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of times: bars of a histogram, and a heat map of its last minutes on the same axis. */
#ifndef PANETOP_PANE_TIME_CHART_H
#define PANETOP_PANE_TIME_CHART_H

#include "core/histogram.h"
#include "model/frame.h"
#include "screen/canvas.h"

#define PAST_INTERVALS 4096
#define PAST_ENTRIES (1U << 18)
#define PAST_ALL UINT16_MAX

struct past_interval {
	uint64_t mono_ns; /* end of the interval */
	uint64_t first;   /* of its entries, counted since the start */
	uint32_t n_entries;
};

struct bucket_past {
	uint64_t width_ns;               /* of its buckets; 0: log-linear */
	uint64_t last_mono_ns;           /* of the previous frame */
	double measured_seconds;         /* as of that frame */
	uint64_t n_intervals, n_entries; /* since the start; only the last ones are kept */
	uint64_t oldest;                 /* oldest interval that is kept */
	struct past_interval intervals[PAST_INTERVALS];
	struct past_entry {
		uint16_t key, bucket;
		uint32_t count;
	} entries[PAST_ENTRIES];
};

/* A table of buckets: with from_seconds, and samples counted and per second. */
struct past_table {
	const char *topic, *samples, *per_second;
	uint16_t (*key)(const void *context, const struct table *table,
			const void *row); /* PAST_ALL: a sum */
	const void *context;
};

/*
 * Adds the counts since the previous frame. Frames may be repeated, and the measurement may have restarted:
 * measured_seconds then shrinks, or the buckets have another width; 0: log-linear.
 */
void past_add(struct bucket_past *past, const struct frame *frame, const struct past_table *of,
	      uint64_t width_ns, double measured_seconds);

/* Adds them to a histogram. */
void past_sum(const struct bucket_past *past, uint16_t key, uint64_t from_ns, uint64_t to_ns,
	      struct histogram *histogram);

/* The same from the counters of a frame: since the start. */
void past_since_start(const struct frame *frame, const struct past_table *of, uint16_t key,
		      struct histogram *histogram);

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
