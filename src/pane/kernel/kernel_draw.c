/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hints stand above the table as long as the table keeps its least lines. */
#include <config.h>

#include "pane/kernel/kernel_draw.h"

#include "core/i18n.h"
#include "pane/kernel/kernel_hints.h"
#include "screen/pane.h"

#define TABLE_LINES_MIN 6
#define HINTS_MAX 4

void kernel_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct buffer hints = BUFFER_HERE;
	int n_alarming = (int)kernel_hints(&hints, context->frame), y = 0;
	struct span lines = span_of(hints.bytes, hints.length), line;
	struct canvas rest;

	for (; y < HINTS_MAX && y + TABLE_LINES_MIN < canvas->height && span_line(&lines, &line); y++) {
		rest = canvas_rows(canvas, y, 1);
		canvas_wrapped(&rest, 0, y < n_alarming ? STYLE_BAD : STYLE_WARN, line);
	}
	buffer_free(&hints);
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(context, &rest, view->table, _(view->help));
}
