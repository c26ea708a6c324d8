/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The findings of the overview: a line each, worst first. */
#ifndef PANETOP_PANE_OVERVIEW_OVERVIEW_FINDING_H
#define PANETOP_PANE_OVERVIEW_OVERVIEW_FINDING_H

#include "screen/context.h"

/* Lines for all findings of this table of the pane; with none, the one that says so. */
int overview_findings_height(const struct pane_context *context, unsigned index);

/* Draws the first ones, as many as there are lines. early: others may still come of what was seen. */
void overview_findings_draw(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			    bool early);

/* Adds the rule of a finding, and how to silence it. */
void overview_finding_why(const struct pane_context *context, const void *row, struct buffer *out);

/* Shows the pane and the row that the selected finding is about. */
void overview_finding_open(struct pane_context *context, unsigned index);

#endif
