/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drawing of a table: which columns fit, their widths, which rows are visible; and the look of a value: what
 * recedes, what stands out, and what was searched for.
 */
#include <config.h>

#include "screen/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "screen/graph.h"

#define TAG '*'
#define TAG_CELLS 2
#define TEXT_CELLS_MIN 4     /* of truncated text */
#define TREND_FROM_WIDTH 100 /* cells */
#define EIGHTH 0x2581u       /* the lowest of eight blocks */

#define MATCHES_MAX 8 /* marked in one text */

/* A value on the canvas. */
struct place {
	const struct canvas *canvas;
	int y, x, width;
	const char *text;  /* from its beginning, or from where it is shown */
	int before;        /* cells of a mark for the beginning that is not shown */
};

static int cells_between(const struct place *place, const char *start, const char *end)
{
	struct utf8_reader reader = { .rest = { .at = start, .end = end }, .ascii = place->canvas->ascii };
	int cells = 0, width;
	uint32_t code;

	while (utf8_visible(&reader, &code, &width))
		cells += width;
	return cells;
}

/* Of the bytes from start to end, as far as they are shown. */
static void restyle(const struct place *place, const char *start, const char *end, enum style style)
{
	int x = place->before + cells_between(place, place->text, start < place->text ? place->text : start);
	int cells = cells_between(place, start < place->text ? place->text : start, end);

	if (end <= place->text || x >= place->width || cells <= 0)
		return;
	canvas_restyle(place->canvas, place->y, place->x + x,
		       cells < place->width - x ? cells : place->width - x, style);
}

static bool is_zero(const char *text)
{
	return !text[strcspn(text, "123456789")];
}

static enum style style_of_number(const struct column *column, const void *row, const char *text)
{
	double number = row_number(row, column);

	if (column->unit == UNIT_ADDRESS)
		return STYLE_NORMAL;
	if (column->unit != UNIT_NONE && is_zero(text))
		return STYLE_DIM;
	if (column->alarming > 0 && number >= column->alarming)
		return STYLE_USAGE_BUSY;
	return column->high > 0 && number >= column->high ? STYLE_STRONG : STYLE_NORMAL;
}

static void draw_number(const struct canvas *canvas, int y, const struct table_slot *slot,
			const struct column *column, const void *row, const struct table_value *value,
			enum style base)
{
	enum style style = base == STYLE_NORMAL ? style_of_number(column, row, value->text) : base;
	const char *end = value->text + strlen(value->text), *unit = end;
	struct place place = { canvas, y, slot->x + slot->width - value->cells, value->cells, value->text,
			       0 };

	if (value->cells > slot->width && *value->text) { /* a truncated number would be a different number */
		canvas_fill(canvas, y, slot->x + slot->width - 1, style, canvas->glyphs->cut, 1);
		return;
	}
	canvas_right(canvas, y, slot->x, slot->width, style, value->text);
	while (column->unit != UNIT_ADDRESS && unit > value->text && !isdigit((unsigned char)unit[-1]))
		unit--;
	if (style == STYLE_NORMAL && unit > value->text)
		restyle(&place, unit, end, STYLE_DIM);
}

static enum style style_of_state(const char *text)
{
	switch (*text) {
	case 'R':
		return STYLE_OK;
	case 'D':
	case 'Z':
		return STYLE_WARN;
	default:
		return STYLE_DIM;
	}
}

/* The program of a command line: its first word without directories. */
struct program {
	const char *name, *end;
};

static struct program find_program(const char *command)
{
	struct program program = { command, command + strcspn(command, " ") };

	for (const char *at = command; at + 1 < program.end; at++)
		if (*at == '/')
			program.name = at + 1;
	return program;
}

/* Where a topic does not say so, by the brackets of its name. */
static bool is_kernel_thread(const struct schema *schema, const void *row, const char *command)
{
	const struct column *column = schema_find(schema, "kernel_thread");
	size_t length = strlen(command);

	return column && row_is_known(row, column) ? row_number(row, column) == 1
						   : *command == '[' && command[length - 1] == ']';
}

/* What is left of the text from this cell on. */
static const char *text_from(const char *text, int cell, bool ascii)
{
	struct utf8_reader reader = { .rest = span_text(text), .ascii = ascii };
	const char *at = text;
	uint32_t code;
	int cells;

	while (cell > 0 && utf8_visible(&reader, &code, &cells)) {
		at = reader.rest.at;
		cell -= cells;
	}
	return at;
}

/* Is the text shown up to there, and not behind the mark that cuts it? */
static bool sees(const struct place *place, const char *end)
{
	int cells = place->before + cells_between(place, place->text, end);

	return cells + (cells_between(place, end, end + strlen(end)) > 0) <= place->width;
}

/* Where the name of the program would be cut, or the rest and directories have a third of the room, a mark
 * stands for them, or nothing. */
static void shorten_path(struct place *place, const struct program *program)
{
	if (program->name - place->text < 2 || sees(place, place->text + strlen(place->text)) ||
	    (cells_between(place, place->text, program->end) <= place->width &&
	     3 * cells_between(place, place->text, program->name) <= place->width))
		return;
	if (place->canvas->ascii || cells_between(place, program->name, program->end) + 2 > place->width) {
		place->text = program->name;
		return;
	}
	canvas_fill(place->canvas, place->y, place->x, STYLE_PATH, place->canvas->glyphs->cut, 1);
	place->text = program->name - 1;
	place->before = 1;
}

static void draw_rest(const struct place *place, enum style style)
{
	canvas_cut(place->canvas, place->y, place->x + place->before, style, place->text,
		   place->width - place->before);
}

static void begin_behind_mark(struct place *place, const char *text, int cell, enum style style)
{
	place->text = text_from(text, cell, place->canvas->ascii);
	place->before = 1;
	canvas_fill(place->canvas, place->y, place->x, style, place->canvas->glyphs->cut, 1);
}

/* The text is shown from where its match, up to end, is seen, with what follows in a quarter of the room. */
static void show_match(struct place *place, const char *text, const char *end, enum style base)
{
	int behind = cells_between(place, end, end + strlen(end)), most = place->width / 4;
	int from;

	if (sees(place, end))
		return;
	place->text = text;
	from = cells_between(place, text, end) + (behind < most ? behind : most) - (place->width - 2);
	if (from > 0)
		begin_behind_mark(place, text, from, base);
}

/* The end of the first match of the filter; NULL: there is none. */
static const char *match_end(const struct table_widget *widget, const char *text)
{
	regmatch_t match;

	return widget->has_filter && regexec(&widget->filter, text, 1, &match, 0) == 0 ? text + match.rm_eo
										       : NULL;
}

static void draw_command(const struct table_widget *widget, struct place *place, enum style base, bool fresh)
{
	const char *command = place->text, *match = match_end(widget, command);
	struct program program = find_program(command);

	if (!match || !sees(place, match))
		shorten_path(place, &program);
	if (match)
		show_match(place, command, match, base);
	if (place->before > 0 && base != STYLE_NORMAL)
		canvas_restyle(place->canvas, place->y, place->x, 1, base);
	draw_rest(place, base);
	if (base != STYLE_NORMAL)
		return;
	restyle(place, command, program.name, STYLE_PATH);
	restyle(place, program.name, program.end, fresh ? STYLE_FRESH : STYLE_PROGRAM);
}

/* Is it the name of the program, or the beginning of it that the kernel keeps? */
static bool begins_with_name(const char *command, const char *name)
{
	struct program program = find_program(command);

	return strncmp(program.name + (*program.name == '-'), name, strlen(name)) == 0;
}

/* NULL: the command line begins with it. */
static const char *name_apart(const struct schema *schema, const struct column *column, const void *row)
{
	const struct column *names = column->text == TEXT_COMMAND ? schema_find(schema, "name") : NULL;
	const char *command, *name;

	if (!names || names->type != VALUE_TEXT || !row_is_known(row, names) || !row_is_known(row, column))
		return NULL;
	command = row_text(row, column);
	name = row_text(row, names);
	return !*name || !*command || *command == '[' || begins_with_name(command, name) ? NULL : name;
}

/*
 * A process that named itself, or a script, has its name before its command line if that begins with another
 * one: "backup: " and then /usr/bin/python3 … Cells; the same that is drawn.
 */
static int name_cells(const struct schema *schema, const struct column *column, const void *row, bool ascii)
{
	const char *name = name_apart(schema, column, row);

	return name ? utf8_cells(name, ascii) + 2 : 0;
}

static void mark_matches(const struct place *place, const regex_t *pattern)
{
	const char *at = place->text;
	regmatch_t match;

	for (int i = 0; i < MATCHES_MAX; i++) {
		if (regexec(pattern, at, 1, &match, i > 0 || place->before > 0 ? REG_NOTBOL : 0) != 0)
			return;
		restyle(place, at + match.rm_so, at + match.rm_eo, STYLE_MATCH);
		if (match.rm_eo == match.rm_so)
			return;
		at += match.rm_eo;
	}
}

/* The beginning stands to the left of the column, as a mark says. */
static bool skip_beginning(const struct table_widget *widget, const struct table_slot *slot,
			   struct place *place, enum style base)
{
	if (!*place->text || !widget->place.cursor_on || slot->column != widget->column ||
	    widget->text_from == 0)
		return false;
	begin_behind_mark(place, place->text, widget->text_from + 1, base);
	return true;
}

static int draw_name(const struct table_widget *widget, const struct canvas *canvas, int y,
		     const struct table_slot *slot, const struct column *column, const void *row,
		     enum style base)
{
	const char *name = name_apart(widget->view.schema, column, row);
	struct place place = { canvas, y, slot->x, slot->width, name, 0 };
	int cells = name_cells(widget->view.schema, column, row, canvas->ascii);

	if (!name || (slot->column == widget->column && widget->text_from > 0))
		return 0;
	draw_rest(&place, base == STYLE_NORMAL ? STYLE_PROGRAM : base);
	if (cells < slot->width)
		canvas_text(canvas, y, slot->x + cells - 2, base, ":", 1);
	if (widget->has_filter)
		mark_matches(&place, &widget->filter);
	if (widget->has_found && widget->place.cursor_on)
		mark_matches(&place, &widget->found);
	return cells < slot->width ? cells : slot->width;
}

static void draw_text(const struct table_widget *widget, const struct canvas *canvas, int y,
		      const struct table_slot *slot, const struct column *column, const void *row,
		      const char *text, enum style base, bool fresh)
{
	struct place place = { canvas, y, slot->x, slot->width, text, 0 };
	bool plain = base == STYLE_NORMAL, skipped = skip_beginning(widget, slot, &place, base);
	bool command = !skipped && column->text == TEXT_COMMAND;
	bool kernel = command && plain && is_kernel_thread(widget->view.schema, row, text);

	if (!skipped && !command && match_end(widget, text))
		show_match(&place, text, match_end(widget, text), base);
	if (command && !kernel)
		draw_command(widget, &place, base, fresh);
	else
		draw_rest(&place, plain && fresh                        ? STYLE_FRESH
				  : kernel                              ? STYLE_DIM
				  : plain && column->text == TEXT_STATE ? style_of_state(text)
									: base);
	if (widget->has_filter)
		mark_matches(&place, &widget->filter);
	if (widget->has_found && widget->place.cursor_on)
		mark_matches(&place, &widget->found);
}

void table_open(struct table_widget *widget, const struct schema *schema)
{
	*widget = (struct table_widget){ .heading_y = -1 };
	view_open(&widget->view, schema);
	widget->view.as_seen = true;
}

void table_close(struct table_widget *widget)
{
	view_close(&widget->view);
	if (widget->has_filter)
		regfree(&widget->filter);
	if (widget->has_found)
		regfree(&widget->found);
	buffer_free(&widget->filter_text);
	buffer_free(&widget->place.key);
	buffer_free(&widget->scratch);
	free(widget->values);
	row_trends_free(&widget->trends);
}

static const struct column *column_at(const struct table_widget *widget, unsigned position)
{
	return &widget->view.schema->columns[widget->view.columns[position]];
}

/* Formats the values of the page; returns the number of its rows. */
static size_t format_page(struct table_widget *widget, const struct value_format *format, size_t page)
{
	const struct view *view = &widget->view;
	size_t rest = widget->place.top < view->n_rows ? view->n_rows - widget->place.top : 0;
	size_t n_rows = rest < page ? rest : page, n_columns = view->n_columns;

	VECTOR_RESERVE(widget->values, n_rows * n_columns, widget->n_values);
	for (size_t i = 0; i < n_rows * n_columns; i++) {
		struct table_value *value = &widget->values[i];
		const void *row = view->rows[widget->place.top + i / n_columns];
		const struct column *column = column_at(widget, (unsigned)(i % n_columns));

		value->text = value_text(value->number, view->schema, column, row, format);
		value->cells = utf8_cells(value->text, format->ascii) +
			       name_cells(view->schema, column, row, format->ascii);
	}
	return n_rows;
}

static bool has_interval(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].of_interval)
			return true;
	return false;
}

static bool same_interval(const struct schema *schema, const void *one, const void *other)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].of_interval && !row_same_value(&schema->columns[i], one, other))
			return false;
	return true;
}

/* What holds for an interval stands in the first of its rows on the page. */
static void blank_repeated(struct table_widget *widget, size_t n_rows)
{
	const struct view *view = &widget->view;

	for (size_t y = 1; y < n_rows && has_interval(view->schema); y++) {
		const void *const *rows = (const void *const *)&view->rows[widget->place.top];
		size_t before = 0;

		while (before < y && !same_interval(view->schema, rows[before], rows[y]))
			before++;
		for (unsigned i = 0; before < y && i < view->n_columns; i++) {
			struct table_value *value = &widget->values[y * view->n_columns + i];

			value->text = column_at(widget, i)->of_interval ? "" : value->text;
		}
	}
}

/* Of row y of the page. */
static const struct table_value *value_at(const struct table_widget *widget, size_t y, unsigned position)
{
	return &widget->values[y * widget->view.n_columns + position];
}

/* Of a size with the unit, if that is fixed. */
static const char *heading_of(const struct table_widget *widget, unsigned position, char text[TEXT_MAX])
{
	const struct column *column = column_at(widget, position);
	const char *unit = size_unit_of_column(widget->view.schema, column, widget->widths_unit);

	snprintf(text, TEXT_MAX, "%s%s%s", column_title(column), *unit ? " " : "", unit);
	return text;
}

static int heading_cells(const struct table_widget *widget, unsigned position, bool ascii)
{
	char text[TEXT_MAX];

	return utf8_cells(heading_of(widget, position, text), ascii);
}

void table_forget_widths(struct table_widget *widget)
{
	memset(widget->growths, 0, sizeof(widget->growths));
}

/* What it was at this time, or is now because it has to be. */
static int grow(struct table_growth growths[TABLE_GROWTHS], uint64_t now_ns, int cells)
{
	unsigned at = 0;

	for (unsigned i = 0; i < TABLE_GROWTHS; i++)
		if (growths[i].since_ns <= now_ns && growths[i].cells > cells)
			cells = growths[i].cells;
	while (at < TABLE_GROWTHS && growths[at].cells > cells)
		at++;
	if (at < TABLE_GROWTHS && growths[at].cells == cells) {
		if (growths[at].since_ns > now_ns)
			growths[at].since_ns = now_ns;
	} else if (at < TABLE_GROWTHS) {
		memmove(growths + at + 1, growths + at, (TABLE_GROWTHS - at - 1) * sizeof(*growths));
		growths[at] = (struct table_growth){ .since_ns = now_ns, .cells = cells };
	}
	return cells;
}

/* Widths of numbers follow what is visible and never shrink until the unit changes: nothing jumps. */
static void measure(struct table_widget *widget, const struct value_format *format, size_t n_rows)
{
	if (format->unit != widget->widths_unit)
		table_forget_widths(widget);
	widget->widths_unit = format->unit;
	for (unsigned i = 0; i < widget->view.n_columns; i++) {
		const struct column *column = column_at(widget, i);
		unsigned index = widget->view.columns[i];
		int title = heading_cells(widget, i, format->ascii);
		int width = column->width > title ? column->width : title;

		for (size_t y = 0; y < n_rows; y++)
			width = value_at(widget, y, i)->cells > width ? value_at(widget, y, i)->cells : width;
		widget->widths[index] = grow(widget->growths[index], widget->shown_ns, width);
	}
}

/* Texts may be truncated to the column's minimum width; numbers and names of rows may not. */
static int minimum_width(const struct table_widget *widget, unsigned position, bool ascii)
{
	const struct column *column = column_at(widget, position);
	int title = heading_cells(widget, position, ascii);

	if (column->type != VALUE_TEXT || (column->kind == COLUMN_KEY && column->words))
		return widget->widths[widget->view.columns[position]];
	return column->width > title ? column->width : title;
}

/* The shown columns and their minimum widths. */
struct plan {
	bool shown[VIEW_COLUMNS_MAX];
	int widths[VIEW_COLUMNS_MAX]; /* minimum */
};

static int total_width(const struct table_widget *widget, const struct plan *plan)
{
	int total = 0;

	for (unsigned i = 0; i < widget->view.n_columns; i++)
		if (plan->shown[i])
			total += plan->widths[i] + 1;
	return total - 1;
}

/* Omits the least important columns, of equal ones the last, until the others fit. */
static void drop_by_rank(const struct table_widget *widget, struct plan *plan, int room)
{
	while (total_width(widget, plan) > room) {
		unsigned worst = 0;

		for (unsigned i = 1; i < widget->view.n_columns; i++)
			if (plan->shown[i] && widget->view.columns[i] + 1 != widget->added &&
			    (worst == 0 || column_at(widget, i)->rank >= column_at(widget, worst)->rank))
				worst = i;
		if (worst == 0)
			return;
		plan->shown[worst] = false;
	}
}

/* Where all texts were omitted, the beginning of the most important one comes back to identify the rows. */
static void bring_back_text(const struct table_widget *widget, struct plan *plan, int room)
{
	int spare = room - total_width(widget, plan) - 1;
	unsigned best = 0;

	for (unsigned i = 0; i < widget->view.n_columns; i++) {
		const struct column *column = column_at(widget, i);

		if (column->type != VALUE_TEXT || !view_shows(&widget->view, column))
			continue;
		if (plan->shown[i])
			return;
		if (best == 0 || column->rank < column_at(widget, best)->rank)
			best = i;
	}
	if (best == 0 || spare < TEXT_CELLS_MIN)
		return;
	plan->shown[best] = true;
	plan->widths[best] = spare < plan->widths[best] ? spare : plan->widths[best];
}

/* With sideways scrolling: the first column, then those that fit from the scrolled position on. */
static void drop_by_scroll(const struct table_widget *widget, struct plan *plan, int room)
{
	int used = plan->widths[0];

	for (unsigned i = 1; i < widget->view.n_columns; i++) {
		plan->shown[i] &= i >= widget->scroll;
		if (plan->shown[i])
			used += plan->widths[i] + 1;
		plan->shown[i] &= used <= room || i == widget->scroll;
	}
}

/* Where it is still too wide, the first column shrinks if it is a text, then the last one. */
static void shrink(const struct table_widget *widget, struct plan *plan, int room)
{
	int missing = total_width(widget, plan) - room;
	int give = plan->widths[0] - TEXT_CELLS_MIN;
	unsigned last = widget->view.n_columns - 1;

	while (last > 0 && !plan->shown[last])
		last--;
	if (missing > 0 && give > 0 && last > 0 && column_at(widget, 0)->type == VALUE_TEXT) {
		give = give < missing ? give : missing;
		plan->widths[0] -= give;
		missing -= give;
	}
	if (missing > 0)
		plan->widths[last] = plan->widths[last] > missing ? plan->widths[last] - missing : 0;
}

/* The rest of the width goes to the texts, from the left, as far as they need it; the last has all of it. */
static void place_columns(struct table_widget *widget, const struct plan *plan, int room)
{
	int spare = room - total_width(widget, plan), x = 0;

	widget->n_slots = 0;
	for (unsigned i = 0; i < widget->view.n_columns; i++) {
		int width = plan->widths[i], wanted = widget->widths[widget->view.columns[i]];
		int more = wanted > width ? wanted - width : 0;

		if (!plan->shown[i])
			continue;
		more = more < spare ? more : spare;
		more = more > 0 ? more : 0;
		widget->slots[widget->n_slots++] =
			(struct table_slot){ .column = i, .x = x, .width = width + more };
		spare -= more;
		x += width + more + 1;
	}
	if (spare > 0 && widget->n_slots > 0) {
		struct table_slot *last = &widget->slots[widget->n_slots - 1];

		last->width += column_is_left(column_at(widget, last->column)) ? spare : 0;
	}
}

static void lay_out_once(struct table_widget *widget, int room, bool ascii)
{
	struct plan plan = { .shown = { false } };

	for (unsigned i = 0; i < widget->view.n_columns; i++) {
		plan.shown[i] = view_shows(&widget->view, column_at(widget, i));
		plan.widths[i] = minimum_width(widget, i, ascii);
	}
	if (widget->scroll > 0) {
		drop_by_scroll(widget, &plan, room);
	} else {
		drop_by_rank(widget, &plan, room);
		bring_back_text(widget, &plan, room);
	}
	shrink(widget, &plan, room);
	place_columns(widget, &plan, room);
}

/* The slot behind which the trend has room; n_slots: none. */
static unsigned trend_slot(const struct table_widget *widget, const struct canvas *canvas)
{
	unsigned i = widget->n_slots;

	if (canvas->width < TREND_FROM_WIDTH || canvas->ascii || !widget->trends.column)
		return i;
	for (i = 0; i < widget->n_slots; i++)
		if (column_at(widget, widget->slots[i].column) == widget->trends.column)
			break;
	return i;
}

/* Scrolls sideways until the selected column is visible. */
static void lay_out_columns(struct table_widget *widget, int room, bool ascii)
{
	if (widget->column >= widget->view.n_columns)
		widget->column = widget->view.n_columns - 1;
	if (!widget->place.cursor_on || !view_shows(&widget->view, column_at(widget, widget->column)))
		widget->scroll = 0;
	else if (widget->column < widget->scroll)
		widget->scroll = widget->column;
	lay_out_once(widget, room, ascii);
	while (widget->place.cursor_on && widget->scroll < widget->column &&
	       !table_draws(widget, widget->view.columns[widget->column])) {
		widget->scroll++;
		lay_out_once(widget, room, ascii);
	}
}

/* Where the trend of a column has room behind it, the other columns make it. */
static void lay_out(struct table_widget *widget, const struct canvas *canvas)
{
	unsigned behind;

	widget->trend_x = 0;
	lay_out_columns(widget, canvas->width, canvas->ascii);
	if (trend_slot(widget, canvas) == widget->n_slots)
		return;
	lay_out_columns(widget, canvas->width - ROW_TREND_CELLS - 1, canvas->ascii);
	behind = trend_slot(widget, canvas);
	if (behind == widget->n_slots)
		return;
	widget->trend_x = widget->slots[behind].x + widget->slots[behind].width + 1;
	for (unsigned i = behind + 1; i < widget->n_slots; i++)
		widget->slots[i].x += ROW_TREND_CELLS + 1;
}

static void draw_trend(const struct table_widget *widget, const struct canvas *canvas, int y, const void *row,
		       enum style base)
{
	double values[ROW_TREND_CELLS];
	unsigned char levels[ROW_TREND_CELLS];
	double alarming;

	if (widget->trend_x == 0 ||
	    !row_trends_find(&widget->trends, row_hash_key(widget->view.schema, row), values))
		return;
	row_trend_levels(widget->trends.column, values, levels);
	alarming = widget->trends.column->alarming;
	for (int i = 0; i < ROW_TREND_CELLS; i++)
		if (levels[i] > 0)
			canvas_fill(canvas, y, widget->trend_x + i,
				    base != STYLE_NORMAL                    ? base
				    : alarming > 0 && values[i] >= alarming ? STYLE_USAGE_BUSY
									    : STYLE_USAGE,
				    EIGHTH + levels[i] - 1, 1);
}

static void draw_heading(const struct table_widget *widget, const struct canvas *canvas, enum size_unit unit)
{
	const struct view *view = &widget->view;
	char title[TEXT_MAX];
	int end = 0;

	if (widget->trend_x > 0 && utf8_cells(_("trend"), canvas->ascii) <= ROW_TREND_CELLS)
		canvas_text(canvas, 0, widget->trend_x, STYLE_DIM, _("trend"), ROW_TREND_CELLS);
	for (unsigned i = 0; i < widget->n_slots; i++) {
		const struct table_slot *slot = &widget->slots[i];
		const struct column *column = column_at(widget, slot->column);
		int cells = utf8_cells(heading_of(widget, slot->column, title), canvas->ascii);
		int x = column_is_left(column) ? slot->x : slot->x + slot->width - cells;

		x = x > slot->x ? x : slot->x;
		canvas_text(canvas, 0, x, STYLE_HEADING, title, slot->width);
		if (view->sort == (int)view->columns[slot->column])
			canvas_fill(canvas, 0, column_is_left(column) ? x + cells : x - 1, STYLE_HEADING,
				    view->descending ? canvas->glyphs->falling : canvas->glyphs->rising, 1);
		end = column_is_left(column) ? x + cells : slot->x + slot->width;
	}
	/* above a first column without a title, else after the last one */
	canvas_text(canvas, 0, *column_title(column_at(widget, 0)) ? end + 2 : 0, STYLE_DIM,
		    size_unit_heading(view->schema, unit), -1);
}

bool table_row_is_gone(const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY)
			return !row_is_known(row, &schema->columns[i]);
	return false;
}

/* Lines of the tree in at most half of the width; returns their cells. */
static int draw_lines(const struct table_widget *widget, const struct canvas *canvas, int y, int x, int width,
		      enum style style, size_t index)
{
	const struct view *view = &widget->view;
	const struct glyphs *glyphs = canvas->glyphs;
	unsigned depth = view_depth(view, index);
	unsigned fits = width < 6 ? 0 : (unsigned)(width / 2 - 1) / 2;
	uint64_t more;
	int start = x;

	if (depth == 0 || fits == 0)
		return 0;
	more = view->tree.more[index];
	for (unsigned d = 1; d < depth && d < fits; d++, x += 2)
		if (d < TREE_LINES_MAX && more >> d & 1)
			canvas_fill(canvas, y, x, style, glyphs->axis, 1);
	canvas_fill(canvas, y, x, style,
		    depth < TREE_LINES_MAX && more >> depth & 1 ? glyphs->branch : glyphs->last_branch, 1);
	canvas_fill(canvas, y, x + 1, style, glyphs->rule, 1);
	return x + 3 - start;
}

/* Before the last column: lines of a tree, and how many rows are folded. Returns the cells. */
static int draw_branch(const struct table_widget *widget, const struct canvas *canvas, int y,
		       const struct table_slot *slot, enum style base, size_t index)
{
	size_t folded = view_folded(&widget->view, index);
	bool plain = base == STYLE_NORMAL;
	char text[32];
	int cells = draw_lines(widget, canvas, y, slot->x, slot->width, plain ? STYLE_DIM : base, index);

	if (folded == 0)
		return cells;
	snprintf(text, sizeof(text), "+%zu", folded);
	return cells + canvas_text(canvas, y, slot->x + cells, plain ? STYLE_KEY : base, text,
				   slot->width - cells) + 1;
}

/* The text that names a row: the last one that is shown. */
static unsigned naming_slot(const struct table_widget *widget)
{
	unsigned naming = widget->n_slots;

	for (unsigned i = 0; i < widget->n_slots; i++)
		if (column_is_left(column_at(widget, widget->slots[i].column)))
			naming = i;
	return naming;
}

static void draw_value(const struct table_widget *widget, const struct canvas *canvas, size_t y, unsigned i,
		       enum style base, bool fresh)
{
	const struct view *view = &widget->view;
	size_t index = widget->place.top + y;
	struct table_slot slot = widget->slots[i];
	const struct table_value *value = value_at(widget, y, slot.column);
	const struct column *column = column_at(widget, slot.column);
	int line = (int)y + 1, cells;

	if (!column_is_left(column)) {
		draw_number(canvas, line, &slot, column, view->rows[index], value, base);
		return;
	}
	if (i + 1 == widget->n_slots && view->tree_key >= 0) {
		cells = draw_branch(widget, canvas, line, &slot, base, index);
		slot.x += cells;
		slot.width -= cells;
	}
	cells = draw_name(widget, canvas, line, &slot, column, view->rows[index], base);
	slot.x += cells;
	slot.width -= cells;
	draw_text(widget, canvas, line, &slot, column, view->rows[index], value->text, base, fresh);
}

/* What names a row has the grade of the findings about it, and so have the numbers that they judge. */
static enum style cell_style(const struct table_widget *widget, const void *row, const struct column *column,
			     enum grade grade, bool names_it)
{
	const struct schema *schema = widget->view.schema;
	enum style style = widget->cell_style ? widget->cell_style(widget->findings, schema, column, row)
					      : STYLE_NORMAL;

	if (column->of_interval)
		return STYLE_DIM;
	if (grade > GRADE_CALM && !names_it)
		grade = grade_of_cell(widget->findings, widget->frame, schema, row, column);
	return style == STYLE_NORMAL ? graph_grade_style(grade, STYLE_NORMAL) : style;
}

/* Row y of the page, below the heading. */
static void draw_row(const struct table_widget *widget, const struct canvas *canvas,
		     const struct table *table, size_t y)
{
	size_t index = widget->place.top + y;
	const void *row = widget->view.rows[index];
	bool selected = widget->place.cursor_on && index == widget->place.row;
	bool gone = table_row_is_gone(widget->view.schema, row);
	bool fresh = table && table_is_fresh(table, row);
	enum grade grade = selected || gone || !widget->frame
				   ? GRADE_CALM
				   : grade_of_cell(widget->findings, widget->frame, widget->view.schema, row,
						   NULL);
	unsigned naming = naming_slot(widget);

	if (selected)
		canvas_fill(canvas, (int)y + 1, 0, STYLE_ROW, ' ', canvas->width);
	else if (gone && widget->n_slots > 0) /* one style for all its cells: fewer bytes to the terminal */
		canvas_fill(canvas, (int)y + 1, 0, STYLE_ENDED, ' ', widget->slots[widget->n_slots - 1].x);
	draw_trend(widget, canvas, (int)y + 1, row, selected ? STYLE_ROW : gone ? STYLE_ENDED : STYLE_NORMAL);
	for (unsigned i = 0; i < widget->n_slots; i++) {
		const struct table_slot *slot = &widget->slots[i];
		enum style style = selected ? STYLE_ROW
				   : gone   ? STYLE_ENDED
					    : cell_style(widget, row, column_at(widget, slot->column),
							 grade, i == naming);

		draw_value(widget, canvas, y, i, style, fresh && i == naming);
		if (selected && slot->column == widget->column)
			canvas_restyle(canvas, (int)y + 1, slot->x, slot->width, STYLE_CELL);
	}
}

/* Keeps the selected row visible and the last page full. */
static void scroll_rows(struct table_widget *widget, size_t page)
{
	size_t n_rows = widget->view.n_rows;

	if (widget->place.cursor_on && widget->place.row < widget->place.top)
		widget->place.top = widget->place.row;
	if (widget->place.cursor_on && page > 0 && widget->place.row >= widget->place.top + page)
		widget->place.top = widget->place.row - page + 1;
	if (widget->place.top + page > n_rows || table_follows_tail(widget))
		widget->place.top = n_rows > page ? n_rows - page : 0;
}

/* There are rows, but the number that selects them is still unknown after one sample. */
static bool waits_for_rates(const struct view *view, const struct table *table)
{
	const struct column *column =
		&view->schema->columns[view->filter.threshold_column < 0 ? 0 : view->filter.threshold_column];
	size_t unknown = 0;

	while (unknown < table->n_rows && !row_is_known(table_row(table, unknown), column))
		unknown++;
	return !isnan(view->filter.threshold) && unknown > 0 && unknown == table->n_rows;
}

/* table: NULL if there is none. */
static const char *why_no_row(const struct table_widget *widget, const struct table *table)
{
	if (!table)
		return widget->absent;
	if (widget->has_filter)
		return _("no row matches the filter");
	if (widget->waits)
		return _(widget->waits);
	if (widget->view.schema->none)
		return _(widget->view.schema->none);
	return isnan(widget->view.filter.threshold) ? _("there are none") : _("none in this interval");
}

/* In place of rows. */
static void draw_no_row(const struct table_widget *widget, const struct canvas *canvas,
		     const struct table *table)
{
	const struct notice *notice = widget->notice;
	int y = 1;

	if (notice) {
		y += canvas_wrapped(canvas, y, STYLE_NOTICE, span_text(notice->text));
		if (notice->remedy)
			canvas_wrapped(canvas, y, STYLE_DIM, span_text(notice->remedy));
		return;
	}
	if (table && waits_for_rates(&widget->view, table))
		return;
	canvas_text(canvas, 1, 0, STYLE_DIM, why_no_row(widget, table), -1);
}

/* State of a log: frozen, at its end or above it. Short where the headings leave little room. */
static void draw_log_mark(const struct table_widget *widget, const struct canvas *canvas,
			  const struct table *log)
{
	const struct table_slot *last = widget->n_slots ? &widget->slots[widget->n_slots - 1] : NULL;
	size_t end = widget->place.top + (size_t)widget->page;
	size_t below = end < widget->view.n_rows ? widget->view.n_rows - end : 0;
	int left =
		last ? last->x + utf8_cells(column_title(column_at(widget, last->column)), canvas->ascii) : 0;
	enum style style = STYLE_DIM;
	char text[TEXT_MAX], few[32];

	if (log->frozen) {
		snprintf(text, sizeof(text),
			 P_("paused, %" PRIu64 " new", "paused, %" PRIu64 " new",
			    (unsigned long)log->n_pending),
			 log->n_pending);
		snprintf(few, sizeof(few), "+%" PRIu64, log->n_pending);
		style = STYLE_NOTICE;
	} else if (table_follows_tail(widget)) {
		snprintf(text, sizeof(text), "%s", _("live"));
		snprintf(few, sizeof(few), "%s", canvas->glyphs->ascii ? "v" : "↓");
	} else {
		snprintf(text, sizeof(text), P_("%zu below, End follows", "%zu below, End follows", below),
			 below);
		snprintf(few, sizeof(few), "%s%zu", canvas->glyphs->ascii ? "v" : "↓", below);
	}
	if (left + 2 + utf8_cells(text, canvas->ascii) <= canvas->width)
		canvas_right(canvas, 0, 0, canvas->width, style, text);
	else if (left + 1 + utf8_cells(few, canvas->ascii) <= canvas->width)
		canvas_right(canvas, 0, 0, canvas->width, style, few);
}

/* Without the cells at its left that mark the tagged rows, if there are any. */
static struct canvas inside_tags(const struct table_widget *widget, const struct canvas *canvas)
{
	int cells = widget->tags && widget->tags->n > 0 ? TAG_CELLS : 0;

	return canvas_part(canvas, 0, cells, canvas->height, canvas->width - cells);
}

void table_draw(struct table_widget *widget, const struct canvas *whole, const struct table *table,
		enum size_unit chosen)
{
	const struct canvas part = inside_tags(widget, whole), *canvas = &part;
	const struct value_format format = { .unit = table ? size_unit_of_table(table, chosen) : chosen,
					     .ascii = canvas->ascii,
					     .cpus = widget->cpus };
	int page = canvas->height > 1 ? canvas->height - 1 : 0;
	size_t n_rows;

	widget->page = page;
	widget->heading_y = canvas->top;
	widget->left = canvas->left;
	widget->width = canvas->width;
	scroll_rows(widget, (size_t)page);
	n_rows = format_page(widget, &format, (size_t)page);
	measure(widget, &format, n_rows);
	blank_repeated(widget, n_rows);
	lay_out(widget, canvas);
	draw_heading(widget, canvas, format.unit);
	if (table && table_is_tail(widget))
		draw_log_mark(widget, canvas, table);
	if (widget->view.n_rows == 0)
		draw_no_row(widget, canvas, table);
	for (size_t y = 0; y < n_rows; y++) {
		draw_row(widget, canvas, table, y);
		if (widget->tags &&
		    row_tags_has(widget->tags, widget->view.schema, widget->view.rows[widget->place.top + y]))
			canvas_fill(whole, (int)y + 1, 0, STYLE_KEY, TAG, 1);
	}
}

int table_height(const struct table_widget *widget)
{
	return 1 + (int)(widget->view.n_rows < 1000 ? widget->view.n_rows : 1000);
}
