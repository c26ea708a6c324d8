/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: play, step, go to a time. */
#ifndef PANETOP_SCREEN_PLAYER_H
#define PANETOP_SCREEN_PLAYER_H

#include "screen/state.h"

void player_step(struct screen *screen, long step);
void player_toggle(struct screen *screen);
void player_ask_time(struct screen *screen);
bool player_wants_frame(const struct screen *screen); /* at a tick */
bool player_follows(const struct screen *screen);     /* shows new frames at once */
void player_took(struct screen *screen, int got);     /* what session_sample() returned */

#endif
