/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing on curses: clipping, cleaning, styles. */
#include <config.h>

#include "screen/canvas.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"

#define RULE_TITLE_MIN 12 /* cells: a shorter one is not cut for the text at the right */
#define RULE_MARGIN 2 /* cells of the rule before the title and after the text */

#define CELLS_MAX 1024

struct canvas canvas_part(const struct canvas *canvas, int top, int left, int height, int width)
{
	struct canvas part = *canvas;

	top = top < 0 ? 0 : top > canvas->height ? canvas->height : top;
	left = left < 0 ? 0 : left > canvas->width ? canvas->width : left;
	part.top += top;
	part.left += left;
	part.height = height < 0 ? 0 : height < canvas->height - top ? height : canvas->height - top;
	part.width = width < 0 ? 0 : width < canvas->width - left ? width : canvas->width - left;
	return part;
}

struct canvas canvas_rows(const struct canvas *canvas, int top, int height)
{
	return canvas_part(canvas, top, 0, height, canvas->width);
}

struct canvas canvas_below(const struct canvas *canvas, int lines)
{
	return canvas_rows(canvas, lines, canvas->height - lines);
}

static void set_style(const struct canvas *canvas, enum style style)
{
	unsigned long attributes;
	short pair;

	theme_look(style, canvas->color, &attributes, &pair);
	attr_set((attr_t)attributes, pair, NULL);
}

static int draw_span(const struct canvas *canvas, int y, int x, enum style style, struct span text, int most)
{
	struct utf8_reader reader = { .rest = text, .ascii = canvas->ascii };
	wchar_t cells[CELLS_MAX];
	int room = x < 0 ? 0 : canvas->width - x, taken = 0, width;
	size_t count = 0;
	uint32_t code;

	if (most >= 0 && most < room)
		room = most;
	if (y < 0 || y >= canvas->height || room <= 0)
		return 0;
	while (count < CELLS_MAX && utf8_visible(&reader, &code, &width) && width <= room - taken) {
		cells[count++] = (wchar_t)code;
		taken += width;
	}
	set_style(canvas, style);
	mvaddnwstr(canvas->top + y, canvas->left + x, cells, (int)count);
	return taken;
}

static bool text_fits(const struct canvas *canvas, struct span text, int cells)
{
	struct utf8_reader reader = { .rest = text, .ascii = canvas->ascii };
	uint32_t code;
	int width;

	while (utf8_visible(&reader, &code, &width))
		cells -= width;
	return cells >= 0;
}

/* A mark replaces the end of truncated text. */
static int draw_cut(const struct canvas *canvas, int y, int x, enum style style, struct span text, int width)
{
	int room = width < canvas->width - x ? width : canvas->width - x, taken;

	if (room < 2 || text_fits(canvas, text, room))
		return draw_span(canvas, y, x, style, text, room);
	taken = draw_span(canvas, y, x, style, text, room - 1);
	canvas_fill(canvas, y, x + taken, style, canvas->glyphs->cut, 1);
	return taken + 1;
}

int canvas_text(const struct canvas *canvas, int y, int x, enum style style, const char *text, int most)
{
	return most < 0 ? draw_cut(canvas, y, x, style, span_text(text), canvas->width)
			: draw_span(canvas, y, x, style, span_text(text), most);
}

void canvas_cut(const struct canvas *canvas, int y, int x, enum style style, const char *text, int width)
{
	draw_cut(canvas, y, x, style, span_text(text), width);
}

int canvas_print(const struct canvas *canvas, int y, int x, enum style style, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return canvas_text(canvas, y, x, style, text, -1);
}

int canvas_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text)
{
	if (x + utf8_cells(text, canvas->ascii) > canvas->width)
		return x;
	return x + canvas_text(canvas, y, x, style, text, -1) + CANVAS_GAP;
}

/* End of the first line of text: after the last blank that fits, else where the line is full. */
static const char *line_end(const struct canvas *canvas, struct span text)
{
	struct utf8_reader reader = { .rest = text, .ascii = canvas->ascii };
	const char *full = text.at, *blank = NULL;
	int cells = 0, width;
	uint32_t code;

	while (utf8_visible(&reader, &code, &width)) {
		cells += width;
		if (code == ' ' && cells <= canvas->width + 1)
			blank = reader.rest.at;
		if (cells > canvas->width)
			return blank ? blank : full > text.at ? full : reader.rest.at;
		full = reader.rest.at;
	}
	return text.end;
}

int canvas_wrapped(const struct canvas *canvas, int y, enum style style, struct span text)
{
	int top = y;

	while (y < canvas->height - 1) {
		struct span line = { .at = text.at, .end = line_end(canvas, text) };

		draw_span(canvas, y++, 0, style, line, -1);
		text.at = line.end;
		if (text.at == text.end)
			return y - top;
	}
	if (y < canvas->height)
		draw_cut(canvas, y++, 0, style, text, canvas->width);
	return y - top;
}

int canvas_wrapped_lines(const struct canvas *canvas, int y, enum style style, struct span text)
{
	struct span line;
	int top = y;

	while (y < canvas->height && span_line(&text, &line))
		y += canvas_wrapped(canvas, y, style, line);
	return y - top;
}

int canvas_lines(const struct canvas *canvas, struct span text)
{
	int lines = 0;

	do {
		text.at = line_end(canvas, text);
		lines++;
	} while (text.at < text.end);
	return lines;
}

void canvas_right(const struct canvas *canvas, int y, int x, int width, enum style style, const char *text)
{
	int cells = utf8_cells(text, canvas->ascii);

	if (cells >= width)
		canvas_text(canvas, y, x, style, text, width);
	else
		canvas_text(canvas, y, x + width - cells, style, text, cells);
}

bool canvas_rule_in(const struct canvas *canvas, int y, enum style style, const char *title,
		    const char *right)
{
	int room = canvas->width - RULE_MARGIN - 2, cells;
	int kept = utf8_cells(right, canvas->ascii) + 2 * RULE_MARGIN;

	canvas_fill(canvas, y, 0, STYLE_DIM, canvas->glyphs->rule, canvas->width);
	if (room < 4)
		return false;
	canvas_text(canvas, y, RULE_MARGIN, STYLE_DIM, " ", 1);
	cells = canvas_text(canvas, y, RULE_MARGIN + 1, style, title,
			    room - kept >= RULE_TITLE_MIN ? room - kept : room);
	canvas_text(canvas, y, RULE_MARGIN + 1 + cells, STYLE_DIM, " ", 1);
	room -= cells + 2 * RULE_MARGIN;
	cells = utf8_cells(right, canvas->ascii);
	if (cells == 0 || cells > room)
		return cells == 0;
	canvas_text(canvas, y, canvas->width - RULE_MARGIN - cells - 2, STYLE_DIM, " ", 1);
	canvas_text(canvas, y, canvas->width - RULE_MARGIN - cells - 1, STYLE_NORMAL, right, cells);
	canvas_text(canvas, y, canvas->width - RULE_MARGIN - 1, STYLE_DIM, " ", 1);
	return true;
}

void canvas_fill(const struct canvas *canvas, int y, int x, enum style style, uint32_t glyph, int count)
{
	wchar_t cell = (wchar_t)(canvas->ascii && glyph > 0x7e ? '#' : glyph);

	if (y < 0 || y >= canvas->height || x < 0)
		return;
	set_style(canvas, style);
	for (int i = 0; i < count && x + i < canvas->width; i++)
		mvaddnwstr(canvas->top + y, canvas->left + x + i, &cell, 1);
}

bool canvas_blends(const struct canvas *canvas)
{
	return !canvas->ascii && theme_blend(canvas->color, 0, 0) > 0;
}

bool canvas_blend(const struct canvas *canvas, int y, int x, unsigned front, unsigned back, uint32_t glyph)
{
	short pair = theme_blend(canvas->color, front, back);
	wchar_t cell = (wchar_t)glyph;

	if (pair <= 0 || canvas->ascii || y < 0 || y >= canvas->height || x < 0 || x >= canvas->width)
		return false;
	attr_set(0, pair, NULL);
	mvaddnwstr(canvas->top + y, canvas->left + x, &cell, 1);
	return true;
}

void canvas_restyle(const struct canvas *canvas, int y, int x, int count, enum style style)
{
	unsigned long attributes;
	short pair;

	if (y < 0 || y >= canvas->height || x < 0 || x >= canvas->width)
		return;
	theme_look(style, canvas->color, &attributes, &pair);
	if (count > canvas->width - x)
		count = canvas->width - x;
	mvchgat(canvas->top + y, canvas->left + x, count, (attr_t)attributes, pair, NULL);
}

#define GAP 3

struct text_flow text_flow_on(const struct canvas *canvas, int y, int lines)
{
	return (struct text_flow){
		.canvas = canvas,
		.width = canvas->width,
		.ascii = canvas->ascii,
		.y = y,
		.gap = GAP,
		.last = y + lines,
	};
}

struct text_flow text_flow_of_pieces(const struct canvas *canvas, int y, int lines)
{
	struct text_flow flow = text_flow_on(canvas, y, lines);

	flow.gap = CANVAS_GAP;
	flow.skips = true;
	return flow;
}

bool text_flow_room(struct text_flow *flow, int cells)
{
	bool fits = flow->x + cells <= flow->width;

	if (!fits && flow->x > 0 && (!flow->skips || flow->y + 1 < flow->last)) {
		flow->x = 0;
		flow->y++;
		fits = cells <= flow->width;
	}
	return flow->y < flow->last && (fits || !flow->skips);
}

bool text_flow_add(struct text_flow *flow, enum style style, const char *text)
{
	int cells = utf8_cells(text, flow->ascii);

	if (!text_flow_room(flow, cells))
		return false;
	canvas_text(flow->canvas, flow->y, flow->x, style, text, -1);
	flow->x += cells + flow->gap;
	return true;
}

void text_flow_say(struct text_flow *flow, const struct remark *pieces, size_t n_pieces,
		   const struct facts *facts)
{
	struct buffer text = BUFFER_HERE;

	for (size_t i = 0; i < n_pieces; i++) {
		buffer_empty(&text);
		if (!remark_say(&text, &pieces[i], facts))
			continue;
		buffer_char(&text, '\0');
		text_flow_add(flow, (enum style)pieces[i].level, text.bytes);
	}
	buffer_free(&text);
}

int text_flow_end(const struct text_flow *flow)
{
	return flow->x > 0 ? flow->y + 1 : flow->y;
}
