/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the pids of the page under the cursor into the request, so that they are read again. */
#include <config.h>

#include "pane/process_rows.h"

#include <math.h>

#include "model/units.h"

#define VALUE_CELLS 5 /* "100.0", "1023M" */

/* The list is sorted and holds each process once. */
static void add(struct sample_request *request, uint32_t pid)
{
	size_t at = request->n_visible;

	while (at > 0 && request->visible[at - 1] > pid)
		at--;
	if (request->n_visible == PROCESSES_VISIBLE_MAX || (at > 0 && request->visible[at - 1] == pid))
		return;
	for (size_t i = request->n_visible++; i > at; i--)
		request->visible[i] = request->visible[i - 1];
	request->visible[at] = pid;
}

void process_rows_request(struct pane_context *context, unsigned index)
{
	const struct table_widget *widget = &context->tables[index];
	const struct table *table = context_table(context, index);
	size_t end = widget->place.top + (size_t)widget->page;

	if (widget->heading_y < 0 || screen_replays(context))
		return;
	for (size_t i = widget->place.top; table && i < end && i < widget->view.n_rows; i++) {
		double pid = table_number(table, widget->view.rows[i], "pid");

		if (!isnan(pid))
			add(context_request(context), (uint32_t)pid);
	}
}

/* The page with the cursor. */
static void scroll(struct table_widget *widget, const struct canvas *canvas)
{
	struct table_place *place = &widget->place;
	size_t page = (size_t)canvas->height;

	widget->heading_y = canvas->top - 1;
	widget->left = canvas->left;
	widget->width = canvas->width;
	widget->page = canvas->height;
	widget->n_slots = 0;
	if (place->cursor_on && place->row >= place->top + page)
		place->top = place->row - page + 1;
	if (place->top >= widget->view.n_rows || (place->cursor_on && place->row < place->top))
		place->top = place->cursor_on ? place->row : 0;
}

void process_rows_draw_short(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			     const char *column, char *(*write)(char *out, double number))
{
	struct table_widget *widget = &context->tables[index];
	const struct table_place *place = &widget->place;
	const struct table *table = context_table(context, index);
	const struct view *view = &widget->view;

	scroll(widget, canvas);
	for (int y = 0; table && y < canvas->height && place->top + (size_t)y < view->n_rows; y++) {
		size_t at = place->top + (size_t)y;
		const void *row = view->rows[at];
		enum style style = place->cursor_on && at == place->row    ? STYLE_ROW
				   : table_row_is_gone(view->schema, row) ? STYLE_ENDED
									   : STYLE_NORMAL;
		char value[VALUE_TEXT_MAX];

		canvas_right(canvas, y, 0, VALUE_CELLS, style,
			     write(value, table_number(table, row, column)));
		canvas_cut(canvas, y, VALUE_CELLS + 1, style, table_text(table, row, "name"),
			   canvas->width - VALUE_CELLS - 1);
	}
}
