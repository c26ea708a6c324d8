/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes through samples: those of a recording (screen.c), or those that a live source gave so far (past.c). */
#ifndef PANETOP_SCREEN_PLAYER_H
#define PANETOP_SCREEN_PLAYER_H

#include "screen/state.h"

/* What is different between both. */
struct player {
	/* Where samples can be read. fresh: with those that came since it was opened. NULL, after a message:
	 * there are none. */
	const struct source *(*open)(struct screen *screen, bool fresh);

	/*
	 * Goes on before the first sample of the opened source: true, and indexes count from an earlier one.
	 * Else it has said why not, or that this is the first one.
	 */
	bool (*reach_back)(struct screen *screen);

	/* Of the shown sample in the opened source, and in the other direction. */
	size_t (*index)(const struct screen *screen);
	void (*show)(struct screen *screen, size_t index);

	/* The sample behind the shown one; false: there is none. */
	bool (*show_next)(struct screen *screen);

	/* The last sample, or the present; with a message if that is shown. */
	void (*show_end)(struct screen *screen);

	/* The key Z. */
	void (*pause)(struct screen *screen);

	/* Writes what stands before the clock: why the time is not the current one, and where it is. */
	void (*position)(struct screen *screen, bool wide, char *text, size_t room);
};

extern const struct player player_of_replay, player_of_past;

/* Why there is nothing to go back to, translated; NULL: there is. */
const char *player_refuses(const struct screen *screen);

void player_step(struct pane_context *context, int step);        /* 1 or -1 sample */
void player_step_minute(struct pane_context *context, int step); /* 1 or -1 */
void player_go_to_first(struct screen *screen);
void player_go_to_end(struct screen *screen); /* the last sample, or the present */
void player_go_to(struct screen *screen, uint64_t wall_ns); /* the last sample at or before this time */
void player_ask_time(struct pane_context *context);

#endif
