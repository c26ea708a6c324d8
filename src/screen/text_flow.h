/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of text one after the other on a canvas, wrapped only between pieces. */
#ifndef PANETOP_SCREEN_TEXT_FLOW_H
#define PANETOP_SCREEN_TEXT_FLOW_H

#include "model/sentence.h"
#include "screen/canvas.h"

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
