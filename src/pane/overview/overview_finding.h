/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The findings of the overview: a line each, worst first. */
#ifndef PANETOP_PANE_OVERVIEW_OVERVIEW_FINDING_H
#define PANETOP_PANE_OVERVIEW_OVERVIEW_FINDING_H

#include "screen/context.h"

/*
 * Lines for the findings of this table of the pane: for the most that there were at a time, so that nothing
 * below them moves when one goes, as far as the height of the canvas gives; while one is selected, for all.
 * At most room, at least one.
 */
int overview_findings_height(const struct pane_context *context, unsigned index, size_t n_most,
			     const struct canvas *canvas, int room);

/* Draws as many as there are lines, and what the others are about. */
void overview_findings_draw(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			    double watched_seconds);

/* Adds the rule of a finding, and how to silence it. */
void overview_finding_why(const struct pane_context *context, const void *row, struct buffer *out);

/* Shows the pane and the row that the selected finding is about. */
void overview_finding_open(struct pane_context *context, unsigned index);

#endif
