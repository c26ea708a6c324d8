/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A graph of several series over each other, each scaled to its own range, to see what depends on what. */
#ifndef PANETOP_SCREEN_LINE_PLOT_H
#define PANETOP_SCREEN_LINE_PLOT_H

#include "screen/canvas.h"

#define LINE_PLOT_LABEL_CELLS 5 /* left of the plot */

struct line_plot_line {
	char letter;          /* what it is drawn with */
	unsigned color;       /* below STYLE_SERIES_COUNT: its colour */
	const double *values; /* one for each cell of the plot's width, 0 to 1; NaN: not known */
};

/* Cells of width for the values. */
int line_plot_width(const struct canvas *canvas);

/* Fills the canvas. Where two meet the first one is seen. */
void line_plot_draw(const struct canvas *canvas, const struct line_plot_line *lines, unsigned n_lines);

#endif
