/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: what processes ask of the kernel. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"
#include "pane/probes.h"

enum { TABLE_CALLS, TABLE_COST, TABLE_PROBE };
enum { VIEW_CALLS, VIEW_FUNCTIONS };

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[TABLE_CALLS] = { .topic = "call", .headline = true, .sort = "calls_per_second", .text_rows = 40 },
	[TABLE_COST] = { .topic = "tracing", .lazy = true, .recorded = true },
	[TABLE_PROBE] = { .topic = "probe",
			  .headline = true,
			  .on_request = true,
			  .sort = "hits_per_second",
			  .waits = N_("no function is counted: F9 counts one, as does Enter in the view "
				      "Functions of a process") },
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

static bool add_typed(struct pane_context *context, const char *text, char *error, size_t room)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || strchr(colon, '/')) {
		snprintf(error, room, "%s", _("FILE:FUNCTION, as in libc.so.6:malloc"));
		return false;
	}
	probes_add(context, TABLE_PROBE, text, 0);
	return true;
}

static const char *selected_probe(const struct pane_context *context)
{
	return table_selected_text(&context->tables[TABLE_PROBE], "probe");
}

static void act(struct pane_context *context, unsigned index)
{
	const char *probe = selected_probe(context);

	if (index == 0)
		screen_prompt(context, _("Count calls of FILE:FUNCTION"), "", add_typed);
	else if (probe && index == 1)
		probes_ask_about(context, context_state(context), probe);
	else if (probe)
		probes_remove(context, probe);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Count"), _("a function, by its name and that of its file; Enter in the view Functions "
				"of a process chooses one") },
		{ _("Nevertheless"), _("count the selected one, whatever it costs; asks first") },
		{ _("Take off"), _("count the selected one no longer") },
	};

	screen_menu(context, _("Actions"), items, selected_probe(context) ? 3 : 1, 0, act);
}

static void ask_about_selected(struct pane_context *context)
{
	if (selected_probe(context))
		probes_ask_about(context, context_state(context), selected_probe(context));
}

static const struct pane_action function_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("count another function, or one no longer") },
	{ ACTION_OPEN, ask_about_selected, N_("Nevertheless"),
	  N_("count the selected function although it costs more than --probe-cost; asks first") },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	if (action != ACTION_ACT && action != ACTION_OPEN)
		return NULL;
	if (screen_replays(context))
		return _("nothing can be counted in a recording");
	return context->view == VIEW_FUNCTIONS && action == ACTION_OPEN && !selected_probe(context)
		       ? _("select a function first")
		       : NULL;
}

static void open_calls(struct pane_context *context)
{
	context->requested[TABLE_PROBE] |= probes_any(context->request);
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	probes_ask(context, context_state(context), frame);
}

static const struct pane_view views[] = {
	[VIEW_CALLS] = { "calls", N_("Calls"), N_("system calls by process and call"), TABLE_CALLS,
			 BIT(TABLE_COST), .heading = heading_of_calls },
	[VIEW_FUNCTIONS] = { "functions", N_("Functions"),
			     N_("calls of functions of programs and libraries"), TABLE_PROBE,
			     .actions = function_actions },
	{ 0 },
};

const struct pane pane_calls = {
	.name = "calls",
	.title = N_("Calls"),
	.late = true,
	.question = N_("What do processes ask of the kernel, and what fails?"),
	.tables = tables,
	.views = views,
	.state_size = sizeof(struct probes_state),
	.refuses = refuses,
	.open = open_calls,
	.sampled = sampled,
};
