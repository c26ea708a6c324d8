/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of the screen: sampled, shown, frozen; and what its panes get of them. */
#ifndef PANETOP_SCREEN_SESSION_H
#define PANETOP_SCREEN_SESSION_H

#include "screen/state.h"

void session_open(struct screen *screen);
void session_close(struct screen *screen);

/* Takes the next frame from the source and shows it unless frozen: 1, 0 at the end, or -errno. */
int session_sample(struct screen *screen);

/* Lets the panes prepare a frame that will be shown. */
void session_prepare(struct screen *screen, const struct frame *frame);

/* Shows this one of the frames. */
void session_show(struct screen *screen, int index);

/* From now on histories are those of a recording, which is shown, or those of the screen. */
void session_show_earlier(struct screen *screen, bool earlier);

/* Empties those of a recording. */
void session_clear_earlier(struct screen *screen);

/* Freezes what is shown, while events are still collected; or shows the latest frame again. */
void session_freeze(struct screen *screen, bool frozen);

#endif
