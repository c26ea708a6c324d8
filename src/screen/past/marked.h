/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The marked moment, and its difference from the shown one. */
#ifndef PANETOP_SCREEN_MARKED_H
#define PANETOP_SCREEN_MARKED_H

#include "screen/state.h"

void marked_take(struct screen *screen, const struct frame *frame); /* it replaces the one before */
bool marked_exists(const struct screen *screen);
void marked_close(struct screen *screen);

/* Call it before the tables are updated: another moment may be shown. */
void marked_update(struct screen *screen, const struct frame *shown);

/* The differences of this topic; NULL: the marked moment, or the shown one, lacks it. */
const struct table *marked_table(const struct screen *screen, const char *topic);

#endif
