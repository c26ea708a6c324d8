/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of the table, as text prints it, with the help of each column at its heading. */
#include <config.h>

#include "output/report/report_table.h"

#include <string.h>

#include "core/i18n.h"
#include "model/units.h"
#include "model/view.h"

static const struct column *column_of(const struct view *view, unsigned index)
{
	return &view->schema->columns[view->columns[index]];
}

/* Columns that are shown, without those that others are not to see. */
static void leave_out(const struct page *page, struct view *view)
{
	unsigned n_columns = 0;

	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);

		if (view_shows(view, column) && (page->names || !column->personal))
			view->columns[n_columns++] = view->columns[c];
	}
	view->n_columns = n_columns;
}

static void add_class(struct page *page, const char *tag, const struct column *column)
{
	page_print(page, "<%s%s", tag,
		   column->prose            ? " class=\"prose\""
		   : column_is_left(column) ? " class=\"left\""
					    : "");
}

static void add_heading(struct page *page, const struct view *view)
{
	page_markup(page, "<tr>");
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);

		add_class(page, "th", column);
		page_markup(page, " title=\"");
		page_text(page, column->help ? _(column->help) : "");
		page_markup(page, "\">");
		page_text(page, column_name(column));
		page_markup(page, "</th>");
	}
	page_markup(page, "</tr>\n");
}

static void add_rows(struct page *page, const struct view *view, const struct value_format *format)
{
	char number[VALUE_TEXT_MAX];

	for (size_t r = 0; r < view->n_rows; r++) {
		page_markup(page, "<tr>");
		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = column_of(view, c);

			add_class(page, "td", column);
			page_markup(page, ">");
			page_foreign(page, value_text(number, view->schema, column, view->rows[r], format));
			page_markup(page, "</td>");
		}
		page_markup(page, "</tr>\n");
	}
}

/* The same title may mean something else in another table. */
static void note_columns(const struct view *view, struct report_columns *columns)
{
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);
		bool known = !column->help;

		for (unsigned i = 0; i < columns->n && !known; i++)
			known = strcmp(column_name(columns->list[i]), column_name(column)) == 0 &&
				strcmp(columns->list[i]->help, column->help) == 0;
		if (!known && columns->n < REPORT_COLUMNS_MAX)
			columns->list[columns->n++] = column;
	}
}

void report_columns_add(struct page *page, const struct report_columns *columns)
{
	if (columns->n == 0)
		return;
	page_element(page, "h3", _("What the columns mean"));
	page_element(page, "p", _("K, M, G and T are KiB, MiB, GiB and TiB; /s is in a second."));
	page_markup(page, "<dl>\n");
	for (unsigned i = 0; i < columns->n; i++) {
		page_markup(page, "<div>");
		page_element(page, "dt", column_name(columns->list[i]));
		page_element(page, "dd", _(columns->list[i]->help));
		page_markup(page, "</div>\n");
	}
	page_markup(page, "</dl>\n");
}

static void add_view(struct page *page, const struct reported_table *table, struct view *view,
		     const struct frame *frame, struct report_columns *columns)
{
	const struct table *rows = frame_table(frame, table->topic);
	const struct value_format format = { .unit = size_unit_of_table(rows, SIZE_AUTO),
					     .cpus = view_cpus(view, frame) };

	view_apply(view, rows);
	if (view->n_rows == 0)
		return;
	leave_out(page, view);
	note_columns(view, columns);
	page_markup(page, "<div>\n");
	page_element(page, "h3", _(table->title));
	page_markup(page, "<div class=\"wide\"><table>\n");
	add_heading(page, view);
	add_rows(page, view, &format);
	page_markup(page, "</table></div>\n</div>\n");
}

void report_table_add(struct page *page, const struct reported_table *table, const struct frame *frame,
		      const struct scope *scope, struct report_columns *columns)
{
	const struct table *rows = frame_table(frame, table->topic);
	struct view view;

	if (!rows || rows->failed)
		return;
	view_open(&view, rows->schema);
	view_apply_defaults(&view, page->names && table->with_names ? table->with_names : table->columns,
			    table->sort);
	if (table->threshold)
		view_set_threshold(&view, table->threshold, table->least);
	view_choose_scope(&view, scope);
	view.limit = table->rows;
	add_view(page, table, &view, frame, columns);
	view_close(&view);
}
