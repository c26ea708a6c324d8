/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What surrounds every pane: headline, names of the panes, notice, keys. */
#ifndef PANETOP_SCREEN_CHROME_H
#define PANETOP_SCREEN_CHROME_H

#include "model/frame.h"
#include "screen/state.h"

/* Draws the whole screen. */
void chrome_draw(struct screen *screen);

/* Where the numbers come from that it draws: those of the pane, then those of the headline. */
void chrome_collect(struct screen *screen, const struct origins *origins);

#endif
