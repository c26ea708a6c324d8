/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Graphs of a page, as SVG that is as wide as the page gives it room for. */
#ifndef PANETOP_OUTPUT_REPORT_CHART_H
#define PANETOP_OUTPUT_REPORT_CHART_H

#include "output/report/page.h"
#include "output/report/stretch.h"

/* Adds a figure with the lines that have a value; nothing if none has. */
void chart_add(struct page *page, const struct report_plan *plan, const struct stretch *stretch,
	       size_t chart);

#endif
