/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hints stand above the table as long as the table keeps its least lines. */
#include <config.h>

#include "pane/kernel/kernel_draw.h"

#include "core/i18n.h"
#include "pane/kernel/kernel_hints.h"
#include "screen/pane.h"

#define TABLE_LINES_MIN 6

void kernel_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct kernel_hint hints[KERNEL_HINTS_MAX];
	unsigned n_hints = kernel_hints(context->frame, hints);
	struct canvas rest;
	int y = 0;

	for (unsigned i = 0; i < n_hints && y + TABLE_LINES_MIN < canvas->height; i++)
		canvas_cut(canvas, y++, 0, hints[i].alarming ? STYLE_BAD : STYLE_WARN, hints[i].text,
			   canvas->width);
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(context, &rest, view->table, _(view->help));
}
