/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: what processes ask of the kernel. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "model/rule.h"
#include "pane/calls/calls.h"
#include "pane/processes.h"
#include "screen/pane.h"

enum calls_table {
	CALLS_TABLE_CALLS,
	CALLS_TABLE_TOTAL,
	CALLS_TABLE_STREAM,
	CALLS_TABLE_PROBE,
	CALLS_TABLE_TRACE,
	CALLS_TABLE_TRACE_BUCKET,
	CALLS_TABLE_TRACEPOINT,
	CALLS_TABLE_COST,
};

enum calls_view {
	CALLS_VIEW_CALLS,
	CALLS_VIEW_OPENED,
	CALLS_VIEW_STREAM,
	CALLS_VIEW_FUNCTIONS,
	CALLS_VIEW_TRACES, /* from here on of tracepoints */
	CALLS_VIEW_HISTOGRAMS,
	CALLS_VIEW_TRACEPOINTS,
};

struct calls_state {
	struct probes_state probes;
	struct failing_directories directories;
	char failing[TEXT_MAX]; /* "ENOENT 77/s below /etc/ssl, by postgres" */
	unsigned edited; /* of the request's traces: which one the prompt changes; their number: a new one */
};

static bool is_same(struct span one, struct span other)
{
	size_t length = span_length(one);

	return length == span_length(other) && (length == 0 || memcmp(one.at, other.at, length) == 0);
}

static struct failing_directory *find(struct failing_directories *directories, struct span directory,
				      const char *result)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, directory), span_text(result));
	struct failing_directory *list = directories->list;
	uint32_t at;

	HASH_FIND(at, &directories->by_directory, hash,
		  strcmp(list[at].result, result) == 0 && is_same(list[at].directory, directory));
	if (at != HASH_NONE)
		return &list[at];
	hash_add(&directories->by_directory, hash, (uint32_t)directories->n);
	list = VECTOR_ADD(directories->list, directories->n, directories->capacity);
	*list = (struct failing_directory){ .directory = directory, .result = result, .command = "" };
	return list;
}

const struct failing_directory *failing_directory_find(struct failing_directories *directories,
						       const struct table *table)
{
	const struct failing_directory *worst = NULL;

	directories->n = 0;
	hash_clear(&directories->by_directory);
	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *result = table_text(table, row, "result");
		double per_second = table_number(table, row, "opens_per_second");
		const char *path = table_text(table, row, "path"), *slash = strrchr(path, '/');
		struct failing_directory *of;

		/* a success is a word in small letters, an error its name or number */
		if (!*result || (*result >= 'a' && *result <= 'z') || !(per_second > 0))
			continue;
		of = find(directories, span_of(path, slash == path ? 1 : slash ? (size_t)(slash - path) : 0),
			  result);
		of->per_second += per_second;
		if (per_second <= of->most_per_second)
			continue;
		of->most_per_second = per_second;
		of->command = table_text(table, row, "command");
	}
	for (size_t i = 0; i < directories->n; i++)
		if (!worst || directories->list[i].per_second > worst->per_second)
			worst = &directories->list[i];
	return worst;
}

void failing_directories_free(struct failing_directories *directories)
{
	free(directories->list);
	hash_free(&directories->by_directory);
	*directories = (struct failing_directories){ 0 };
}

#define QUESTION_MAX 512

static bool probes_any(const struct sample_request *request)
{
	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (*request->probe_calls[i].text)
			return true;
	return false;
}

void probes_add(struct pane_context *context, unsigned table, const char *text, uint32_t pid)
{
	if (screen_replays(context)) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("nothing can be counted in a recording"));
		return;
	}
	if (context->request->read_only) {
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("--read-only: a probe would write into the code of the process"));
		return;
	}
	if (sample_request_probe(context_request(context), text, pid) < 0) {
		screen_warn(context->screen, MESSAGE_PANE,
			    _("%d functions are counted already; take one off first, in the view Functions "
			      "of the pane calls"),
			    PROBE_CALLS_MAX);
		return;
	}
	screen_request(context, table, true);
	screen_message(context->screen, MESSAGE_PANE,
		       _("%s: measuring what it costs, then counting it; the pane calls shows it"), text);
	screen_sample_now(context);
}

static struct probe_call *find_call(struct pane_context *context, const char *text)
{
	struct sample_request *request = context_request(context);

	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (*text && strcmp(request->probe_calls[i].text, text) == 0)
			return &request->probe_calls[i];
	return NULL;
}

static void allow(struct pane_context *context)
{
	const struct probes_state *state = context->state;
	struct probe_call *call = find_call(context, state->text);

	if (call)
		call->allowed = true;
	screen_sample_now(context);
}

/* A row of the probe that was taken off because of its cost; NULL: there is none. */
static const void *find_costly(const struct table *table, const char *text)
{
	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (strcmp(table_text(table, row, "probe"), text) == 0 &&
		    strcmp(table_text(table, row, "state"), "costly") == 0)
			return row;
	}
	return NULL;
}

static bool ask(struct pane_context *context, struct probes_state *state, const struct frame *frame,
		const char *text)
{
	const struct table *table = frame_table(frame, "probe");
	const void *row = find_costly(table, text);
	char question[QUESTION_MAX];
	double cost, hits;

	if (!row)
		return false;
	cost = table_number(table, row, "cost_seconds");
	hits = table_number(table, row, "expected_per_second");
	snprintf(state->text, sizeof(state->text), "%s", text);
	snprintf(question, sizeof(question),
		 _("%s: %.0f hits/s of %.1f us cost %.0f %% of a CPU. Count it nevertheless?"), text, hits,
		 cost * 1e6, 100 * hits * cost);
	screen_ask(context, question, allow);
	return true;
}

void probes_ask(struct pane_context *context, struct probes_state *state, const struct frame *frame)
{
	for (unsigned i = 0; i < PROBE_CALLS_MAX && screen_may_ask(context); i++) {
		const struct probe_call *call = &context->request->probe_calls[i];

		if (*call->text && !call->allowed && state->asked[i] != call->number &&
		    ask(context, state, frame, call->text)) {
			state->asked[i] = call->number;
			return;
		}
	}
}

static const char *selected_probe(const struct pane_context *context)
{
	return table_selected_text(&context->tables[CALLS_TABLE_PROBE], "probe");
}

static void ask_about_selected(struct pane_context *context)
{
	const char *probe = selected_probe(context);

	if (probe && !ask(context, context_state(context), context->frame, probe))
		screen_message(context->screen, MESSAGE_PANE, "%s", _("it costs no more than allowed"));
}

static bool add_typed(struct pane_context *context, const char *text, char *error, size_t room)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || strchr(colon, '/')) {
		snprintf(error, room, "%s", _("FILE:FUNCTION, as in libc.so.6:malloc"));
		return false;
	}
	probes_add(context, CALLS_TABLE_PROBE, text, 0);
	return true;
}

static void act_on_probe(struct pane_context *context, unsigned index)
{
	const char *probe = selected_probe(context);
	struct probe_call *call = probe ? find_call(context, probe) : NULL;

	if (index == 0) {
		screen_prompt(context, _("Count calls of FILE:FUNCTION"), "", add_typed);
	} else if (index == 1) {
		ask_about_selected(context);
	} else if (call) {
		call->text[0] = '\0';
		screen_message(context->screen, MESSAGE_PANE, _("%s is taken off"), probe);
		screen_sample_now(context);
	}
}

static void show_probe_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Count"), _("a function, by its name and that of its file; Enter in the view Functions "
				"of a process chooses one") },
		{ _("Nevertheless"), _("count the selected one, whatever it costs; asks first") },
		{ _("Take off"), _("count the selected one no longer") },
	};

	screen_menu(context, _("Actions"), items, selected_probe(context) ? 3 : 1, 0, act_on_probe);
}

static const struct pane_action functions_actions[] = {
	{ ACTION_ACT, show_probe_actions, NULL, N_("count another function, or one no longer") },
	{ ACTION_OPEN, ask_about_selected, N_("Nevertheless"),
	  N_("count the selected function although it costs more than --probe-cost; asks first") },
	{ 0 },
};

static void functions_sampled(struct pane_context *context, const struct frame *frame)
{
	probes_ask(context, context_state(context), frame);
}

#define MENU_FIRST 2 /* items of the menu before those of what is counted */

static bool traces_are_counted(const struct sample_request *request)
{
	return request->traces && request->traces->n > 0;
}

static bool traces_go_on(const struct pane_context *context)
{
	return context->requested[CALLS_TABLE_TRACE] && traces_are_counted(context->request) &&
	       !context->request->recorded;
}

/* The text in this column of the selected row of a table; NULL: no row is. */
static const char *selected(const struct pane_context *context, unsigned table, const char *key)
{
	const void *row = context_selected_row(context, table);

	return row ? table_text(context_table(context, table), row, key) : NULL;
}

/* Its fields, where the shown frame has those of all tracepoints; false: it lacks it, or one of them. */
static bool is_known(const struct pane_context *context, const struct trace_spec *spec, char *error,
		     size_t room)
{
	const struct table *table = frame_table(context->frame, "tracepoint");
	struct trace_fields fields;
	char name[2 * TRACE_NAME_MAX];
	const void *row;

	if (!table || table->n_rows == 0)
		return true;
	snprintf(name, sizeof(name), "%s:%s", spec->group, spec->event);
	row = table_find(table, name, NULL);
	fields = (struct trace_fields){ table_text(table, row, "numbers"), table_text(table, row, "texts"),
					table_text(table, row, "others") };
	if (!row)
		snprintf(error, room, _("no tracepoint %s"), name);
	return row && (!row_is_known(row, schema_known_column(table->schema, "numbers")) ||
		       trace_spec_fits(spec, &fields, error, room));
}

static void say(struct pane_context *context, const char *what)
{
	bool any = traces_are_counted(context->request);

	screen_request(context, CALLS_TABLE_TRACE, any);
	screen_request(context, CALLS_TABLE_TRACE_BUCKET, any);
	screen_show_view(context, CALLS_VIEW_TRACES);
	screen_message(context->screen, MESSAGE_PANE, "%s", what);
	screen_sample_now(context);
}

static bool take(struct pane_context *context, const char *text, char *error, size_t room)
{
	const struct calls_state *state = context->state;
	struct trace_specs *traces = context->request->traces;
	struct trace_spec spec;

	if (!trace_spec_parse(&spec, text, error, room) || !is_known(context, &spec, error, room))
		return false;
	if (state->edited >= traces->n)
		traces->n++;
	traces->list[traces->n - 1 < state->edited ? traces->n - 1 : state->edited] = spec;
	traces->epoch++;
	say(context, _("counting; F9 ends it"));
	return true;
}

static void edit(struct pane_context *context, unsigned edited, const char *text)
{
	struct calls_state *state = context_state(context);

	if (edited == TRACE_SPECS_MAX) {
		screen_warn(context->screen, MESSAGE_PANE, _("at most %d are counted; F9 ends one"),
			    TRACE_SPECS_MAX);
		return;
	}
	state->edited = edited;
	screen_edit(context, _("Count"), text, take);
}

static void count_selected(struct pane_context *context)
{
	const char *name = selected(context, CALLS_TABLE_TRACEPOINT, "tracepoint");
	char text[TRACE_SPEC_TEXT_MAX];

	if (!name)
		return;
	snprintf(text, sizeof(text), "%s by comm", name);
	edit(context, context->request->traces->n, text);
}

static void change_selected(struct pane_context *context)
{
	const struct trace_specs *traces = context->request->traces;
	const char *text = selected(context, CALLS_TABLE_TRACE, "trace");

	for (unsigned i = 0; text && i < traces->n; i++)
		if (strcmp(traces->list[i].text, text) == 0) {
			edit(context, i, text);
			return;
		}
	screen_show_view(context, CALLS_VIEW_TRACEPOINTS);
}

static void act_on_trace(struct pane_context *context, unsigned index)
{
	struct trace_specs *traces = context->request->traces;
	unsigned ended = index - MENU_FIRST;

	if (index == 0) {
		screen_show_view(context, CALLS_VIEW_TRACEPOINTS);
	} else if (index == 1) {
		edit(context, traces->n, "");
	} else if (ended < traces->n) {
		traces->n--;
		memmove(&traces->list[ended], &traces->list[ended + 1],
			(traces->n - ended) * sizeof(traces->list[0]));
		traces->epoch++;
		say(context, _("not counted any more"));
	}
}

static void show_trace_actions(struct pane_context *context)
{
	const struct trace_specs *traces = context->request->traces;
	struct menu_item items[MENU_FIRST + TRACE_SPECS_MAX] = {
		{ _("Choose"), _("a tracepoint from the list of all, with their fields") },
		{ _("Type"),
		  "GROUP:EVENT by KEY,KEY sum(FIELD) max(FIELD) hist(FIELD) if FIELD > 8 and ..." },
	};

	for (unsigned i = 0; i < traces->n; i++)
		items[MENU_FIRST + i] = (struct menu_item){ _("End"), traces->list[i].text };
	screen_menu(context, _("Tracepoints"), items, MENU_FIRST + traces->n, 0, act_on_trace);
}

static const struct pane_action traces_actions[] = {
	{ ACTION_OPEN, change_selected, N_("Change"), N_("change what is counted, or choose a tracepoint") },
	{ ACTION_ACT, show_trace_actions, NULL, N_("choose a tracepoint, type what to count, or end it") },
	{ 0 },
};

static const struct pane_action tracepoints_actions[] = {
	{ ACTION_OPEN, count_selected, N_("Count"), N_("count the events of the selected tracepoint") },
	{ ACTION_ACT, show_trace_actions, NULL, N_("choose a tracepoint, type what to count, or end it") },
	{ 0 },
};

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[CALLS_TABLE_CALLS] = { .topic = "call", .headline = true, .sort = "calls_per_second",
				.text_rows = 40 },
	[CALLS_TABLE_TOTAL] = { .topic = "opened_total", .lazy = true, .recorded = true,
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
	[CALLS_TABLE_TRACE] = { .topic = "trace", .headline = true, .on_request = true,
				.columns = "keys,per_second,count,sum_per_second,sum,max,trace",
				.sort = "per_second", .when = traces_are_counted, .text_rows = 40 },
	[CALLS_TABLE_TRACE_BUCKET] = { .topic = "trace_bucket", .on_request = true,
				       .columns = "keys,from,to,count,per_second,trace" },
	[CALLS_TABLE_TRACEPOINT] = { .topic = "tracepoint", .lazy = true, .sort = "+tracepoint" },
	[CALLS_TABLE_COST] = { .topic = "tracing", .lazy = true, .recorded = true },
	{ 0 },
};

/* What the programs of the topic of a view do in a second, and the part of a CPU that it takes. */
static void heading(const struct pane_context *context, char *text, size_t room)
{
	static const char *const names[] = {
		[CALLS_VIEW_CALLS] = N_("system calls"),
		[CALLS_VIEW_OPENED] = N_("opened files"),
		[CALLS_VIEW_STREAM] = N_("files as they are opened"),
		[CALLS_VIEW_TRACES] = N_("events of tracepoints"),
	};
	const char *what = _(names[context->view]);
	const char *topic = context->pane->tables[context->pane->views[context->view].table].topic;
	const struct calls_state *state = context->state;
	const struct table *table = frame_table(context->frame, "tracing");
	const struct table *calls = frame_table(context->frame, "call");
	double most = 0, cost = 0, age = NAN;
	size_t length;

	if (context->view == CALLS_VIEW_CALLS && calls && calls->n_rows > 0)
		age = table_number(calls, table_row(calls, 0), "age_seconds");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double runs = table_number(table, row, "runs_per_second");

		if (strcmp(table_text(table, row, "topic"), topic) != 0 || isnan(runs))
			continue;
		most = fmax(most, runs);
		cost += runs * table_number(table, row, "mean_seconds");
	}
	if (age > 0)
		snprintf(text, room, _("%s, estimated from a burst that ended %.1f s ago"), what, age);
	else if (age == 0)
		snprintf(text, room, _("%s, being counted in a burst"), what);
	else if (most > 0 && cost > 0)
		snprintf(text, room, _("%s, %.0f/s (tracing costs %.2f %% of a CPU)"), what, most,
			 100 * cost);
	else
		snprintf(text, room, "%s", what);
	length = strlen(text);
	if (context->view == CALLS_VIEW_OPENED && *state->failing && length < room)
		snprintf(text + length, room - length, "; %s", state->failing);
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
	failing_directories_free(&((struct calls_state *)of)->directories);
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
	if (action != ACTION_ACT && action != ACTION_OPEN)
		return NULL;
	if (context->view == CALLS_VIEW_FUNCTIONS)
		return screen_replays(context) ? _("nothing can be counted in a recording")
		       : action == ACTION_OPEN && !selected_probe(context) ? _("select a function first")
									    : NULL;
	return context->view < CALLS_VIEW_TRACES ? NULL
	       : context->request->recorded ? _("a recording has what was counted when it was made")
	       : context->request->no_bpf   ? _("it was started with --no-bpf")
					    : NULL;
}

static void open_pane(struct pane_context *context)
{
	bool any = traces_are_counted(context->request) && !context->request->recorded;

	context->requested[CALLS_TABLE_PROBE] |= probes_any(context->request);
	context->requested[CALLS_TABLE_TRACE] = any;
	context->requested[CALLS_TABLE_TRACE_BUCKET] = any;
	if (any)
		context->view = CALLS_VIEW_TRACES;
}

static const struct pane_view views[] = {
	[CALLS_VIEW_CALLS] = { "calls", N_("Calls"), N_("system calls by process and call"),
			       CALLS_TABLE_CALLS, BIT(CALLS_TABLE_COST), .actions = call_actions,
			       .heading = heading },
	[CALLS_VIEW_OPENED] = { "opened", N_("Opened"), N_("opened files by path and result"),
				CALLS_TABLE_TOTAL, BIT(CALLS_TABLE_COST), .heading = heading },
	[CALLS_VIEW_STREAM] = { "stream", N_("Stream"), N_("files as they are opened, and errors"),
				CALLS_TABLE_STREAM, BIT(CALLS_TABLE_COST), .actions = stream_actions,
				.heading = heading },
	[CALLS_VIEW_FUNCTIONS] = { "functions", N_("Functions"),
				   N_("calls of functions of programs and libraries"), CALLS_TABLE_PROBE,
				   .actions = functions_actions },
	[CALLS_VIEW_TRACES] = { "traces", N_("Traces"), N_("events of tracepoints, by their keys"),
				CALLS_TABLE_TRACE, BIT(CALLS_TABLE_COST), .actions = traces_actions,
				.heading = heading },
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
