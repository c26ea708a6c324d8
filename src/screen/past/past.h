/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live screen goes back: it shows a kept sample, while sampling continues behind it. */
#ifndef PANETOP_SCREEN_PAST_H
#define PANETOP_SCREEN_PAST_H

#include "screen/state.h"

void past_leave(struct screen *screen); /* live again */
void past_close(struct screen *screen); /* at the end of the screen */

#endif
