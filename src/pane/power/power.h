/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the power pane. */
#ifndef PANETOP_PANE_POWER_POWER_H
#define PANETOP_PANE_POWER_POWER_H

#include "model/calibration.h"
#include "model/frame.h"
#include "model/settings.h"
#include "screen/context.h"
#include "sys/latency_thread.h"

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

struct calibration_run {
	struct cpu_load *load;
	uint64_t operations; /* of the load, at the previous sample */
	struct calibration calibration;
};

struct power_state {
	struct graph_series graph_series[GRAPH_SERIES_MAX];
	unsigned n_graph_series;
	struct calibration_run *calibration; /* owned; NULL: none runs */
};

/* Seconds of the graph; 0: a sample per cell. */
double power_span(const struct pane_context *context);

const struct graph_series *graph_series_find(const struct power_state *power, const char *name);
bool graph_series_shown(const struct pane_context *context, const struct graph_series *series);

/* The title of a view of a table, with the span of its numbers. */
void power_heading(const struct pane_context *context, char *text, size_t room);

/* Sources of the total in the table power when it is unknown. */
#define POWER_NO_SOURCE "nothing here measures it"
#define POWER_REFUSED "not permitted to read"
bool power_source_is(const struct pane_context *context, const char *source);

void power_draw(const struct pane_context *context, struct canvas *canvas);
void power_draw_sensors(const struct pane_context *context, struct canvas *canvas);
void power_draw_histogram(const struct pane_context *context, struct canvas *canvas);

/* Starts the load. False when the threads cannot be started. */
bool calibration_run_open(struct calibration_run *run, const struct calibration_plan *plan);
void calibration_run_close(struct calibration_run *run);

/*
 * Takes a frame with its rates (tables power, cpu and, if sampled, counter) and sets the next load. The
 * settings may name the events that are counted as cycles and instructions. True when a step has ended.
 */
bool calibration_run_feed(struct calibration_run *run, const struct frame *frame,
			  const struct settings *settings);

/* The name of the event of this measure (cycles or instructions). */
const char *calibration_event(const struct settings *settings, enum calibration_measure measure);

#endif
