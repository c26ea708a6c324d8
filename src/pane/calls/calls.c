/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: what processes ask of the kernel. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"
#include "pane/calls/failing_directory.h"
#include "pane/probes.h"
#include "pane/process/process_open.h"
#include "screen/context.h"

enum { TABLE_CALLS, TABLE_TOTAL, TABLE_STREAM, TABLE_COST, TABLE_PROBE };
enum { VIEW_CALLS, VIEW_OPENED, VIEW_STREAM, VIEW_FUNCTIONS };

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[TABLE_CALLS] = { .topic = "call", .headline = true, .sort = "calls_per_second", .text_rows = 40 },
	[TABLE_TOTAL] = { .topic = "opened_total",
			  .lazy = true,
			  .recorded = true,
			  .sort = "opens_per_second" },
	[TABLE_STREAM] = { .topic = "opened", .lazy = true },
	[TABLE_COST] = { .topic = "tracing", .lazy = true, .recorded = true },
	[TABLE_PROBE] = { .topic = "probe",
			  .headline = true,
			  .of_one = true, /* the topic keeps to the scope, and has rows of no process */
			  .lazy = true,
			  .when = probes_any,
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

struct calls_state {
	struct probes_state probes;
	struct failing_directories directories;
	char failing[TEXT_MAX]; /* "ENOENT 77/s below /etc/ssl, by postgres" */
};

static void update(struct pane_context *context)
{
	struct calls_state *state = context_state(context);
	const struct failing_directory *worst =
		failing_directory_find(&state->directories, frame_table(context->frame, "opened_total"));
	size_t length = worst ? span_length(worst->directory) : 0;

	*state->failing = '\0';
	if (worst)
		snprintf(state->failing, sizeof(state->failing), _("%s %.0f/s below %.*s, by %s"),
			 worst->result, worst->per_second, length ? (int)length : 1,
			 length ? worst->directory.at : ".", worst->command);
}

static void close_state(void *of)
{
	struct calls_state *state = of;

	failing_directories_free(&state->directories);
}

static void heading_of_opened(const struct pane_context *context, char *text, size_t room)
{
	const struct calls_state *state = context->state;
	size_t length;

	add_cost(context, _("opened files"), "opened_total", text, room);
	length = strlen(text);
	if (*state->failing && length < room)
		snprintf(text + length, room - length, "; %s", state->failing);
}

static void heading_of_stream(const struct pane_context *context, char *text, size_t room)
{
	add_cost(context, _("files as they are opened"), "opened", text, room);
}

/* Of the scope, whatever process was looked at before. */
static void sampling(struct pane_context *context)
{
	context_request(context)->profiled_pid = 0;
}

static void open_of_event(struct pane_context *context)
{
	const struct table *table = context_table(context, TABLE_STREAM);
	const struct column *column;
	const void *row = table_cell(&context->tables[TABLE_STREAM], &column);

	if (!row || !table || !process_open_of_event(context, table, row))
		process_warn_unselected(context);
}

static const struct pane_action call_actions[] = {
	{ ACTION_OPEN, process_open_selected, N_("Process"), N_("open the process of this call") },
	{ 0 },
};

static const struct pane_action stream_actions[] = {
	{ ACTION_OPEN, open_of_event, N_("Process"), N_("open the process that opened this file") },
	{ 0 },
};

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

static void ask_about(struct pane_context *context, const char *probe)
{
	struct calls_state *state = context_state(context);

	probes_ask_about(context, &state->probes, probe);
}

static void act(struct pane_context *context, unsigned index)
{
	const char *probe = selected_probe(context);

	if (index == 0)
		screen_prompt(context, _("Count calls of FILE:FUNCTION"), "", add_typed);
	else if (probe && index == 1)
		ask_about(context, probe);
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
		ask_about(context, selected_probe(context));
}

static const struct pane_action function_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("count another function, or one no longer") },
	{ ACTION_OPEN, ask_about_selected, N_("Nevertheless"),
	  N_("count the selected function although it costs more than --probe-cost; asks first") },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	if (context->view != VIEW_FUNCTIONS || (action != ACTION_ACT && action != ACTION_OPEN))
		return NULL;
	if (screen_replays(context))
		return _("nothing can be counted in a recording");
	return action == ACTION_OPEN && !selected_probe(context) ? _("select a function first") : NULL;
}

static void open_calls(struct pane_context *context)
{
	context->requested[TABLE_PROBE] |= probes_any(context->request);
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct calls_state *state = context_state(context);

	probes_ask(context, &state->probes, frame);
}

static const struct pane_view views[] = {
	[VIEW_CALLS] = { "calls", N_("Calls"), N_("system calls by process and call"), TABLE_CALLS,
			 BIT(TABLE_COST), .actions = call_actions, .heading = heading_of_calls },
	[VIEW_OPENED] = { "opened", N_("Opened"), N_("opened files by path and result"), TABLE_TOTAL,
			  BIT(TABLE_COST), .heading = heading_of_opened },
	[VIEW_STREAM] = { "stream", N_("Stream"), N_("files as they are opened, and errors"), TABLE_STREAM,
			  BIT(TABLE_COST), .actions = stream_actions, .heading = heading_of_stream },
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
	.state_size = sizeof(struct calls_state),
	.close = close_state,
	.refuses = refuses,
	.open = open_calls,
	.sampling = sampling,
	.sampled = sampled,
	.update = update,
};
