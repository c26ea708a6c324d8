/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole and its parts: a bar of the current values, a stacked graph of the past; and the past of one value.
 */
#ifndef PANETOP_SCREEN_GRAPH_H
#define PANETOP_SCREEN_GRAPH_H

#include "model/finding.h"
#include "model/history.h"
#include "screen/canvas.h"

/*
 * The columns of a graph in time: each the same number of seconds from the start, so that what has been drawn
 * only moves; one per sample where that is about the span. Where there is room for more samples than the span
 * has, a sample takes several columns. Time asleep has columns, too, which are empty: moments are those of
 * history_clock().
 */
#define GRAPH_COLUMNS_MAX 1024
#define GRAPH_RECENT (-1.0) /* a span: a sample for each column, two where there are few columns */

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

#define LEVEL_UNKNOWN (-1)
#define LEVELS_NO_PART (-1)

/*
 * The upper end of an axis from 0 for values from least to most: what hardly changes stands in its middle,
 * not along its edge. 1 if there is no value above 0.
 */
double levels_top(double least, double most);

/* What a known value fills of the levels between least and most: 1 to levels. */
int level_of(double value, double least, double most, int levels);

/* Where each part of a stack of shares ends, in levels; the parts that are known and not 0 fill at least one.
 */
void levels_stack(const double *shares, unsigned n_parts, int levels, int *ends);

/*
 * The same for a bar, in which no part that is not 0 vanishes: it fills at least one level, and where two
 * others share its cell, it takes the rest of the cell.
 */
void levels_bar(const double *shares, unsigned n_parts, int cells, int per_cell, int *ends);

/* What stands in a cell of a stack or bar. */
struct levels_cell {
	int part;   /* the one with the largest share of it, or the first of two; LEVELS_NO_PART: empty */
	int other;  /* fills the rest of a full cell; LEVELS_NO_PART: none */
	int filled; /* levels up to the end of part */
};
struct levels_cell levels_cell(const int *ends, unsigned n_parts, int cell, int per_cell);

/*
 * The range of an axis for values from least to most of whole: rounded, and not so small that noise fills it.
 * It begins at 0 unless that would waste half of it.
 */
struct levels_range {
	double bottom, top;
};
struct levels_range levels_fit(double least, double most, double whole);

struct graph_part {
	char letter;       /* distinguishes it where there is no colour */
	unsigned look;     /* below STYLE_SERIES_COUNT: its colour and glyph */
	const char *label; /* translated */
	unsigned series;   /* in the history */
	double value;      /* now; NaN: unknown */
};

#define GRAPH_PARTS_MAX STYLE_SERIES_COUNT
#define GRAPH_OF_ONE UINT32_MAX

/*
 * A bar of width cells from (y, x), in which every part above 0 is seen. Its unused part has marks at the
 * quarters.
 */
void graph_bar(const struct canvas *canvas, int y, int x, int width, const struct graph_part *parts,
	       unsigned n_parts, double whole);

/* How a grade looks; calm: as otherwise. Of text, and of what is filled. */
enum style graph_grade_style(enum grade grade, enum style calm);
enum style graph_grade_fill(enum grade grade, enum style calm);

/* A share of a whole, NaN: unknown, with marks at the quarters of its unused part. */
void graph_bar_share(const struct canvas *canvas, int y, int x, int width, double share, enum style style);

/*
 * The same in the colour of its grade. A mark in the cell before says that it is busy, one more in the cell
 * behind that it is critical.
 */
void graph_bar_graded(const struct canvas *canvas, int y, int x, int width, double share, enum grade grade);

/* The glyph of a part, before its name. */
void graph_key(const struct canvas *canvas, int y, int x, const struct graph_part *part);

/*
 * "█ anonymous 24 % ▓ kernel 1 % …", and the rest under rest_label unless that is NULL. Where space is
 * short, the last entries lose their values: every name comes before any value.
 */
void graph_legend(const struct canvas *canvas, int y, const struct graph_part *parts, unsigned n_parts,
		  double whole, const char *rest_label);

/*
 * A stacked graph of the span before now_ns that fills the canvas, with the marks of the history, and an axis
 * of time where there is room. Where the machine slept, a graph has a gap, and a z in it.
 */
struct graph_scale {
	unsigned whole;        /* series that is 100 %; GRAPH_OF_ONE: the values are shares */
	const char *top_label; /* label of the upper edge: "23.5G" */
	uint64_t now_ns;       /* right edge */
	double span_seconds;   /* shown when it is full; 0: a column per sample */
	double step_seconds;   /* current time between samples */
	double top;            /* with GRAPH_OF_ONE: the value of the upper edge; 0: 1 */
};
void graph_stacked(const struct canvas *canvas, const struct history *history, const struct graph_part *parts,
		   unsigned n_parts, const struct graph_scale *scale);

/* How graph_line() and graph_area() draw a series. */
struct graph_line_scale {
	uint64_t now_ns;     /* right edge */
	double span_seconds; /* as of struct graph_scale */
	double step_seconds;
	double least, most; /* its lowest and its highest level; NaN: what is shown has them, from 0 with room
			     * above what is constant */
	enum style style;
};

/*
 * The past of a series on the whole canvas, without axes: on one line 7 levels, which leave a gap to the line
 * above, on two 16 and so on. What is known has at least the lowest level.
 */
void graph_line(const struct canvas *canvas, const struct history *history, unsigned series,
		const struct graph_line_scale *scale);

/* "-2 min   -1 min   now" below graph_line() on a canvas of the same width. */
void graph_time_line(const struct canvas *line, const struct history *history,
		     const struct graph_line_scale *scale);

/* A cell that is as full as share, from 0 to 1; at least the lowest level unless it is NaN. */
void graph_level(const struct canvas *canvas, int y, int x, enum style style, double share);

/* What graph_line() would show on this canvas: its lowest, highest and latest value; NaN: unknown. */
struct graph_range {
	double least, most, latest;
};
struct graph_range graph_line_range(const struct canvas *canvas, const struct history *history,
				    unsigned series, const struct graph_line_scale *scale);

/*
 * The same with axes; label writes VALUE_TEXT_MAX bytes for their ends, least and most, which are known. An
 * axis that does not begin at 0 is marked as broken.
 */
void graph_area(const struct canvas *canvas, const struct history *history, unsigned series,
		const struct graph_line_scale *scale, char *(*label)(char *text, double value));

/*
 * Two series on the axis of graph_area(), the second one from the middle down, both from 0 to most: what goes
 * in and what goes out.
 */
struct graph_half {
	unsigned series;
	enum style style;
};
void graph_mirrored(const struct canvas *canvas, const struct history *history,
		    const struct graph_half halves[2], const struct graph_line_scale *scale,
		    char *(*label)(char *text, double value));

/* The graphs of a screen, for the mouse. */
#define GRAPH_PLACES_MAX 64
struct graph_places {
	struct graph_place {
		int top, left, height, width; /* in cells of the terminal */
		struct graph_time time;
	} list[GRAPH_PLACES_MAX];
	unsigned count; /* 0 before they are drawn */
};

/* How long before its end is the moment at a cell of the terminal? False: there is no graph. */
bool graph_ago_at(const struct graph_places *places, int y, int x, uint64_t *ago_ns);

/* Where graph_area() draws on this canvas, for graph_line_range(). */
struct canvas graph_area_plot(const struct canvas *canvas);

#endif
