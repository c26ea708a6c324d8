/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layout of pieces of text. */
#include <config.h>

#include "screen/text_flow.h"

#include "core/utf8.h"

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

bool text_flow_add(struct text_flow *flow, enum style style, const char *text)
{
	int cells = utf8_cells(text, flow->ascii);

	if (flow->x > 0 && flow->x + cells > flow->width) {
		flow->x = 0;
		flow->y++;
	}
	if (flow->y >= flow->last)
		return false;
	canvas_text(flow->canvas, flow->y, flow->x, style, text, -1);
	flow->x += cells + flow->gap;
	return true;
}

int text_flow_end(const struct text_flow *flow)
{
	return flow->x > 0 ? flow->y + 1 : flow->y;
}
