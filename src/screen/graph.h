/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a whole and its parts: a bar of now, a stacked graph of the past. */
#ifndef PANETOP_SCREEN_GRAPH_H
#define PANETOP_SCREEN_GRAPH_H

#include "model/history.h"
#include "screen/canvas.h"

struct graph_part {
	char letter;       /* tells it apart where nothing else can */
	unsigned look;     /* below STYLE_SERIES_COUNT: its colour and glyph */
	const char *label; /* translated */
	unsigned series;   /* in the history */
	double value;      /* now; NaN: not known */
};

#define GRAPH_PARTS_MAX STYLE_SERIES_COUNT
#define GRAPH_OF_ONE UINT32_MAX

/* A bar of width cells from (y, x); of what the parts leave of whole the ends of its quarters are marked. */
void graph_bar(const struct canvas *canvas, int y, int x, int width, const struct graph_part *parts,
	       unsigned n_parts, double whole);

/*
 * "█ anonymous 24 %   ▓ kernel 1 %   …", and what is left over under rest_label, unless that is NULL.
 * Where there is no room for all values the last go without: every glyph is named before any has its value.
 */
void graph_legend(const struct canvas *canvas, int y, const struct graph_part *parts, unsigned n_parts,
		  double whole, const char *rest_label);

/* An axis as high as the canvas in its column cells, and before it what its ends stand for. */
void graph_axis(const struct canvas *canvas, int cells, const char *top, const char *bottom);

/* A stacked graph of the span before now_ns that fills the canvas; marks of the history are drawn in it. */
struct graph_scale {
	unsigned whole;        /* series that is 100 %; GRAPH_OF_ONE: the values are shares */
	const char *top_label; /* what the upper edge stands for: "23.5G" */
	uint64_t now_ns;       /* right edge */
	double span_seconds;   /* from edge to edge; 0: one column per sample */
	double step_seconds;   /* time between samples now */
};
void graph_stacked(const struct canvas *canvas, const struct history *history, const struct graph_part *parts,
		   unsigned n_parts, const struct graph_scale *scale);

#endif
