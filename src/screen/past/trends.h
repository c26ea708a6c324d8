/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trends beside rows in the past and in recordings: those that the screen had at that sample. */
#ifndef PANETOP_SCREEN_PAST_TRENDS_H
#define PANETOP_SCREEN_PAST_TRENDS_H

#include "screen/state.h"

/*
 * Before the shown sample is drawn: where it does not follow the one drawn before, or other tables are shown
 * now, the samples before it are read again for the tables of the current pane.
 */
void trends_update(struct screen *screen);

#endif
