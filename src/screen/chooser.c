/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists to choose from: the columns of a table and their order, or words that are on or off. */
#include <config.h>

#include <stdio.h>

#include "core/i18n.h"
#include "screen/overlay.h"

#define KEY_CELLS 26
#define TITLE_X 4 /* behind the mark */

static void apply(struct screen *screen)
{
	const struct chooser *chooser = &screen->chooser;
	struct view *view = &chooser->widget->view;

	view->n_columns = 0;
	for (unsigned i = 0; i < view->schema->n_columns; i++)
		if (chooser->shown[i])
			view->columns[view->n_columns++] = chooser->order[i];
}

static void draw_column(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct chooser *chooser = state;
	const struct column *column = &chooser->widget->view.schema->columns[chooser->order[i]];

	int key_x = TITLE_X + table_title_cells(chooser->widget) + 1;
	bool fits = !chooser->shown[i] || table_draws(chooser->widget, chooser->order[i]);
	enum style other = style == STYLE_ROW || fits ? style : STYLE_DIM;

	canvas_print(line, 0, 0, other, "[%c]", chooser->shown[i] ? 'x' : ' ');
	canvas_text(line, 0, TITLE_X, other, column_title(column), -1);
	canvas_cut(line, 0, key_x, other, column->key, KEY_CELLS);
	canvas_text(line, 0, key_x + KEY_CELLS + 1, other,
		    fits ? _(column->help) : _("does not fit, or has no value"), -1);
}

static void draw_chooser(struct screen *screen, const struct canvas *canvas)
{
	struct chooser *chooser = &screen->chooser;
	char title[TEXT_MAX];

	snprintf(title, sizeof(title), _("Columns of %s"), chooser->widget->view.schema->name);
	list_draw(&chooser->list, canvas, title, _("Space toggle  < > move up and down  Enter close"),
		  draw_column, chooser);
}

static void toggle(struct screen *screen)
{
	struct chooser *chooser = &screen->chooser;
	bool was = chooser->shown[chooser->list.cursor];

	if (was && chooser->widget->view.n_columns == 1)
		return; /* a table without columns would be invisible */
	chooser->shown[chooser->list.cursor] = !was;
}

static void move(struct screen *screen, int step)
{
	struct chooser *chooser = &screen->chooser;
	unsigned from = chooser->list.cursor, to = from + (unsigned)step;
	unsigned column = chooser->order[from];
	bool shown = chooser->shown[from];

	if (to >= chooser->widget->view.schema->n_columns)
		return;
	chooser->order[from] = chooser->order[to];
	chooser->shown[from] = chooser->shown[to];
	chooser->order[to] = column;
	chooser->shown[to] = shown;
	chooser->list.cursor = to;
}

static void chooser_key(struct screen *screen, const struct input *input)
{
	struct chooser *chooser = &screen->chooser;

	if (list_key(&chooser->list, input->key))
		return;
	switch (input->key) {
	case ' ':
		toggle(screen);
		break;
	case '<':
		move(screen, -1);
		break;
	case '>':
		move(screen, 1);
		break;
	case K_ENTER:
	case K_ESCAPE:
	case 'q':
	case 'c':
		screen->overlay = NULL;
		return;
	default:
		return;
	}
	apply(screen);
}

void chooser_open(struct screen *screen)
{
	static const struct overlay overlay = { .draw = draw_chooser, .key = chooser_key };
	struct chooser *chooser = &screen->chooser;
	const struct view *view;
	unsigned n = 0;

	*chooser = (struct chooser){ .widget = screen_table(screen) };
	view = &chooser->widget->view;
	chooser->list.n_items = view->schema->n_columns;
	for (unsigned i = 0; i < view->n_columns; i++) {
		chooser->shown[n] = true;
		chooser->order[n++] = view->columns[i];
	}
	for (unsigned c = 0; c < view->schema->n_columns && n < VIEW_COLUMNS_MAX; c++) {
		bool chosen = false;

		for (unsigned i = 0; i < view->n_columns; i++)
			chosen |= view->columns[i] == c;
		if (!chosen)
			chooser->order[n++] = c;
	}
	screen->overlay = &overlay;
}

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
		  _("Space toggle  a all  Enter apply  Esc cancel"), draw_item, checklist);
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
