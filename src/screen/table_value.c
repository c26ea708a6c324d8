/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The look of a value in a table: what recedes, what stands out, and what was searched for. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "core/utf8.h"
#include "screen/table.h"

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

void table_draw_number(const struct canvas *canvas, int y, const struct table_slot *slot,
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

static bool is_kernel_thread(const char *command)
{
	size_t length = strlen(command);

	return *command == '[' && command[length - 1] == ']';
}

/* Where the name of the program would be cut, a mark stands for its directories, or nothing. */
static void shorten_path(struct place *place, const struct program *program)
{
	if (program->name - place->text < 2 ||
	    cells_between(place, place->text, program->end) <= place->width)
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

static void draw_command(struct place *place, enum style base, bool fresh)
{
	const char *command = place->text;
	struct program program = find_program(command);

	if (base == STYLE_NORMAL && is_kernel_thread(command)) {
		draw_rest(place, fresh ? STYLE_FRESH : STYLE_DIM);
		return;
	}
	shorten_path(place, &program);
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

int table_name_cells(const struct schema *schema, const struct column *column, const void *row, bool ascii)
{
	const char *name = name_apart(schema, column, row);

	return name ? utf8_cells(name, ascii) + 2 : 0;
}

static void mark_matches(const struct place *place, const regex_t *pattern)
{
	const char *at = place->text;
	regmatch_t match;

	for (int i = 0; i < MATCHES_MAX; i++) {
		if (regexec(pattern, at, 1, &match, i > 0 ? REG_NOTBOL : 0) != 0)
			return;
		restyle(place, at + match.rm_so, at + match.rm_eo, STYLE_MATCH);
		if (match.rm_eo == match.rm_so)
			return;
		at += match.rm_eo;
	}
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

/* The beginning stands to the left of the column, as a mark says. */
static bool skip_beginning(const struct table_widget *widget, const struct table_slot *slot,
			   struct place *place, enum style base)
{
	if (!*place->text || !widget->place.cursor_on || slot->column != widget->column ||
	    widget->text_from == 0)
		return false;
	place->text = text_from(place->text, widget->text_from + 1, place->canvas->ascii);
	place->before = 1;
	canvas_fill(place->canvas, place->y, place->x, base, place->canvas->glyphs->cut, 1);
	return true;
}

int table_draw_name(const struct table_widget *widget, const struct canvas *canvas, int y,
		    const struct table_slot *slot, const struct column *column, const void *row,
		    enum style base)
{
	const char *name = name_apart(widget->view.schema, column, row);
	struct place place = { canvas, y, slot->x, slot->width, name, 0 };
	int cells = table_name_cells(widget->view.schema, column, row, canvas->ascii);

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

void table_draw_text(const struct table_widget *widget, const struct canvas *canvas, int y,
		     const struct table_slot *slot, const struct column *column, const char *text,
		     enum style base, bool fresh)
{
	struct place place = { canvas, y, slot->x, slot->width, text, 0 };
	bool plain = base == STYLE_NORMAL, skipped = skip_beginning(widget, slot, &place, base);

	if (!skipped && column->text == TEXT_COMMAND)
		draw_command(&place, base, fresh);
	else
		draw_rest(&place, plain && fresh                        ? STYLE_FRESH
				  : plain && column->text == TEXT_STATE ? style_of_state(text)
									: base);
	if (widget->has_filter)
		mark_matches(&place, &widget->filter);
	if (widget->has_found && widget->place.cursor_on)
		mark_matches(&place, &widget->found);
}
