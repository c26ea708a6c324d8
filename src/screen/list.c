/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of lists over the pane, and their cursor. */
#include <config.h>

#include "screen/list.h"

#include "screen/keys.h"

#define WHEEL_LINES 3

void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state)
{
	struct canvas page = canvas_rows(canvas, canvas->height >= 6 ? 2 : 0, canvas->height);

	list->page = page.height > 2 ? page.height - 2 : 1;
	list->top = list->cursor >= (unsigned)list->page ? list->cursor - (unsigned)list->page + 1 : 0;
	list->top_y = page.top + 1;
	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	canvas_text(&page, 0, 0, STYLE_HEADING, title, -1);
	for (int y = 0; y < list->page && list->top + (unsigned)y < list->n_items; y++) {
		unsigned i = list->top + (unsigned)y;
		enum style style = i == list->cursor ? STYLE_ROW : STYLE_NORMAL;
		struct canvas line = canvas_rows(&page, y + 1, 1);

		canvas_fill(&line, 0, 0, style, ' ', line.width);
		draw(state, i, &line, style);
	}
	canvas_text(&page, page.height - 1, 0, STYLE_KEY, keys, -1);
}

static long step_of(const struct list *list, int key)
{
	switch (key) {
	case K_UP:
		return -1;
	case K_DOWN:
		return 1;
	case K_PAGE_UP:
		return -list->page;
	case K_PAGE_DOWN:
		return list->page;
	case K_HOME:
		return -(long)list->n_items;
	case K_END:
		return (long)list->n_items;
	case K_WHEEL_UP:
		return -WHEEL_LINES;
	case K_WHEEL_DOWN:
		return WHEEL_LINES;
	default:
		return 0;
	}
}

bool list_click(struct list *list, int y)
{
	long i = (long)list->top + y - list->top_y;

	if (y < list->top_y || y >= list->top_y + list->page || i >= (long)list->n_items)
		return false;
	list->cursor = (unsigned)i;
	return true;
}

bool list_key(struct list *list, int key)
{
	long step = step_of(list, key), cursor = (long)list->cursor + step, last = (long)list->n_items - 1;

	list->cursor = (unsigned)(cursor < 0 ? 0 : cursor > last ? last : cursor);
	return step != 0;
}
