/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: play, step, go to a time. */
#ifndef PANETOP_SCREEN_PLAYER_H
#define PANETOP_SCREEN_PLAYER_H

#include "screen/state.h"

void player_step(struct screen *screen, long step);
void player_toggle(struct screen *screen);
void player_ask_time(struct screen *screen);
void player_go_to(struct screen *screen, uint64_t wall_ns); /* in the recording or in the past */
bool player_wants_frame(const struct screen *screen); /* at a tick */
bool player_follows(const struct screen *screen);     /* shows new frames at once */
void player_took(struct screen *screen, int got);     /* what session_sample() returned */

void player_step_minute(struct screen *screen, int step); /* 1 or -1 */
void player_go_to_first(struct screen *screen);
void player_go_to_last(struct screen *screen);

/* The same sample as before, for another scope. */
void player_show_again(struct screen *screen);

/* Goes on from the first sample of a recording to the one to begin with. */
void player_open(struct screen *screen);

/* "2/36", or with times "sample 2 of 36, 09:30:00 to 09:35:50". */
void player_position(const struct screen *screen, bool times, char *text, size_t room);

#endif
