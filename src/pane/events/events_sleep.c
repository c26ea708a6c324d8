/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of sleeps and set clocks: how the machine can sleep stands above them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/events/events.h"

#define TABLE_LINES_MIN 4

/* "asleep 3.2 h since boot  suspends 12", without what is not known. */
static int draw_counts(const struct canvas *canvas, const struct table *table, const void *row)
{
	double suspends = table_number(table, row, "suspends"),
	       failures = table_number(table, row, "failures"),
	       asleep = table_number(table, row, "asleep_seconds");
	char value[VALUE_TEXT_MAX], text[TEXT_MAX];
	int x = 0;

	if (!isnan(asleep)) {
		snprintf(text, sizeof(text), _("asleep %s since boot"), stretch_text(value, asleep));
		x = canvas_piece(canvas, 0, x, STYLE_STRONG, text);
	}
	if (!isnan(suspends)) {
		snprintf(text, sizeof(text), _("suspends %s"), fixed_text(value, suspends, 0));
		x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	}
	if (failures > 0) {
		snprintf(text, sizeof(text), _("failed %s"), fixed_text(value, failures, 0));
		x = canvas_piece(canvas, 0, x, STYLE_WARN, text);
	}
	return x;
}

/* "states freeze mem  mem is s2idle [deep]" */
static void draw_states(const struct canvas *canvas, int x, const struct table *table, const void *row)
{
	const char *states = table_text(table, row, "states"), *mem = table_text(table, row, "mem_sleep");
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), _("states %s"), states);
	if (*states)
		x = canvas_piece(canvas, 0, x, STYLE_DIM, text);
	snprintf(text, sizeof(text), _("mem is %s"), mem);
	if (*mem)
		canvas_piece(canvas, 0, x, STYLE_DIM, text);
}

/* What it slept counts, whatever it can do now. */
static void draw_head(const struct canvas *canvas, const struct table *table, const void *row)
{
	bool known = row_is_known(row, schema_known_column(table->schema, "states"));

	if (*table_text(table, row, "states") || table_number(table, row, "asleep_seconds") > 0)
		draw_states(canvas, draw_counts(canvas, table, row), table, row);
	else
		canvas_cut(canvas, 0, 0, STYLE_DIM,
			   known ? _("This machine cannot sleep (no sleep states), but its clock may be set.")
				 : _("Whether it can sleep is not known (/sys/power/state cannot be read)."),
			   canvas->width);
}

void events_draw_sleep(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	const struct table *table = frame_table(context->frame, "suspend");
	bool headed = table && table->n_rows > 0 && canvas->height > TABLE_LINES_MIN;
	struct canvas below = canvas_rows(canvas, headed, canvas->height - headed);
	char title[TEXT_MAX];

	if (headed)
		draw_head(canvas, table, table_row(table, 0));
	view->heading(context, title, sizeof(title));
	context_draw_titled(context, &below, view->table, title);
}
