/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rectangle of the terminal to draw in: everything is cleaned and clipped here, and only here. */
#ifndef PANETOP_SCREEN_CANVAS_H
#define PANETOP_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "screen/theme.h"

struct canvas {
	int top, left, height, width; /* in cells of the terminal; a canvas may be empty */
	bool ascii;                   /* draw nothing outside ASCII */
	bool color;
	const struct glyphs *glyphs;
};

/* Rows top … top + height - 1 of canvas, as far as they lie in it. */
struct canvas canvas_rows(const struct canvas *canvas, int top, int height);
struct canvas canvas_part(const struct canvas *canvas, int top, int left, int height, int width);

/*
 * Draws text from (y, x), at most most cells; < 0: to the edge, where a mark tells that its end is missing.
 * Returns the cells taken.
 */
int canvas_text(const struct canvas *canvas, int y, int x, enum style style, const char *text, int most);
/* Draws text in width cells; the last one of them tells where its end is missing. */
void canvas_cut(const struct canvas *canvas, int y, int x, enum style style, const char *text, int width);

/* As canvas_text() to the edge. */
int canvas_print(const struct canvas *canvas, int y, int x, enum style style, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#define CANVAS_GAP 2 /* between pieces */

/* Draws text if all of it fits; returns where the next piece may stand. */
int canvas_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text);

/*
 * Draws text wrapped at blanks as far as there are lines, of which the last one tells where its end is
 * missing; returns the lines from y, which may lie above the canvas, down to there.
 */
int canvas_wrapped(const struct canvas *canvas, int y, enum style style, struct span text);

/* The lines that wrapped text would take. */
int canvas_lines(const struct canvas *canvas, struct span text);

/* Draws text so that it ends before x + width; what is too long loses its end. */
void canvas_right(const struct canvas *canvas, int y, int x, int width, enum style style, const char *text);

/* count cells of one glyph; outside ASCII it becomes '#' where only ASCII may be drawn. */
void canvas_fill(const struct canvas *canvas, int y, int x, enum style style, uint32_t glyph, int count);

/* Changes the style of cells that are drawn already. */
void canvas_restyle(const struct canvas *canvas, int y, int x, int count, enum style style);

#endif
