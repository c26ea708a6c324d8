/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: what processes ask of the kernel. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"
#include "screen/context.h"

enum { TABLE_CALLS, TABLE_COST };
enum { VIEW_CALLS };

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[TABLE_CALLS] = { .topic = "call", .headline = true, .sort = "calls_per_second", .text_rows = 40 },
	[TABLE_COST] = { .topic = "tracing", .lazy = true, .recorded = true },
	{ 0 },
};

/* What the programs of a topic do in a second, and the part of a CPU that it takes. */
static void add_cost(const struct pane_context *context, const char *what, const char *topic, char *text,
		     size_t room)
{
	const struct table *table = frame_table(context->frame, "tracing");
	double most = 0, cost = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double runs = table_number(table, row, "runs_per_second");

		if (strcmp(table_text(table, row, "topic"), topic) != 0 || isnan(runs))
			continue;
		most = fmax(most, runs);
		cost += runs * table_number(table, row, "mean_seconds");
	}
	if (most > 0 && cost > 0)
		snprintf(text, room, _("%s: %.0f/s × %.0f ns cost %.2f %% of a CPU"), what, most,
			 1e9 * cost / most, 100 * cost);
	else
		snprintf(text, room, "%s", what);
}

static void heading_of_calls(const struct pane_context *context, char *text, size_t room)
{
	add_cost(context, _("system calls"), "call", text, room);
}

static const struct pane_view views[] = {
	[VIEW_CALLS] = { "calls", N_("Calls"), N_("system calls by process and call"), TABLE_CALLS,
			 BIT(TABLE_COST), .heading = heading_of_calls },
	{ 0 },
};

const struct pane pane_calls = {
	.name = "calls",
	.title = N_("Calls"),
	.late = true,
	.question = N_("What do processes ask of the kernel, and what fails?"),
	.tables = tables,
	.views = views,
};
