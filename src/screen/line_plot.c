/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws series as letters, joined where they rise or fall by more than a cell. */
#include <config.h>

#include "screen/line_plot.h"

#include <math.h>
#include <stdlib.h>

#include "screen/graph.h"

int line_plot_width(const struct canvas *canvas)
{
	return canvas->width > LINE_PLOT_LABEL_CELLS ? canvas->width - LINE_PLOT_LABEL_CELLS : 0;
}

static int row_of(const struct canvas *plot, double value)
{
	double clamped = value < 0 ? 0 : value > 1 ? 1 : value;

	return (int)lround((1 - clamped) * (plot->height - 1));
}

static void draw_line(const struct canvas *plot, const struct line_plot_line *line)
{
	enum style style = (enum style)(STYLE_SERIES + line->color);
	int before = -1;

	for (int x = 0; x < plot->width; x++) {
		int y;

		if (isnan(line->values[x])) {
			before = -1;
			continue;
		}
		y = row_of(plot, line->values[x]);
		for (int between = before; before >= 0 && abs(y - between) > 1;) {
			between += y > between ? 1 : -1;
			canvas_fill(plot, between, x, style, plot->glyphs->empty, 1);
		}
		canvas_fill(plot, y, x, style, (unsigned char)line->letter, 1);
		before = y;
	}
}

void line_plot_draw(const struct canvas *canvas, const struct line_plot_line *lines, unsigned n_lines)
{
	struct canvas plot =
		canvas_part(canvas, 0, LINE_PLOT_LABEL_CELLS, canvas->height, line_plot_width(canvas));

	if (plot.width <= 0 || plot.height <= 1)
		return;
	graph_axis(canvas, LINE_PLOT_LABEL_CELLS - 1, "1.0", "0.0");
	for (unsigned i = n_lines; i-- > 0;)
		draw_line(&plot, &lines[i]);
}
