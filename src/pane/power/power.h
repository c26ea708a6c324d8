/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the power pane share. */
#ifndef PANETOP_PANE_POWER_POWER_H
#define PANETOP_PANE_POWER_POWER_H

#include "screen/context.h"

enum power_table {
	POWER_TABLE,
	BATTERY_TABLE,
	TEMPERATURE_TABLE,
	FAN_TABLE,
	VOLTAGE_TABLE,
	FREQUENCY_TABLE,
	IDLE_TABLE,
	TRIP_TABLE,
	COOLING_TABLE,
	THROTTLE_TABLE,
	POWER_CPU_TABLE,
	POWER_SYSTEM_TABLE,
	POWER_COUNTER_TABLE,
	CALIBRATION_TABLE,
};

enum power_series {
	SERIES_WATTS,
	SERIES_IDLE,
	SERIES_WAITING,
	SERIES_HERTZ,
	SERIES_CELSIUS, /* so that temperatures are read while the pane is hidden: each has a series of its
			   own */
	N_POWER_SERIES,
};

enum power_view {
	POWER_SUMMARY,
	POWER_GRAPH,
	POWER_HISTOGRAM,
	POWER_SENSORS,
	POWER_ONE_TABLE,
	POWER_CALIBRATION,
};

#define POWER_LINES_MAX 32
#define POWER_LINE_NAME_MAX 96

/* A line of the graph. */
struct power_line {
	char name[POWER_LINE_NAME_MAX];  /* "load", "watts", "frequency", or a sensor's key */
	char label[POWER_LINE_NAME_MAX]; /* for people */
	unsigned series;                 /* in the history; load is made of two */
	char letter;
	unsigned look;
	bool shown;
};

enum { LINE_LOAD, LINE_WATTS, LINE_FREQUENCY, N_FIXED_LINES };

struct calibration_run;

struct power_state {
	enum power_view view;
	double span_seconds; /* of the graph; 0: a sample per cell */
	struct power_line lines[POWER_LINES_MAX];
	unsigned n_lines;
	struct calibration_run *calibration; /* owned; NULL: none runs */
};

extern const struct series power_series[];

/* power_lines.c: the lines of the graph, as the user chose them */
void power_lines_open(struct pane_context *context);
void power_lines_follow(struct pane_context *context, const struct frame *frame);
void power_lines_save(const struct power_state *power, struct settings *settings);
struct power_line *power_line_find(struct power_state *power, const char *name);
void power_line_toggle(struct pane_context *context, struct power_line *line);
void power_line_next_look(struct pane_context *context, struct power_line *line);
void power_line_next_letter(struct pane_context *context, struct power_line *line);

/*
 * power_graph.c: its lines, the range of each, and what follows the first compared_max of them; as much as
 * the canvas has room for
 */
void power_graph_draw(const struct pane_context *context, const struct canvas *canvas, unsigned compared_max);

/* power_calibrate.c */
void power_calibrate(struct pane_context *context); /* the key */
const char *power_calibrate_refused(const struct pane_context *context); /* why not; NULL: it acts */
void power_calibration_feed(struct pane_context *context, const struct frame *frame);
void power_calibration_draw(struct pane_context *context, const struct canvas *canvas);
void power_calibration_close(void *state);

void power_draw(struct pane_context *context, struct canvas *canvas);

#endif
