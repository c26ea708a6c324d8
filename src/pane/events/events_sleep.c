/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of sleeps and set clocks: how the machine can sleep stands above them. */
#include <config.h>

#include "core/i18n.h"
#include "pane/events/events.h"
#include "screen/text_flow.h"

#define TABLE_LINES_MIN 4

/* "asleep 3.2 h since boot  suspends 12  states freeze mem  mem is s2idle [deep]". */
static const struct remark pieces[] = {
	{ "asleep_seconds", N_("asleep {asleep_seconds} since boot"), .level = STYLE_STRONG },
	{ "suspends", N_("suspends {suspends}") },
	{ "failures > 0", N_("failed {failures}"), .level = STYLE_WARN },
	{ "states", N_("states {states}"), .level = STYLE_DIM },
	{ "mem_sleep", N_("mem is {mem_sleep}"), .level = STYLE_DIM },
};

/* What it slept counts, whatever it can do now. */
static void draw_head(const struct canvas *canvas, const struct table *table, const void *row)
{
	const struct row_facts facts = { .facts = { row_fact }, .table = table, .row = row };
	bool known = row_is_known(row, schema_known_column(table->schema, "states"));
	struct text_flow flow = text_flow_of_pieces(canvas, 0, 1);

	if (sentence_holds("states", &facts.facts) || sentence_holds("asleep_seconds > 0", &facts.facts))
		text_flow_say(&flow, REMARKS(pieces), &facts.facts);
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
