/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scrollable list over the pane. */
#ifndef PANETOP_SCREEN_LIST_H
#define PANETOP_SCREEN_LIST_H

#include <stdbool.h>

#include "screen/canvas.h"

struct list {
	unsigned cursor, n_items;
	int page; /* lines that fitted in the last drawing */
};

/* Draws title, keys and the visible lines; draw draws line i on its own canvas. */
void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state);

/* Moves the cursor; false for any other key. */
bool list_key(struct list *list, int key);

#endif
