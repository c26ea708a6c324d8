/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: headed tables, right-aligned numbers, nothing that could harm a terminal. */
#include <config.h>

#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/utf8.h"
#include "output/sink.h"

struct cell {
	const char *text;           /* as found, or what is in number */
	char number[VALUE_TEXT_MAX];
};

static const struct column *column_of(const struct view *view, unsigned index)
{
	return &view->schema->columns[view->columns[index]];
}

static void fill_cell(struct cell *cell, const struct plan *plan, const struct view *view,
		      const struct column *column, const void *row, enum size_unit unit)
{
	cell->text = cell->number;
	if (column->type != VALUE_TEXT) {
		value_format(cell->number, view->schema, column, row, unit, plan->ascii);
		return;
	}
	cell->text = row_text(row, column);
	if (!cell->text)
		cell->text = "-";
}

static void add_cell(struct sink *sink, const char *text, int width, bool left, bool last)
{
	struct buffer *out = &sink->buffer;
	int cells = utf8_cells(text, sink->plan->ascii), gap = width > cells ? width - cells : 0;

	if (!left)
		buffer_fill(out, ' ', (size_t)gap);
	utf8_clean(out, text, -1, sink->plan->ascii);
	if (left && !last)
		buffer_fill(out, ' ', (size_t)gap);
	if (!last)
		buffer_char(out, ' ');
}

static bool is_left(const struct column *column)
{
	return column->type == VALUE_TEXT;
}

static unsigned shown_columns(const struct view *view, unsigned *shown)
{
	unsigned n_shown = 0;

	for (unsigned c = 0; c < view->n_columns; c++)
		if (view_shows(view, column_of(view, c)))
			shown[n_shown++] = c;
	return n_shown;
}

/* Widths only grow from sample to sample, so that columns stay where they are. */
static void measure(struct sink *sink, const struct view *view, int *widths, enum size_unit unit)
{
	struct cell cell;

	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);
		int title = utf8_cells(column_title(column), sink->plan->ascii);

		widths[c] = widths[c] > column->width ? widths[c] : column->width;
		widths[c] = widths[c] > title ? widths[c] : title;
		for (size_t r = 0; r < view->n_rows; r++) {
			int cells;

			fill_cell(&cell, sink->plan, view, column, view->rows[r], unit);
			cells = utf8_cells(cell.text, sink->plan->ascii);
			widths[c] = widths[c] > cells ? widths[c] : cells;
		}
	}
}

static void trim_line(struct buffer *out)
{
	while (out->length > 0 && out->bytes[out->length - 1] == ' ')
		out->length--;
	buffer_char(out, '\n');
}

static void add_heading(struct sink *sink, const struct view *view, const unsigned *shown, unsigned n_shown,
			const int *widths, enum size_unit unit)
{
	for (unsigned i = 0; i < n_shown; i++) {
		const struct column *column = column_of(view, shown[i]);

		add_cell(sink, column_title(column), widths[shown[i]], is_left(column), false);
	}
	if (view->schema->one_unit && unit != SIZE_AUTO)
		buffer_print(&sink->buffer, " %s", unit == SIZE_PERCENT ? "%" : size_unit_name(unit));
	trim_line(&sink->buffer);
}

static void add_table(struct sink *sink, struct view *view, const struct table *table, int *widths)
{
	enum size_unit unit = size_unit_of_table(table, sink->plan->unit);
	unsigned shown[VIEW_COLUMNS_MAX], n_shown;
	struct cell cell;

	view_apply(view, table);
	n_shown = shown_columns(view, shown);
	measure(sink, view, widths, unit);
	add_heading(sink, view, shown, n_shown, widths, unit);
	for (size_t r = 0; r < view->n_rows; r++) {
		for (unsigned i = 0; i < n_shown; i++) {
			const struct column *column = column_of(view, shown[i]);

			fill_cell(&cell, sink->plan, view, column, view->rows[r], unit);
			add_cell(sink, cell.text, widths[shown[i]], is_left(column), i + 1 == n_shown);
		}
		trim_line(&sink->buffer);
	}
}

static void add_time(struct sink *sink, const struct frame *frame)
{
	time_t seconds = (time_t)(frame->wall_ns / UINT64_C(1000000000));
	struct tm tm;
	char text[32];

	if (!localtime_r(&seconds, &tm) || strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return;
	buffer_print(&sink->buffer, "%s%s.%03u ", sink->frames > 0 ? "\n" : "", text,
		     (unsigned)(frame->wall_ns / 1000000 % 1000));
	utf8_clean(&sink->buffer, frame->host ? frame->host : "", -1, sink->plan->ascii);
	buffer_char(&sink->buffer, '\n');
}

static int begin(struct sink *sink)
{
	sink->widths = alloc_zeroed((size_t)sink->plan->n_views * VIEW_COLUMNS_MAX, sizeof(*sink->widths));
	return 0;
}

static int frame(struct sink *sink, const struct frame *frame)
{
	bool first = true;

	for (unsigned i = 0; i < sink->plan->n_views; i++) {
		struct view *view = &sink->plan->views[i];
		const struct table *table = frame_table(frame, view->schema->name);

		if (!table || table->n_rows == 0)
			continue;
		if (!first)
			buffer_char(&sink->buffer, '\n');
		else if (sink->plan->repeated)
			add_time(sink, frame);
		add_table(sink, view, table, sink->widths + (size_t)i * VIEW_COLUMNS_MAX);
		first = false;
	}
	return buffer_write(&sink->buffer, sink->fd);
}

const struct sink_format sink_text = { .name = "text", .begin = begin, .frame = frame };
