/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each CPU of the overview by its load. */
#ifndef PANETOP_PANE_OVERVIEW_OVERVIEW_CPUS_H
#define PANETOP_PANE_OVERVIEW_OVERVIEW_CPUS_H

#include "screen/canvas.h"
#include "screen/context.h"

/* The lines they take; large: the screen has room for bars. 0: there is no place for them. */
int overview_cpus_lines(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large);

/* Draws them on that many lines, behind a name. */
void overview_cpus_draw(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large);

#endif
