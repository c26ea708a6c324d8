/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine in a few lines: a gauge for each resource, charts of the last minutes, and each CPU. */
#ifndef PANETOP_PANE_OVERVIEW_OVERVIEW_GAUGE_H
#define PANETOP_PANE_OVERVIEW_OVERVIEW_GAUGE_H

#include "pane/common.h"

#define OVERVIEW_GAUGES_MAX 9

/* Of the pane's history. */
enum overview_series {
	OVERVIEW_SERIES_BUSY,
	OVERVIEW_SERIES_USED,
	OVERVIEW_SERIES_LOAD,
	OVERVIEW_SERIES_DISK,
	OVERVIEW_SERIES_READ, /* from disks … */
	OVERVIEW_SERIES_WRITTEN,
	OVERVIEW_SERIES_NETWORK, /* … and interfaces: what they receive */
	OVERVIEW_SERIES_SENT,
	OVERVIEW_SERIES_POWER,
	OVERVIEW_SERIES_GPU,
	OVERVIEW_SERIES_SCOPE_CPU,
	OVERVIEW_SERIES_SCOPE_MEMORY,
	OVERVIEW_SERIES_SCOPE_READ,
	OVERVIEW_SERIES_CONTAINER_CPU,
	OVERVIEW_SERIES_CONTAINER_MEMORY,
	OVERVIEW_SERIES_EMPTY, /* below 0: a bit for each list that has no rows */
	OVERVIEW_SERIES_AWAITED, /* below 0: 1 + for how long there is no all-clear yet, in seconds */
	OVERVIEW_SERIES_PARTS, /* first of those of CPU time */
	N_OVERVIEW_SERIES = OVERVIEW_SERIES_PARTS + N_CPU_PARTS,
};

/* A resource in one line: "CPU   8 % ███▏····  user 4  system 3  wait 0". */
struct overview_gauge {
	const char *name; /* translated */
	const char *absent; /* the topic of its numbers, which the frame does not have; else NULL */
	double ratio;     /* of the bar; NaN: unknown */
	enum grade grade;
	int series;                 /* of its graph; -1: none */
	double most;                /* upper end of its graph; NaN: the highest value shown */
	bool names_talker;          /* the process with most TCP bytes, where its list has no room */
	char value[VALUE_TEXT_MAX]; /* empty: the ratio in percent */
	char text[TEXT_MAX];
};

/* Has the line of each CPU a place below that of all? Not if that is of a scope, or of a container. */
bool overview_shows_cpus(const struct frame *frame);

/* The gauges of what the machine has, the CPU and then the memory first; returns how many. */
unsigned overview_gauges(const struct frame *frame, struct overview_gauge gauges[OVERVIEW_GAUGES_MAX]);

/* Of the busiest graphics processor; NaN: not known. */
double overview_gpu_busy(const struct frame *frame);

/* For batch: the same, and each CPU, as lines. */
void overview_lines(const struct frame *frame, bool ascii, struct buffer *out);

#define OVERVIEW_CHARTS_MAX 6

struct overview_charts {
	bool large;     /* the screen has room for charts and for a bar for each CPU */
	int lines;      /* 0: there is no room for them */
	unsigned n;
	unsigned of[OVERVIEW_CHARTS_MAX]; /* the gauges that have one */
};

/* Is the whole canvas of the pane large enough for charts? */
bool overview_charts_fit(const struct canvas *canvas);

/* For a canvas with this many lines for charts and lists. */
struct overview_charts overview_charts_choose(const struct pane_context *context, const struct canvas *canvas,
					      int lines, const struct overview_gauge *gauges,
					      unsigned n_gauges);

/* Is there a chart of this gauge, whose line then needs no trend? */
bool overview_charts_show(const struct overview_charts *charts, unsigned gauge);

void overview_charts_draw(const struct pane_context *context, const struct canvas *canvas,
			  const struct overview_charts *charts, const struct overview_gauge *gauges);

/* The lines they take; large: the screen has room for bars. 0: there is no place for them. */
int overview_cpus_lines(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large);

/* Draws them on that many lines, behind a name. */
void overview_cpus_draw(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large);

#endif
