/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live screen goes back: it shows a kept sample, while sampling continues behind it. */
#ifndef PANETOP_SCREEN_PAST_H
#define PANETOP_SCREEN_PAST_H

#include "screen/state.h"

/*
 * Before the shown sample is drawn: where it does not follow the one drawn before, or other tables are shown
 * now, the samples before it are read again for the tables of the current pane.
 */
void trends_update(struct screen *screen);

void past_leave(struct screen *screen); /* live again */
void past_close(struct screen *screen); /* at the end of the screen */

/*
 * Gives a live pane up to 30 kept samples before the present with their rates, the oldest first (10 of more
 * than 2,000 rows): for what it begins to show now. Nothing where none are kept, or another one is shown.
 */
void past_recall(struct pane_context *context,
		 void (*take)(struct pane_context *context, const struct frame *frame));

#endif
