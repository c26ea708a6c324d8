/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load over all samples of a recording or of the past, on the line of panes, with the place of the shown
 * one. */
#ifndef PANETOP_SCREEN_TIMELINE_H
#define PANETOP_SCREEN_TIMELINE_H

#include "screen/canvas.h"
#include "screen/state.h"

#define TIMELINE_CELLS_MIN 12

/*
 * Before it is drawn: on line y of the terminal from cell x to end, where there is a screen_recording() and
 * enough room. It is read again when it has grown by a cell.
 */
void timeline_update(struct screen *screen, int y, int x, int end);

void timeline_hide(struct screen *screen); /* until the next update */

/* Where the update put it. */
void timeline_draw(const struct screen *screen, const struct canvas *canvas);

/* The time at this cell of the terminal's line; false: it is not there. */
bool timeline_time_at(const struct screen *screen, int y, int x, uint64_t *wall_ns);

void timeline_close(struct screen *screen);

#endif
