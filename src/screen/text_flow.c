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
