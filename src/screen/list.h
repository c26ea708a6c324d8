/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scrollable list over the pane. */
#ifndef PANETOP_SCREEN_LIST_H
#define PANETOP_SCREEN_LIST_H

#include <stdbool.h>

#include "screen/canvas.h"

struct list {
	unsigned cursor, n_items;
	int page; /* lines that fitted in the last drawing */
	int top_y;    /* line of the terminal with the first visible item then, … */
	unsigned top; /* … and its index */
};

/* Draws title, keys and the visible lines; draw draws line i on its own canvas. */
void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state);

/* Moves the cursor to the item on this line of the terminal; false: there is none. */
bool list_click(struct list *list, int y);

/* Moves the cursor; false for any other key. */
bool list_key(struct list *list, int key);

#endif
