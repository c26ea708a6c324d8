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

/* Draws title, keys and the visible lines; draw draws line i on its own canvas. */
void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state);

/* Moves the cursor to the item on this line of the terminal; false: there is none. */
bool list_click(struct list *list, int y);

/* Moves the cursor; false for any other key. */
bool list_key(struct list *list, int key);

void menu_dim_from(struct screen *screen, unsigned index); /* items of the menu that was just opened */
void pager_help(struct pane_context *context);
void pager_why(struct pane_context *context); /* for the number under the cursor */
void chooser_open(struct pane_context *context); /* the columns of the table that has the focus */

#endif
