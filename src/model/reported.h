/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page for others shows of a recording: graphs of numbers, and tables of one moment. */
#ifndef PANETOP_MODEL_REPORTED_H
#define PANETOP_MODEL_REPORTED_H

#include "core/buffer.h"
#include "model/history.h"

#define REPORTED_LINES_MAX 4

/* All lines have the unit of the first one's column. */
struct reported_chart {
	const char *title; /* N_() */
	struct {
		const char *name; /* N_() */
		struct series series;
	} lines[REPORTED_LINES_MAX]; /* ended by one without name */
	struct series whole;         /* its highest value is the end of the axis; without topic: round, … */
	double least_end;            /* … and at least this */
};

struct reported_table {
	const char *title; /* N_() */
	const char *topic;
	const char *columns, *sort; /* as of a pane's table */
	const char *with_names;     /* its columns with --report-names; NULL: the same */
	const char *threshold;      /* only rows in which this column, by key, has … */
	double least;               /* … at least this; NULL: all rows */
	size_t rows;                /* at most */
};

/* The lists end with an entry without a title, those of names with NULL. */
struct reported {
	const struct reported_chart *charts;
	const struct reported_table *tables;
	const char *const *also; /* more topics to read: of lines and machine */
	const char *const
		*strained;      /* rows of pressure: of equally bad samples the one where most tasks wait */
	struct series pressure; /* … which has those rows; row NULL */
	struct series own_cpu;  /* what panetop itself used */
	/* The machine in a few lines. */
	void (*lines)(const struct frame *frame, bool ascii, struct buffer *out);
};

#endif
