/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the power pane. */
#ifndef PANETOP_PANE_POWER_POWER_H
#define PANETOP_PANE_POWER_POWER_H

#include "screen/context.h"

enum power_table {
	POWER_TABLE_POWER,
	POWER_TABLE_BATTERY,
	POWER_TABLE_TEMPERATURE,
	POWER_TABLE_FAN,
	POWER_TABLE_VOLTAGE,
	POWER_TABLE_FREQUENCY,
	POWER_TABLE_IDLE,
	POWER_TABLE_TRIP,
	POWER_TABLE_COOLING,
	POWER_TABLE_THROTTLE,
	POWER_TABLE_CPU,
	POWER_TABLE_SYSTEM,
	POWER_TABLE_COUNTER,
	POWER_TABLE_CALIBRATION,
	POWER_TABLE_PROGRAM,
};

enum power_series {
	POWER_SERIES_LOAD, /* sampled as the idle ratio; the pane replaces it by the load */
	POWER_SERIES_WATTS,
	POWER_SERIES_HERTZ,
	POWER_SERIES_CELSIUS, /* so that temperatures are read while the pane is hidden; each has its own
			       * series */
	N_POWER_SERIES,
};

enum power_view {
	POWER_GRAPH,
	POWER_DOMAINS,
	POWER_SENSORS,
	POWER_CLOCK,
	POWER_IDLE,
	POWER_BATTERY,
	POWER_PROGRAMS,
	POWER_FANS,
	POWER_VOLTAGES,
	POWER_TRIPS,
	POWER_COOLING,
	POWER_THROTTLING,
	POWER_HISTOGRAM,
	POWER_CALIBRATION,
};

#define GRAPH_SERIES_MAX 32
#define GRAPH_SERIES_NAME_MAX 96

/* A line of the graph. */
struct graph_series {
	char name[GRAPH_SERIES_NAME_MAX];  /* "load", "watts", "frequency", or the key of a sensor */
	char label[GRAPH_SERIES_NAME_MAX]; /* for people */
	unsigned index;                    /* in the history */
};

enum { GRAPH_SERIES_LOAD, GRAPH_SERIES_WATTS, GRAPH_SERIES_FREQUENCY, N_FIXED_GRAPH_SERIES };

struct calibration_run;

struct power_state {
	struct graph_series graph_series[GRAPH_SERIES_MAX];
	unsigned n_graph_series;
	struct calibration_run *calibration; /* owned; NULL: none runs */
};

/* Seconds of the graph; 0: a sample per cell. */
double power_span(const struct pane_context *context);

/* power_series.c: the lines of the graph, as the user chose them */
void graph_series_open(struct pane_context *context);
void graph_series_follow(struct pane_context *context, const struct frame *frame);
const struct graph_series *graph_series_find(const struct power_state *power, const char *name);
bool graph_series_shown(const struct pane_context *context, const struct graph_series *series);
void graph_series_toggle(struct pane_context *context, const struct graph_series *series);

/* power_graph.c: the lines below each other, and what follows the load; returns the lines used */
int power_graph_draw(const struct pane_context *context, const struct canvas *canvas);

/* power_calibrate.c */
void power_calibrate(struct pane_context *context); /* asks, or stops the one that runs */
void power_calibration_feed(struct pane_context *context, const struct frame *frame);
void power_calibration_draw(const struct pane_context *context, const struct canvas *canvas);
void power_calibration_close(void *state);

/* The title of a view of a table, with the span of its numbers. */
void power_heading(const struct pane_context *context, char *text, size_t room);

/* Sources of the total in the table power when it is unknown. */
#define POWER_NO_SOURCE "nothing here measures it"
#define POWER_REFUSED "not permitted to read"
bool power_source_is(const struct pane_context *context, const char *source);

void power_draw(const struct pane_context *context, struct canvas *canvas);

#endif
