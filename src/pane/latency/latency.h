/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the latency pane. */
#ifndef PANETOP_PANE_LATENCY_LATENCY_H
#define PANETOP_PANE_LATENCY_LATENCY_H

#include "pane/latency/latency_past.h"
#include "pane/time_chart.h"
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

struct latency_state {
	unsigned cpu;    /* index of the CPU that is shown, or of the first of several */
	unsigned n_beside; /* CPUs that fit side by side */
	bool stopped;      /* … but its result is still there */
	struct bucket_past past;
};

#define LATENCY_SPAN_MAX 64

enum latency_phase latency_phase(const struct pane_context *context);

/* Length of the window of the charts in seconds; 0: since the start. */
double latency_window(const struct pane_context *context);

void latency_layout(struct pane_context *context, const struct canvas *canvas);
void latency_draw(const struct pane_context *context, struct canvas *canvas);

#endif
