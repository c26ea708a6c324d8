/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of text one after the other on a canvas, wrapped only between pieces. */
#ifndef PANETOP_SCREEN_TEXT_FLOW_H
#define PANETOP_SCREEN_TEXT_FLOW_H

#include "screen/canvas.h"

struct text_flow {
	const struct canvas *canvas; /* NULL: only measures, for width and ascii */
	int width;
	bool ascii;
	int y, x;
	int last; /* the line below the last one available */
};

struct text_flow text_flow_on(const struct canvas *canvas, int y, int lines);

/* As if on canvas, without drawing: to count the lines. */
struct text_flow text_flow_measure(const struct canvas *canvas);

/* False when there is no more room, at least for this piece. */
bool text_flow_add(struct text_flow *flow, enum style style, const char *text);

/* As text_flow_add(), with the first cell in another style, such as the letter of a line. */
bool text_flow_add_lettered(struct text_flow *flow, enum style letter, const char *text);

/* The line after the text so far. */
int text_flow_end(const struct text_flow *flow);

#endif
