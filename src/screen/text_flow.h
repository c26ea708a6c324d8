/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of text one after the other on a canvas, wrapped only between pieces. */
#ifndef PANETOP_SCREEN_TEXT_FLOW_H
#define PANETOP_SCREEN_TEXT_FLOW_H

#include "screen/canvas.h"

struct text_flow {
	const struct canvas *canvas;
	int width;
	bool ascii;
	int y, x;
	int gap;  /* cells between pieces */
	int last; /* the line below the last one available */
};

struct text_flow text_flow_on(const struct canvas *canvas, int y, int lines);

/* False when there is no more room, at least for this piece. */
bool text_flow_add(struct text_flow *flow, enum style style, const char *text);

/* The line after the text so far. */
int text_flow_end(const struct text_flow *flow);

#endif
