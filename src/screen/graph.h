/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole and its parts: a bar of the current values, a stacked graph of the past. */
#ifndef PANETOP_SCREEN_GRAPH_H
#define PANETOP_SCREEN_GRAPH_H

#include "model/history.h"
#include "screen/canvas.h"

struct graph_part {
	char letter;       /* distinguishes it where there is no colour */
	unsigned look;     /* below STYLE_SERIES_COUNT: its colour and glyph */
	const char *label; /* translated */
	unsigned series;   /* in the history */
	double value;      /* now; NaN: unknown */
};

#define GRAPH_PARTS_MAX STYLE_SERIES_COUNT
#define GRAPH_OF_ONE UINT32_MAX

/* A bar of width cells from (y, x). Its unused part has marks at the quarters. */
void graph_bar(const struct canvas *canvas, int y, int x, int width, const struct graph_part *parts,
	       unsigned n_parts, double whole);

/*
 * "█ anonymous 24 % ▓ kernel 1 % …", and the rest under rest_label unless that is NULL. Where space is
 * short, the last entries lose their values: every name comes before any value.
 */
void graph_legend(const struct canvas *canvas, int y, const struct graph_part *parts, unsigned n_parts,
		  double whole, const char *rest_label);

/* An axis in column cells, as high as the canvas, with labels for both ends before it. */
void graph_axis(const struct canvas *canvas, int cells, const char *top, const char *bottom);

/* A stacked graph of the span before now_ns that fills the canvas, with the marks of the history. */
struct graph_scale {
	unsigned whole;        /* series that is 100 %; GRAPH_OF_ONE: the values are shares */
	const char *top_label; /* label of the upper edge: "23.5G" */
	uint64_t now_ns;       /* right edge */
	double span_seconds;   /* width of the graph in seconds; 0: one column per sample */
	double step_seconds;   /* current time between samples */
};
void graph_stacked(const struct canvas *canvas, const struct history *history, const struct graph_part *parts,
		   unsigned n_parts, const struct graph_scale *scale);

#endif
