/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Menu, arrows and letters of sorting, each by columns that the table has. */
#include <config.h>

#include "screen/sorting.h"

#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/overlay.h"

#define KEY_CELLS 26

static void say_if_hidden(struct pane_context *context)
{
	const struct table_widget *widget = screen_table(context->screen);
	const struct column *columns = widget->view.schema->columns;

	if (widget->n_slots > 0 && widget->view.sort != VIEW_AS_SAMPLED &&
	    !table_draws(widget, (unsigned)widget->view.sort))
		screen_message(context->screen, MESSAGE_PANE, _("sorted by %s, which is not shown"),
			       column_name(&columns[widget->view.sort]));
}

static void step(struct pane_context *context, int step)
{
	if (screen_table(context->screen)->heading_y < 0)
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("this view has no table"));
	else if (!table_sort_step(screen_table(context->screen), step))
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       step < 0 ? _("this is the first column") : _("this is the last column"));
}

void sorting_left(struct pane_context *context)
{
	step(context, -1);
}

void sorting_right(struct pane_context *context)
{
	step(context, 1);
}

void sorting_reverse(struct pane_context *context)
{
	table_sort_reverse(screen_table(context->screen));
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       screen_table(context->screen)->view.descending ? _("largest first")
								       : _("smallest first"));
}

/* In the menu: those that are shown as they stand, then the others. Returns how many. */
static unsigned list_columns(const struct table_widget *widget, unsigned *columns)
{
	const struct view *view = &widget->view;
	unsigned n = 0;

	for (unsigned i = 0; i < view->n_columns; i++)
		if (table_draws(widget, view->columns[i]))
			columns[n++] = view->columns[i];
	for (unsigned i = 0; i < view->schema->n_columns && n < VIEW_COLUMNS_MAX; i++)
		if (!table_draws(widget, i))
			columns[n++] = i;
	return n;
}

static void chosen(struct pane_context *context, unsigned index)
{
	struct table_widget *widget = screen_table(context->screen);
	unsigned columns[VIEW_COLUMNS_MAX];

	list_columns(widget, columns);
	table_sort_by_column(widget, columns[index]);
	say_if_hidden(context);
}

static void write_item(struct buffer *text, const struct table_widget *widget, unsigned index)
{
	const struct column *column = &widget->view.schema->columns[index];

	buffer_empty(text);
	utf8_padded(text, column_title(column), table_title_cells(widget), false);
	buffer_char(text, ' ');
	utf8_padded(text, column->key, KEY_CELLS, false);
	buffer_char(text, '\0');
}

static const char *help_of(const struct table_widget *widget, unsigned index)
{
	if (widget->view.sort == (int)index)
		return widget->view.descending ? _("largest first; Enter reverses")
					       : _("smallest first; Enter reverses");
	return table_draws(widget, index) ? _(widget->view.schema->columns[index].help) : _("not shown");
}

void sorting_menu(struct pane_context *context)
{
	const struct table_widget *widget = screen_table(context->screen);
	unsigned columns[VIEW_COLUMNS_MAX], n = list_columns(widget, columns), current = 0, n_drawn = 0;
	struct menu_item items[VIEW_COLUMNS_MAX];
	struct buffer texts[VIEW_COLUMNS_MAX] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		if (widget->view.sort == (int)columns[i])
			current = i;
		write_item(&texts[i], widget, columns[i]);
		items[i] = (struct menu_item){ texts[i].bytes, help_of(widget, columns[i]) };
		n_drawn += table_draws(widget, columns[i]);
	}
	screen_menu(context, _("Sort by"), items, n, current, chosen);
	menu_dim_from(context->screen, n_drawn);
	for (unsigned i = 0; i < n; i++)
		buffer_free(&texts[i]);
}

/* By the first of these columns that the table has. */
static void sort_by_key(struct pane_context *context, const char *const *keys)
{
	struct table_widget *widget = screen_table(context->screen);

	for (; *keys; keys++) {
		if (schema_find(widget->view.schema, *keys)) {
			view_choose_sort(&widget->view, *keys);
			table_deselect(widget);
			screen_message(context->screen, MESSAGE_PANE, _("sorted by %s"),
				       column_name(schema_find(widget->view.schema, *keys)));
			say_if_hidden(context);
			return;
		}
	}
	screen_warn(context->screen, MESSAGE_PANE, "%s", _("this table has no such column"));
}

void sorting_by_memory(struct pane_context *context)
{
	sort_by_key(context, (const char *const[]){ "resident_bytes", "present_bytes", NULL });
}

void sorting_by_cpu(struct pane_context *context)
{
	sort_by_key(context, (const char *const[]){ "cpu_ratio", "mean_ratio", NULL });
}

void sorting_by_time(struct pane_context *context)
{
	sort_by_key(context, (const char *const[]){ "cpu_seconds", NULL });
}
