/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages pane besides its map: one page with its bytes, the process in numbers, its memory over time. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/pages/pages.h"
#include "screen/graph.h"

#define ROW_BYTES 16
#define TITLE_CELLS_MIN 12
#define VALUE_CELLS 16

static void forget_bytes(struct pages_state *pages)
{
	pages->last_length = pages->n_changed = 0;
}

/* Compares the digits of a row with the previous sample, and stores them. */
static void note_row(struct pages_state *pages, size_t row, const char *hex, bool comparable)
{
	size_t width = 2 * ROW_BYTES, digits = 0;
	char *last = pages->last_bytes + row * width;
	bool *changed = pages->changed_bytes + row * ROW_BYTES;

	memset(changed, false, ROW_BYTES * sizeof(*changed)); /* hex may be shorter than a row */

	for (; *hex && digits < width; hex++) {
		if (*hex == ' ')
			continue;
		changed[digits / 2] |= comparable && last[digits] != *hex;
		last[digits++] = *hex;
	}
	memset(last + digits, 0, width - digits);
}

void pages_note_bytes(struct pages_state *pages, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "page_bytes");
	uint64_t page = table && table->n_rows > 0
				? table_u64(table, table_row(table, 0), "byte_address")
				: 0;
	bool comparable = table && page == pages->last_page && pages->last_length == table->n_rows;

	if (!table || table->n_rows == 0) {
		forget_bytes(pages);
		return;
	}
	if (pages->last_length < table->n_rows) {
		pages->last_bytes = alloc_resize(pages->last_bytes, table->n_rows, 2 * ROW_BYTES);
		pages->changed_bytes = alloc_resize(pages->changed_bytes, table->n_rows,
						    ROW_BYTES * sizeof(*pages->changed_bytes));
	}
	for (size_t i = 0; i < table->n_rows; i++)
		note_row(pages, i, table_text(table, table_row(table, i), "hex"), comparable);
	pages->last_length = table->n_rows;
	pages->n_changed = table->n_rows * ROW_BYTES;
	pages->last_page = page;
}

static void draw_row(const struct pages_state *pages, const struct canvas *canvas, int y,
		     const struct table *table, size_t index)
{
	const void *row = table_row(table, index);
	uint64_t address = table_u64(table, row, "byte_address");
	const char *hex = table_text(table, row, "hex");
	int x = 2 + (address == U64_UNKNOWN ? canvas_print(canvas, y, 0, STYLE_DIM, "%12s", "-")
					    : canvas_print(canvas, y, 0, STYLE_DIM, "%012" PRIx64, address));

	canvas_text(canvas, y, x, STYLE_NORMAL, hex, -1);
	canvas_text(canvas, y, x + 3 * ROW_BYTES + 1, STYLE_NORMAL, table_text(table, row, "text"), -1);
	for (size_t i = 0; i < ROW_BYTES; i++) {
		size_t byte = index * ROW_BYTES + i;

		if (byte >= pages->n_changed || !pages->changed_bytes[byte])
			continue;
		canvas_restyle(canvas, y, x + 3 * (int)i, 2, STYLE_NEW);
		canvas_restyle(canvas, y, x + 3 * ROW_BYTES + 1 + (int)i, 1, STYLE_NEW);
	}
}

/* The last line is drawn at the bottom, or above it. */
static void limit_scroll(struct pages_state *pages, int n_lines, int room)
{
	int last = n_lines > room ? n_lines - room : 0;

	pages->page_lines = room;
	if (pages->scroll > last)
		pages->scroll = last;
}

void pages_layout_page(struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, PAGES_TABLE_BYTES);

	limit_scroll(context_state(context), table ? (int)table->n_rows : 0, canvas->height - 1);
}

static void draw_bytes(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct table *table = context_table(context, PAGES_TABLE_BYTES);
	int n_rows = table ? (int)table->n_rows : 0;

	if (n_rows == 0)
		canvas_text(
			canvas, 0, 0, STYLE_DIM,
			_("its bytes are not read: it is absent, and reading would populate it, or it may "
			  "not be read"),
			-1);
	for (int y = 0; y < canvas->height && pages->scroll + y < n_rows; y++)
		draw_row(pages, canvas, y, table, (size_t)(pages->scroll + y));
}

static void draw_bits(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *table = context_table(context, PAGES_TABLE_PAGE);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;
	const struct value_format format = { .ascii = canvas->ascii };
	int x = 0;

	for (unsigned i = 2; row && i < table->schema->n_columns; i++) {
		const struct column *column = &table->schema->columns[i];
		char number[VALUE_TEXT_MAX];

		if (!row_is_known(row, column))
			continue;
		x += canvas_print(canvas, y, x, STYLE_DIM, "%s ", column_title(column));
		x += canvas_text(canvas, y, x, STYLE_NORMAL,
				 value_text(number, table->schema, column, row, &format),
				 -1) +
		     2;
	}
	if (!row)
		canvas_text(canvas, y, 0, STYLE_DIM, _("nothing is known of it"), -1);
}

void pages_draw_page(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas rest = canvas_rows(canvas, 1, canvas->height - 1);

	draw_bits(context, canvas, 0);
	draw_bytes(context, &rest);
}

unsigned pages_n_values(const struct pane_context *context)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table_row(table, 0);
	unsigned n_known = 0;

	for (unsigned i = 0; i < table->schema->n_columns; i++)
		n_known += row_is_known(row, &table->schema->columns[i]);
	return n_known;
}

static int title_cells(const struct table *table, const void *row, bool ascii)
{
	int most = TITLE_CELLS_MIN;

	for (unsigned i = 0; i < table->schema->n_columns; i++) {
		const struct column *column = &table->schema->columns[i];
		int cells = row_is_known(row, column) ? utf8_cells(column_title(column), ascii) : 0;

		most = cells > most ? cells : most;
	}
	return most;
}

/* People read them as bytes, as everywhere. */
static bool is_of_pages(const struct column *column)
{
	size_t length = strlen(column->key), end = strlen("_pages");

	return length > end && strcmp(column->key + length - end, "_pages") == 0;
}

static void draw_value(const struct pane_context *context, const struct canvas *line, int titles,
		       const struct table *table, const struct column *column, const void *row)
{
	const struct value_format format = { .unit = context->unit, .ascii = line->ascii };
	const struct pages_state *pages = context->state;
	char number[VALUE_TEXT_MAX];
	const char *text = number;

	if (is_of_pages(column))
		size_short(number, row_number(row, column) * (double)pages->page_bytes);
	else
		text = value_text(number, table->schema, column, row, &format);
	canvas_text(line, 0, 0, STYLE_STRONG, column_title(column), titles);
	canvas_right(line, 0, titles, VALUE_CELLS, STYLE_NORMAL, text);
	canvas_text(line, 0, titles + VALUE_CELLS + 2, STYLE_DIM, _(column->help), -1);
}

/* They stand beside each other where there is much room. */
static int value_columns(const struct canvas *canvas)
{
	return canvas->width >= 160 ? 2 : 1;
}

void pages_layout_values(struct pane_context *context, const struct canvas *canvas)
{
	limit_scroll(context_state(context), (int)pages_n_values(context),
		     value_columns(canvas) * canvas->height);
}

void pages_draw_values(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table_row(table, 0);
	int columns = value_columns(canvas), width = canvas->width / columns;
	int room = columns * canvas->height, y = -pages->scroll;
	int titles = title_cells(table, row, canvas->ascii);

	for (unsigned i = 0; i < table->schema->n_columns && y < room; i++) {
		const struct column *column = &table->schema->columns[i];

		if (!row_is_known(row, column))
			continue;
		if (y >= 0) {
			struct canvas part =
				canvas_part(canvas, y % canvas->height, y / canvas->height * width, 1, width);

			draw_value(context, &part, titles, table, column, row);
		}
		y++;
	}
}

/* Current, or last known: an exited process has only a past. */
static double latest(const struct pane_context *context, unsigned series)
{
	const struct history *history = &context->history;
	double value = NAN;

	for (size_t i = history->count; i-- > 0 && isnan(value);)
		if (history_time(history, i) <= context->frame->mono_ns)
			value = history_value(history, series, i);
	return value;
}

void pages_draw_history(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas graph = canvas_rows(canvas, 0, canvas->height - 1);
	struct graph_part parts[] = {
		{ 'A', 0, _("anon"), PAGES_SERIES_ANONYMOUS, 0 },
		{ 'F', 2, _("file"), PAGES_SERIES_FILE, 0 },
		{ 'S', 5, _("swapped"), PAGES_SERIES_SWAPPED, 0 },
	};
	double peak = latest(context, PAGES_SERIES_PEAK);
	char size[VALUE_TEXT_MAX];
	struct graph_scale scale = {
		.whole = PAGES_SERIES_PEAK,
		.top_label = size_short(size, peak),
		.now_ns = context->frame->mono_ns,
		.step_seconds = context_step_seconds(context),
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		parts[i].value = latest(context, parts[i].series);
	graph_stacked(&graph, &context->history, parts, sizeof(parts) / sizeof(parts[0]), &scale);
	graph_legend(canvas, canvas->height - 1, parts, sizeof(parts) / sizeof(parts[0]), peak,
		     _("below its peak"));
}
