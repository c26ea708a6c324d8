/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes over kept samples that lack tables of the current pane, as these rested (screen/kept_pace.h). */
#ifndef PANETOP_SCREEN_GAPS_H
#define PANETOP_SCREEN_GAPS_H

#include "screen/state.h"

/*
 * The sample of the opened past to show for this one: itself, or the newest before it that has these tables
 * and their rates; none within some seconds: itself. The frame SCREEN_PAST_BASE is overwritten.
 */
size_t gaps_before(struct screen *screen, size_t position);

/* The same in the other direction, up to the last sample; SIZE_MAX: none. */
size_t gaps_behind(struct screen *screen, size_t position);

#endif
