/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last minutes of what matters most as charts, side by side, where the screen is large enough. */
#ifndef PANETOP_PANE_OVERVIEW_OVERVIEW_CHARTS_H
#define PANETOP_PANE_OVERVIEW_OVERVIEW_CHARTS_H

#include "pane/overview/overview_gauge.h"
#include "screen/canvas.h"

#define OVERVIEW_CHARTS_MAX 6

struct overview_charts {
	bool large;     /* the screen has room for charts and for a bar for each CPU */
	int lines;      /* 0: there is no room for them */
	unsigned n;
	unsigned of[OVERVIEW_CHARTS_MAX]; /* the gauges that have one */
};

/* Is the whole canvas of the pane large enough for charts? */
bool overview_charts_fit(const struct canvas *canvas);

/* For a canvas with this many lines for charts and lists. */
struct overview_charts overview_charts_choose(const struct pane_context *context, const struct canvas *canvas,
					      int lines, const struct overview_gauge *gauges,
					      unsigned n_gauges);

/* Is there a chart of this gauge, whose line then needs no trend? */
bool overview_charts_show(const struct overview_charts *charts, unsigned gauge);

void overview_charts_draw(const struct pane_context *context, const struct canvas *canvas,
			  const struct overview_charts *charts, const struct overview_gauge *gauges);

#endif
