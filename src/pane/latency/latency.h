/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the latency pane. */
#ifndef PANETOP_PANE_LATENCY_LATENCY_H
#define PANETOP_PANE_LATENCY_LATENCY_H

#include "pane/latency/latency_past.h"
#include "screen/context.h"

enum latency_table {
	LATENCY_TABLE_LATENCY,
	LATENCY_TABLE_PHASE,
	LATENCY_TABLE_BUCKET,
	LATENCY_TABLE_WORST,
	N_LATENCY_TABLES,
};

enum latency_view {
	LATENCY_VIEW_SUMMARY,
	LATENCY_VIEW_CPUS,
	LATENCY_VIEW_ONE,
	LATENCY_VIEW_NUMBERS,
	LATENCY_VIEW_BUCKETS,
	LATENCY_VIEW_WORST,
};

enum latency_phase { LATENCY_OFF, LATENCY_RUNS, LATENCY_STOPPED, LATENCY_RECORDED };

#define CHART_ROWS_MAX 64
#define HEAT_COLUMNS_MAX 512

/* Rows of a chart, the shortest time first; edges in ns. */
struct latency_axis {
	int n_rows;
	double edges[CHART_ROWS_MAX + 1]; /* row i holds edges[i] to edges[i + 1] */
	bool open;                        /* the last row also holds longer times */
};

struct latency_state {
	unsigned cpu;    /* index of the CPU that is shown, or of the first of several */
	unsigned n_beside; /* CPUs that fitted side by side in the last drawing */
	bool stopped;      /* … but its result is still there */
	struct latency_past past;
	struct histogram shown; /* scratch space for drawing */
	struct latency_heat {
		uint32_t cells[HEAT_COLUMNS_MAX][CHART_ROWS_MAX]; /* samples; the newest column first */
		uint8_t rows[HISTOGRAM_BUCKETS];                  /* of the buckets */
		uint64_t now_ns, length_ns;                       /* of a column */
		bool grouped;                                     /* several intervals share a column */
		uint32_t most;
	} heat;
};

#define LATENCY_SPAN_MAX 64

enum latency_phase latency_phase(const struct pane_context *context);

/* Length of the window of the charts in seconds; 0: since the start. */
double latency_window(const struct pane_context *context);

/* "since 06:32:09": the start of the measurement. Returns text. */
const char *latency_since(const struct pane_context *context, char text[LATENCY_SPAN_MAX]);

void latency_draw(struct pane_context *context, struct canvas *canvas);
void latency_explain(struct pane_context *context, struct buffer *out);

/* latency_chart.c */

/* An axis of at most n_rows rows that holds the histogram. */
void latency_axis_make(struct latency_axis *axis, const struct histogram *histogram, int n_rows, bool linear);

/* Samples of each row. */
void latency_axis_fill(const struct latency_axis *axis, const struct histogram *histogram,
		       double rows[CHART_ROWS_MAX]);

/* Draws rows of times, bars, counts and the percentiles that lie in them. */
void latency_bars(const struct canvas *canvas, const struct latency_axis *axis,
		  const struct histogram *histogram, bool log_counts);

/* Draws the last seconds of a CPU as a heat map beside an axis: a line of legend, the rows, a line of time.
 */
void latency_heat(struct pane_context *context, const struct canvas *canvas, const struct latency_axis *axis,
		  uint16_t cpu);

#endif
