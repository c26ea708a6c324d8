/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list that lies over the pane: its page, its cursor, and the keys that move it. */
#ifndef PANETOP_SCREEN_LIST_H
#define PANETOP_SCREEN_LIST_H

#include <stdbool.h>

#include "screen/canvas.h"

struct list {
	unsigned cursor, n_items;
	int page; /* lines that fitted last time */
};

/* Draws title and keys, and line number i, for each i that fits, as draw does it on a canvas of its own. */
void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state);

/* Moves the cursor; false when the key is for somebody else. */
bool list_key(struct list *list, int key);

#endif
