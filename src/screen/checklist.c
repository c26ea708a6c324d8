/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing among a few words: which are on, and which off. */
#include <config.h>

#include "core/i18n.h"
#include "screen/state.h"

static void draw_item(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct checklist *checklist = state;

	canvas_print(line, 0, 0, style, "[%c] %-12s %s", checklist->on[i] ? 'x' : ' ',
		     checklist->items[i].word, _(checklist->items[i].help));
}

static void draw_checklist(struct screen *screen, const struct canvas *canvas)
{
	struct checklist *checklist = &screen->checklist;

	list_draw(&checklist->list, canvas, checklist->title,
		  _("Space turns on or off, a all, Enter takes it, Esc leaves it as it was"), draw_item,
		  checklist);
}

static void turn_all(struct checklist *checklist)
{
	bool all = true;

	for (unsigned i = 0; i < checklist->list.n_items; i++)
		all &= checklist->on[i];
	for (unsigned i = 0; i < checklist->list.n_items; i++)
		checklist->on[i] = !all;
}

static void checklist_key(struct screen *screen, const struct input *input)
{
	struct checklist *checklist = &screen->checklist;

	if (list_key(&checklist->list, input->key))
		return;
	switch (input->key) {
	case ' ':
		checklist->on[checklist->list.cursor] = !checklist->on[checklist->list.cursor];
		return;
	case 'a':
		turn_all(checklist);
		return;
	case K_ENTER:
		screen->overlay = NULL;
		checklist->accepted(checklist->context, checklist->on);
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
	struct checklist *checklist = &context->screen->checklist;

	*checklist = (struct checklist){ .title = title, .items = items, .context = context };
	checklist->accepted = accepted;
	checklist->list.n_items = n_items < CHECKLIST_MAX ? n_items : CHECKLIST_MAX;
	for (unsigned i = 0; i < checklist->list.n_items; i++)
		checklist->on[i] = on[i];
	context->screen->overlay = &overlay;
}
