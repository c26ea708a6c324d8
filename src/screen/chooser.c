/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing the columns of a table: which, and in which order. */
#include <config.h>

#include "core/i18n.h"
#include "screen/state.h"

static void apply(struct screen *screen)
{
	const struct chooser *chooser = &screen->chooser;
	struct view *view = &chooser->widget->view;

	view->n_columns = 0;
	for (unsigned i = 0; i < view->schema->n_columns; i++)
		if (chooser->shown[i])
			view->columns[view->n_columns++] = chooser->order[i];
}

static void draw_chooser(struct screen *screen, const struct canvas *canvas)
{
	const struct chooser *chooser = &screen->chooser;
	const struct schema *schema = chooser->widget->view.schema;
	struct canvas page = canvas_rows(canvas, canvas->height >= 6 ? 2 : 0, canvas->height);
	int page_rows = page.height > 2 ? page.height - 2 : 1;
	unsigned top = (int)chooser->cursor >= page_rows ? chooser->cursor - (unsigned)page_rows + 1 : 0;

	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	canvas_print(&page, 0, 0, STYLE_HEADING, _("Columns of %s"), schema->name);
	for (int y = 0; y < page_rows && top + (unsigned)y < schema->n_columns; y++) {
		unsigned i = top + (unsigned)y;
		const struct column *column = &schema->columns[chooser->order[i]];
		enum style style = i == chooser->cursor ? STYLE_ROW : STYLE_NORMAL;

		canvas_fill(&page, y + 1, 0, style, ' ', page.width);
		canvas_print(&page, y + 1, 0, style, "[%c] %-24s %s", chooser->shown[i] ? 'x' : ' ',
			     column->key, _(column->help));
	}
	canvas_text(&page, page.height - 1, 0, STYLE_KEY,
		    _("Space shows or hides, < and > move it up and down, Enter ends"), -1);
}

static void toggle(struct screen *screen)
{
	struct chooser *chooser = &screen->chooser;
	bool was = chooser->shown[chooser->cursor];

	if (was && chooser->widget->view.n_columns == 1)
		return; /* a table without columns could not be seen */
	chooser->shown[chooser->cursor] = !was;
}

static void move(struct screen *screen, int step)
{
	struct chooser *chooser = &screen->chooser;
	unsigned from = chooser->cursor, to = from + (unsigned)step;
	unsigned column = chooser->order[from];
	bool shown = chooser->shown[from];

	if (to >= chooser->widget->view.schema->n_columns)
		return;
	chooser->order[from] = chooser->order[to];
	chooser->shown[from] = chooser->shown[to];
	chooser->order[to] = column;
	chooser->shown[to] = shown;
	chooser->cursor = to;
}

static void chooser_key(struct screen *screen, const struct input *input)
{
	struct chooser *chooser = &screen->chooser;
	unsigned last = chooser->widget->view.schema->n_columns - 1;

	switch (input->key) {
	case K_UP:
		chooser->cursor -= chooser->cursor > 0 ? 1 : 0;
		return;
	case K_DOWN:
		chooser->cursor += chooser->cursor < last ? 1 : 0;
		return;
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
