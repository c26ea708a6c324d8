/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: plays it, and shows a sample as if it had been played up to it. */
#ifndef PANETOP_SCREEN_REPLAY_H
#define PANETOP_SCREEN_REPLAY_H

#include "screen/state.h"

bool replay_wants_frame(const struct screen *screen); /* at a tick */
bool replay_follows(const struct screen *screen);     /* shows new frames at once */
void replay_took(struct screen *screen, int got);     /* what session_sample() returned */

/* Goes on from the first sample of a recording to the one to begin with. */
void replay_begin(struct screen *screen);

#endif
