/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rectangle of the terminal to draw in. All clipping and cleaning of text happens here. */
#ifndef PANETOP_SCREEN_CANVAS_H
#define PANETOP_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "model/sentence.h"
#include "screen/theme.h"

struct graph_places;

struct canvas {
	int top, left, height, width; /* in terminal cells; a canvas may be empty */
	struct graph_places *graphs;  /* where drawn ones are noted; NULL: nowhere */
	bool ascii;                   /* draw only ASCII */
	bool color;
	const struct glyphs *glyphs;
};

/* Rows top to top + height - 1 of canvas, clipped to it. */
struct canvas canvas_rows(const struct canvas *canvas, int top, int height);
struct canvas canvas_below(const struct canvas *canvas, int lines); /* without its first lines */
struct canvas canvas_part(const struct canvas *canvas, int top, int left, int height, int width);

/*
 * Draws text from (y, x) in at most most cells; most < 0: up to the edge. A mark replaces the last cell of
 * truncated text. Returns the cells used.
 */
int canvas_text(const struct canvas *canvas, int y, int x, enum style style, const char *text, int most);
/* Draws text in width cells; a mark replaces the last cell of truncated text. */
void canvas_cut(const struct canvas *canvas, int y, int x, enum style style, const char *text, int width);

/* As canvas_text(), up to the edge. */
int canvas_print(const struct canvas *canvas, int y, int x, enum style style, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#define CANVAS_GAP 2 /* between pieces */

/* Draws text only if all of it fits; returns where the next piece starts. */
int canvas_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text);

/*
 * Draws text wrapped at blanks on the available lines; a mark ends truncated text. y may lie above the
 * canvas. Returns the lines used from y.
 */
int canvas_wrapped(const struct canvas *canvas, int y, enum style style, struct span text);

/* The same of each line of text. */
int canvas_wrapped_lines(const struct canvas *canvas, int y, enum style style, struct span text);

/* The lines that the wrapped text takes. */
int canvas_lines(const struct canvas *canvas, struct span text);

/* Draws text so that it ends before x + width; text that is too long loses its end. */
void canvas_right(const struct canvas *canvas, int y, int x, int width, enum style style, const char *text);

/*
 * A rule with a title and a text at its right: "── title ── 5 of 94 ──".
 * False: there is no room for the text.
 */
bool canvas_rule_in(const struct canvas *canvas, int y, enum style style, const char *title,
		    const char *right);

static inline bool canvas_rule(const struct canvas *canvas, int y, const char *title, const char *right)
{
	return canvas_rule_in(canvas, y, STYLE_STRONG, title, right);
}

/* count cells of one glyph; without Unicode any other than ASCII becomes '#'. */
void canvas_fill(const struct canvas *canvas, int y, int x, enum style style, uint32_t glyph, int count);

/*
 * One glyph in the colour of series front on that of series back, both below STYLE_SERIES_COUNT; false, and
 * nothing is drawn, where there are too few colours.
 */
bool canvas_blend(const struct canvas *canvas, int y, int x, unsigned front, unsigned back, uint32_t glyph);
/* Is canvas_blend() possible? */
bool canvas_blends(const struct canvas *canvas);

/* Changes the style of cells that are already drawn. */
void canvas_restyle(const struct canvas *canvas, int y, int x, int count, enum style style);

struct text_flow {
	const struct canvas *canvas;
	int width;
	bool ascii;
	int y, x;
	int gap;  /* cells between pieces */
	int last; /* the line below the last one available */
	bool skips; /* what does not fit is left out, rather than all from there on */
};

struct text_flow text_flow_on(const struct canvas *canvas, int y, int lines);

/* With CANVAS_GAP between pieces; those that do not fit are left out. */
struct text_flow text_flow_of_pieces(const struct canvas *canvas, int y, int lines);

/* Moves to where a piece of this width fits. False when there is no room for it. */
bool text_flow_room(struct text_flow *flow, int cells);

bool text_flow_add(struct text_flow *flow, enum style style, const char *text);

/* Adds each that is true; its level is its style. */
void text_flow_say(struct text_flow *flow, const struct remark *pieces, size_t n_pieces,
		   const struct facts *facts);

/* The line after the text so far. */
int text_flow_end(const struct text_flow *flow);

#endif
