/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line graph of several series, each scaled to its own range, to compare their shapes. */
#ifndef PANETOP_SCREEN_LINE_PLOT_H
#define PANETOP_SCREEN_LINE_PLOT_H

#include "screen/canvas.h"

#define LINE_PLOT_LABEL_CELLS 5 /* left of the plot */

struct line_plot_line {
	char letter;          /* it is drawn with this letter */
	unsigned color;       /* below STYLE_SERIES_COUNT */
	const double *values; /* one for each cell of the plot's width, 0 to 1; NaN: unknown */
};

/* Cells of width for the values. */
int line_plot_width(const struct canvas *canvas);

/* Fills the canvas. Earlier lines cover later ones. */
void line_plot_draw(const struct canvas *canvas, const struct line_plot_line *lines, unsigned n_lines);

#endif
