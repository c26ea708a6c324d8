/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overlays: they cover the pane and get all keys. */
#ifndef PANETOP_SCREEN_OVERLAY_H
#define PANETOP_SCREEN_OVERLAY_H

#include "screen/state.h"

/* A line of input; changed and cancelled (may be NULL) and accepts: see struct prompt. */
void prompt_open(struct screen *screen, const char *label, const char *text,
		 void (*changed)(struct screen *screen, const char *text),
		 void (*cancelled)(struct screen *screen),
		 bool (*accepts)(struct screen *screen, const char *text));

/*
 * Empty pages of text, to be filled with lines; '*' begins a heading, PAGER_DIM a line in dim style. They
 * leave the line row_y of the terminal visible if it is not negative.
 */
#define PAGER_DIM '\1'
struct buffer *pager_open(struct screen *screen, int row_y);

void menu_dim_from(struct screen *screen, unsigned index); /* items of the menu that was just opened */
void pager_help(struct screen *screen);
void pager_why(struct screen *screen); /* for the number under the cursor */
void chooser_open(struct screen *screen); /* the columns of the table that has the focus */

#endif
