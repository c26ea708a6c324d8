/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line above the keys: what was just done or refused, else a notice of a source. */
#ifndef PANETOP_SCREEN_NOTICES_H
#define PANETOP_SCREEN_NOTICES_H

#include "screen/state.h"

/* Draws the line if there is something to show: true. */
bool notices_draw(struct screen *screen, const struct canvas *canvas, int y);

/* "3 notices (i)" of this pane that are not shown at the moment, or shorter; "": none. */
void notices_count(const struct screen *screen, bool brief, char *text, size_t room);

#endif
