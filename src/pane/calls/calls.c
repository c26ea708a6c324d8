/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: what processes ask of the kernel. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"
#include "pane/calls/calls.h"
#include "pane/process/process_open.h"
#include "screen/context.h"

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[CALLS_TABLE_CALLS] = { .topic = "call",
				.headline = true,
				.sort = "calls_per_second",
				.text_rows = 40 },
	[CALLS_TABLE_TOTAL] = { .topic = "opened_total",
				.lazy = true,
				.recorded = true,
				.sort = "opens_per_second" },
	[CALLS_TABLE_STREAM] = { .topic = "opened", .lazy = true },
	[CALLS_TABLE_PROBE] = { .topic = "probe",
				.headline = true,
				.of_one = true, /* the topic keeps to the scope, and has rows of no process */
				.lazy = true,
				.when = probes_any,
				.on_request = true,
				.sort = "hits_per_second",
				.waits = N_("no function is counted; F9 counts one") },
	[CALLS_TABLE_TRACE] = { .topic = "trace",
				.headline = true,
				.on_request = true,
				.columns = "keys,per_second,count,sum_per_second,sum,max,trace",
				.sort = "per_second",
				.when = traces_are_counted,
				.text_rows = 40 },
	[CALLS_TABLE_TRACE_BUCKET] = { .topic = "trace_bucket",
				       .on_request = true,
				       .columns = "keys,from,to,count,per_second,trace" },
	[CALLS_TABLE_TRACEPOINT] = { .topic = "tracepoint", .lazy = true, .sort = "+tracepoint" },
	[CALLS_TABLE_COST] = { .topic = "tracing", .lazy = true, .recorded = true },
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
		snprintf(text, room, _("%s, %.0f/s (tracing costs %.2f %% of a CPU)"), what, most,
			 100 * cost);
	else
		snprintf(text, room, "%s", what);
}

static void heading_of_calls(const struct pane_context *context, char *text, size_t room)
{
	add_cost(context, _("system calls"), "call", text, room);
}

static void update(struct pane_context *context)
{
	struct calls_state *state = context_state(context);
	const struct failing_directory *worst =
		failing_directory_find(&state->directories, frame_table(context->frame, "opened_total"));
	size_t length = worst ? span_length(worst->directory) : 0;

	*state->failing = '\0';
	if (worst)
		snprintf(state->failing, sizeof(state->failing), _("most failures: %s %.0f/s in %.*s by %s"),
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

static void heading_of_traces(const struct pane_context *context, char *text, size_t room)
{
	add_cost(context, _("events of tracepoints"), "trace", text, room);
}

/* Of the scope, whatever process was looked at before. */
static void sampling(struct pane_context *context)
{
	context_request(context)->profiled_pid = 0;
}

static void open_of_event(struct pane_context *context)
{
	const struct table *table = context_table(context, CALLS_TABLE_STREAM);
	const struct column *column;
	const void *row = table_cell(&context->tables[CALLS_TABLE_STREAM], &column);

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

static const char *refuses(const struct pane_context *context, enum action action)
{
	const char *why = functions_refuse(context, action);

	return why ? why : traces_refuse(context, action);
}

static void open_pane(struct pane_context *context)
{
	functions_open(context);
	traces_open(context);
}

static const struct pane_view views[] = {
	[CALLS_VIEW_CALLS] = { "calls", N_("Calls"), N_("system calls by process and call"),
			       CALLS_TABLE_CALLS, BIT(CALLS_TABLE_COST), .actions = call_actions,
			       .heading = heading_of_calls },
	[CALLS_VIEW_OPENED] = { "opened", N_("Opened"), N_("opened files by path and result"),
				CALLS_TABLE_TOTAL, BIT(CALLS_TABLE_COST), .heading = heading_of_opened },
	[CALLS_VIEW_STREAM] = { "stream", N_("Stream"), N_("files as they are opened, and errors"),
				CALLS_TABLE_STREAM, BIT(CALLS_TABLE_COST), .actions = stream_actions,
				.heading = heading_of_stream },
	[CALLS_VIEW_FUNCTIONS] = { "functions", N_("Functions"),
				   N_("calls of functions of programs and libraries"), CALLS_TABLE_PROBE,
				   .actions = functions_actions },
	[CALLS_VIEW_TRACES] = { "traces", N_("Traces"), N_("events of tracepoints, by their keys"),
				CALLS_TABLE_TRACE, BIT(CALLS_TABLE_COST), .actions = traces_actions,
				.heading = heading_of_traces },
	[CALLS_VIEW_HISTOGRAMS] = { "histograms", N_("Histograms"),
				    N_("how large the numbers of tracepoints are"), CALLS_TABLE_TRACE_BUCKET,
				    .actions = traces_actions },
	[CALLS_VIEW_TRACEPOINTS] = { "tracepoints", N_("Tracepoints"),
				     N_("all tracepoints of this kernel, and their fields"),
				     CALLS_TABLE_TRACEPOINT, .actions = tracepoints_actions, .more = true },
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
	.refuses = refuses,
	.goes_on = traces_go_on,
	.open = open_pane,
	.close = close_state,
	.sampling = sampling,
	.sampled = functions_sampled,
	.update = update,
};
