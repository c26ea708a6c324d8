/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing among a few words: which are on, and which off. */
#include <config.h>

#include "core/i18n.h"
#include "screen/state.h"

static void draw_checklist(struct screen *screen, const struct canvas *canvas)
{
	const struct checklist *list = &screen->checklist;
	struct canvas page = canvas_rows(canvas, canvas->height >= 6 ? 2 : 0, canvas->height);
	int page_rows = page.height > 2 ? page.height - 2 : 1;
	unsigned top = (int)list->cursor >= page_rows ? list->cursor - (unsigned)page_rows + 1 : 0;

	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	canvas_text(&page, 0, 0, STYLE_HEADING, list->title, -1);
	for (int y = 0; y < page_rows && top + (unsigned)y < list->n_items; y++) {
		unsigned i = top + (unsigned)y;
		enum style style = i == list->cursor ? STYLE_ROW : STYLE_NORMAL;

		canvas_fill(&page, y + 1, 0, style, ' ', page.width);
		canvas_print(&page, y + 1, 0, style, "[%c] %-12s %s", list->on[i] ? 'x' : ' ',
			     list->items[i].word, _(list->items[i].help));
	}
	canvas_text(&page, page.height - 1, 0, STYLE_KEY,
		    _("Space turns on or off, a all, Enter takes it, Esc leaves it as it was"), -1);
}

static void turn_all(struct checklist *list)
{
	bool all = true;

	for (unsigned i = 0; i < list->n_items; i++)
		all &= list->on[i];
	for (unsigned i = 0; i < list->n_items; i++)
		list->on[i] = !all;
}

static void checklist_key(struct screen *screen, const struct input *input)
{
	struct checklist *list = &screen->checklist;

	switch (input->key) {
	case K_UP:
		list->cursor -= list->cursor > 0 ? 1 : 0;
		return;
	case K_DOWN:
		list->cursor += list->cursor + 1 < list->n_items ? 1 : 0;
		return;
	case ' ':
		list->on[list->cursor] = !list->on[list->cursor];
		return;
	case 'a':
		turn_all(list);
		return;
	case K_ENTER:
		screen->overlay = NULL;
		list->accepted(list->context, list->on);
		return;
	case K_ESCAPE:
	case 'q':
		screen->overlay = NULL;
		return;
	default:
		return;
	}
}

void screen_choose(struct pane_context *context, const char *title, const struct checklist_item *items,
		   const bool *on, unsigned n_items,
		   void (*accepted)(struct pane_context *context, const bool *on))
{
	static const struct overlay overlay = { .draw = draw_checklist, .key = checklist_key };
	struct checklist *list = &context->screen->checklist;

	*list = (struct checklist){ .title = title, .items = items, .context = context };
	list->accepted = accepted;
	for (; list->n_items < n_items && list->n_items < CHECKLIST_MAX; list->n_items++)
		list->on[list->n_items] = on[list->n_items];
	context->screen->overlay = &overlay;
}
