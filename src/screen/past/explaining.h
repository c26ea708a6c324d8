/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key x: what changed around the shown moment, as a list over the pane. */
#ifndef PANETOP_SCREEN_EXPLAINING_H
#define PANETOP_SCREEN_EXPLAINING_H

#include "screen/state.h"

void explaining_open(struct pane_context *context);
void explaining_close(struct screen *screen); /* at the end of the screen */

#endif
