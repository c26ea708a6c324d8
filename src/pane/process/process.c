/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process page: one process, and all that is known of it; process_draw.c draws its summary. */
#include <config.h>

#include "pane/process/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/common.h"
#include "pane/processes.h"
#include "screen/past/past.h"

#define CODE_FROM 0.9 /* of one CPU, that it uses: its code is sampled then … */
#define CODE_TO 0.3   /* … down to this */
#define START_SLACK_SECONDS 0.005 /* half a tick */

#define BIT(table) (1UL << (table))

static const struct pane_table tables[] = {
	[PROCESS_TABLE_DETAIL] = { .topic = "process_detail", .of_one = true, .headline = true },
	[PROCESS_TABLE_LIMIT] = { .topic = "limit", .of_one = true, .headline = true },
	[PROCESS_TABLE_FILE] = { .topic = "open_file", .of_one = true, .headline = true },
	[PROCESS_TABLE_PROCESS] = { .topic = "process", .lazy = true, .own_columns = true,
				    .columns = "pid,user,state,cpu_ratio,resident_bytes,threads,command",
				    .reads = "wait_ratio,read_bytes_per_second,"
					     "tcp_received_bytes_per_second", .sort = "cpu_ratio" },
	[PROCESS_TABLE_THREAD] = { .topic = "thread", .of_one = true, .lazy = true, .own_columns = true,
				   .columns = "tid,cpu_ratio,state,processor,cpu_seconds,name",
				   .sort = "cpu_ratio" },
	[PROCESS_TABLE_REGION] = { .topic = "region", .of_one = true, .lazy = true, .own_columns = true,
				   .columns = "present_bytes,size_bytes,swapped_bytes,file_bytes,"
					      "anonymous_bytes,permissions,start_address,path",
				   .sort = "present_bytes" },
	[PROCESS_TABLE_SIGNAL] = { .topic = "signal", .of_one = true, .lazy = true },
	[PROCESS_TABLE_ENVIRONMENT] = { .topic = "environment", .of_one = true, .lazy = true },
	[PROCESS_TABLE_MEMORY] = { .topic = "process_memory", .of_one = true, .lazy = true },
	[PROCESS_TABLE_EVENT] = { .topic = "event", .of_one = true, .lazy = true, .own_columns = true,
				  .columns = "time,event,pid,info,status,duration_seconds,command",
				  .waits = N_("waiting for an event of it or its children") },
	[PROCESS_TABLE_TIME] = { .topic = "time_account", .lazy = true },
	[PROCESS_TABLE_CODE] = { .topic = "profile", .of_one = true, .lazy = true, .own_columns = true,
				 .sort = "self_ratio", .waits = N_("waiting for samples of its code") },
	[PROCESS_TABLE_COST] = { .topic = "profile_cost", .of_one = true, .lazy = true, .own_columns = true },
	[PROCESS_TABLE_WAITS] = { .topic = "waiting", .of_one = true, .lazy = true, .own_columns = true,
				  .columns = "ratio,seconds,waits,cause,function,how", .sort = "seconds",
				  .waits = N_("waiting for the next sample") },
	[PROCESS_TABLE_WALL] = { .topic = "wall_time", .of_one = true, .lazy = true, .own_columns = true,
				 .sort = "ratio", .waits = N_("waiting for the next sample") },
	[PROCESS_TABLE_CALLS] = { .topic = "call", .of_one = true, .lazy = true, .own_columns = true,
				  .columns = "call,calls_per_second,errors_per_second,time_ratio,"
					     "p50_seconds,p99_seconds,max_seconds,calls,error_ratio,"
					     "age_seconds,error_names",
				  .sort = "calls_per_second", .waits = N_("waiting for the next sample") },
	[PROCESS_TABLE_FUNCTION] = { .topic = "function", .of_one = true, .lazy = true,
				     .waits = N_("reading the files that it has mapped") },
	[PROCESS_TABLE_KILL] = { .topic = "kill", .lazy = true, .own_columns = true },
	[PROCESS_TABLE_STUCK] = { .topic = "stuck", .lazy = true, .own_columns = true },
	[PROCESS_TABLE_GROUP] = { .topic = "group", .lazy = true, .own_columns = true },
	[PROCESS_TABLE_CONVOY] = { .topic = "convoy", .lazy = true, .own_columns = true },
	[PROCESS_TABLE_PROBE] = { .topic = "probe", .of_one = true, .on_request = true, .own_columns = true },
	[PROCESS_TABLE_ENDED] = { .topic = "ended", .lazy = true, .own_columns = true },
	{ 0 },
};

enum {
	VIEW_SUMMARY,
	VIEW_THREADS,
	VIEW_FILES,
	VIEW_LIMITS,
	VIEW_SIGNALS,
	VIEW_ENVIRONMENT,
	VIEW_MEMORY,
	VIEW_MAP,
	VIEW_EVENTS,
	VIEW_CODE,
	VIEW_WAITS,
	VIEW_WALL,
	VIEW_CALLS,
	VIEW_FUNCTIONS,
	VIEW_LIST,
};

static bool has_process(const struct pane_context *context)
{
	const struct table *table = context_table(context, PROCESS_TABLE_DETAIL);

	return process_is_chosen(context) || (table && table->n_rows > 0);
}

/* Which process the page is of: the one that was opened, or the one of the table, as with --pid. */
static bool find_identity(const struct pane_context *context, const struct table *details, double *pid,
			  double *start)
{
	const struct process_choice *chosen = &context->request->mapped;

	if (chosen->is_set) {
		*pid = chosen->pid;
		*start = chosen->start_seconds >= 0 ? chosen->start_seconds : NAN;
	} else if (details && details->n_rows > 0) {
		*pid = table_number(details, table_row(details, 0), "pid");
		*start = table_number(details, table_row(details, 0), "start_seconds");
	} else {
		return false;
	}
	return true;
}

static const void *find_process(const struct table *table, double pid, double start)
{
	const struct column *pids, *starts;

	if (!table)
		return NULL;
	pids = schema_known_column(table->schema, "pid");
	starts = schema_known_column(table->schema, "start_seconds");
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (row_number(row, pids) == pid &&
		    (isnan(start) || fabs(row_number(row, starts) - start) < START_SLACK_SECONDS))
			return row;
	}
	return NULL;
}

struct process_rows process_rows_of(const struct pane_context *context, const struct frame *frame)
{
	struct process_rows rows = { .details = frame_table(frame, "process_detail"),
				     .processes = frame_table(frame, "process") };
	double pid, start;

	if (!find_identity(context, rows.details, &pid, &start))
		return rows;
	rows.detail = find_process(rows.details, pid, start);
	if (rows.detail && isnan(start)) /* of an event: found by its PID and time */
		start = table_number(rows.details, rows.detail, "start_seconds");
	rows.process = find_process(rows.processes, pid, start);
	return rows;
}

double process_number(const struct process_rows *rows, const char *column)
{
	double number = NAN;

	if (rows->process && schema_find(rows->processes->schema, column))
		number = table_number(rows->processes, rows->process, column);
	if (isnan(number) && rows->detail && schema_find(rows->details->schema, column))
		number = table_number(rows->details, rows->detail, column);
	if (isnan(number) && rows->end && schema_find(rows->ends->schema, column))
		number = table_number(rows->ends, rows->end, column);
	return number;
}

const char *process_text(const struct process_rows *rows, const char *column)
{
	const char *text = "";

	if (rows->detail && schema_find(rows->details->schema, column))
		text = table_text(rows->details, rows->detail, column);
	if (!*text && rows->process && schema_find(rows->processes->schema, column))
		text = table_text(rows->processes, rows->process, column);
	if (!*text && rows->end && strcmp(column, "state") == 0)
		text = "X";
	else if (!*text && rows->end && schema_find(rows->ends->schema, column))
		text = table_text(rows->ends, rows->end, column);
	return text;
}

/* Of those whose start is not known the first that ended after it was seen. */
static const void *find_end(const struct pane_context *context, const struct table *ends, double pid,
			    double start)
{
	const struct process_choice *chosen = &context->request->mapped;
	uint64_t seen_ns = chosen->is_set && isnan(start) ? chosen->seen_ns : 0;
	const struct column *pids, *starts, *times;

	if (!ends)
		return NULL;
	pids = schema_known_column(ends->schema, "pid");
	starts = schema_known_column(ends->schema, "start_seconds");
	times = schema_known_column(ends->schema, "time");
	for (size_t i = 0; i < ends->n_rows; i++) {
		const void *row = table_row(ends, i);

		if (row_number(row, pids) == pid &&
		    (isnan(start) ? row_u64(row, times) >= seen_ns
				  : fabs(row_number(row, starts) - start) < START_SLACK_SECONDS))
			return row;
	}
	return NULL;
}

struct process_rows process_shown_rows(const struct pane_context *context)
{
	struct process_rows rows = process_rows_of(context, context->frame);
	double pid, start;

	rows.ends = context_table(context, PROCESS_TABLE_ENDED);
	if (!rows.process && (!rows.detail || *process_text(&rows, "state") == 'X') &&
	    find_identity(context, rows.details, &pid, &start))
		rows.end = find_end(context, rows.ends, pid, start);
	return rows;
}

const void *process_exit_event(const struct pane_context *context, const struct process_rows *rows)
{
	const struct table *events = context_table(context, PROCESS_TABLE_EVENT);
	double pid = process_number(rows, "pid"), started = process_number(rows, "started_time");

	if (*process_text(rows, "state") != 'X')
		return NULL;
	for (size_t i = events ? events->n_rows : 0; i > 0; i--) {
		const void *row = table_row(events, i - 1);

		if (table_number(events, row, "pid") == pid &&
		    strcmp(table_text(events, row, "event"), "exit") == 0)
			return table_number(events, row, "time") >= started || isnan(started) ? row : NULL;
	}
	return NULL;
}

#define DETAIL(column) { "process_detail", NULL, column, .while_shown = true }

/* a number of no row */
#define NOTED { "process_detail", "", "pid", .while_shown = true }

static const struct series series[] = {
	[PROCESS_SERIES_CPU] = DETAIL("cpu_ratio"),
	[PROCESS_SERIES_MEMORY] = DETAIL("resident_bytes"),
	[PROCESS_SERIES_READ] = DETAIL("call_read_bytes_per_second"),
	[PROCESS_SERIES_WRITE] = DETAIL("call_write_bytes_per_second"),
	/* process_past_note() sets these: the first row may be of another process */
	[PROCESS_SERIES_CPU_SECONDS] = NOTED,
	[PROCESS_SERIES_DISK_SECONDS] = NOTED,
	[PROCESS_SERIES_PERIODS] = NOTED,
	[PROCESS_SERIES_THROTTLED] = NOTED,
	[PROCESS_SERIES_LOCK_THREADS] = NOTED,
	[PROCESS_SERIES_USER_SECONDS] = NOTED,
	[PROCESS_SERIES_SYSTEM_SECONDS] = NOTED,
	[PROCESS_SERIES_WAIT_SECONDS] = NOTED,
	[PROCESS_SERIES_MAJOR_FAULTS] = NOTED,
	[PROCESS_SERIES_TIME_DISK] = NOTED,
	[PROCESS_SERIES_TIME_MEMORY] = NOTED,
	[PROCESS_SERIES_TIME_LOCK] = NOTED,
	[PROCESS_SERIES_TIME_OTHER] = NOTED,
	[PROCESS_SERIES_STATE] = NOTED,
	[PROCESS_SERIES_CALL] = NOTED,
};

/* Tables of all processes, and in a recording those of another one, show what is of this one. */
static void choose_rows(struct pane_context *context)
{
	static const struct {
		enum process_table table;
		const char *parent; /* column */
	} of_all[] = { { PROCESS_TABLE_THREAD, NULL },      { PROCESS_TABLE_REGION, NULL },
		       { PROCESS_TABLE_EVENT, "ppid" },     { PROCESS_TABLE_LIMIT, NULL },
		       { PROCESS_TABLE_FILE, NULL },        { PROCESS_TABLE_SIGNAL, NULL },
		       { PROCESS_TABLE_ENVIRONMENT, NULL }, { PROCESS_TABLE_MEMORY, NULL },
		       { PROCESS_TABLE_CALLS, NULL },       { PROCESS_TABLE_FUNCTION, NULL } };
	const struct process_state *state = context->state;

	for (size_t i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
		struct view *view = &context->tables[of_all[i].table].view;

		view_clear_choices(view);
		view_choose_related(view, state->pid_text, "pid", of_all[i].parent);
	}
}

/* What is known of a process without its page. */
static void note_numbers(struct pane_context *context, const struct process_rows *rows,
			 const struct frame *frame)
{
	history_set(&context->history, PROCESS_SERIES_CPU, frame, process_number(rows, "cpu_ratio"));
	history_set(&context->history, PROCESS_SERIES_MEMORY, frame, process_number(rows, "resident_bytes"));
	/* not those of the first row, which is another process */
	history_set(&context->history, PROCESS_SERIES_READ, frame, NAN);
	history_set(&context->history, PROCESS_SERIES_WRITE, frame, NAN);
}

/* From before the page was opened, when the process was one of a list. */
static void recall(struct pane_context *context, const struct frame *frame)
{
	const struct process_rows rows = process_rows_of(context, frame);

	if (!rows.process)
		return;
	history_add(&context->history, frame);
	note_numbers(context, &rows, frame);
}

/* The past of another process is not that of this one. */
static void note_process(struct pane_context *context, const struct process_rows *rows,
			 const struct frame *frame)
{
	struct process_state *state = context_state(context);
	double pid = process_number(rows, "pid"), start = process_number(rows, "start_seconds");

	if (isnan(pid) ||
	    (state->pid == (uint32_t)pid && !(fabs(state->start_seconds - start) >= START_SLACK_SECONDS)))
		return;
	state->pid = (uint32_t)pid;
	state->start_seconds = start;
	snprintf(state->pid_text, sizeof(state->pid_text), "%u", state->pid);
	choose_rows(context);
	history_clear(&context->history);
	past_recall(context, recall);
	history_add(&context->history, frame);
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct process_rows rows = process_rows_of(context, frame);

	if (!rows.detail && !rows.process)
		return;
	note_process(context, &rows, frame);
	if (context->tables[PROCESS_TABLE_THREAD].view.filter.n_choices == 0) /* the settings changed */
		choose_rows(context);
	if (!rows.detail)
		note_numbers(context, &rows, frame);
	process_past_note(context, &rows, frame);
	probes_ask(context, &((struct process_state *)context_state(context))->probes, frame);
}

/* Of a process that computes, the summary says where; it goes on while that may come again. */
static bool asks_for_code(struct pane_context *context)
{
	struct process_state *state = context_state(context);
	struct process_rows rows;

	if (context->frame) {
		rows = process_rows_of(context, context->frame);
		state->asks_for_code =
			process_number(&rows, "cpu_ratio") >= (state->asks_for_code ? CODE_TO : CODE_FROM);
	}
	return context->view == VIEW_SUMMARY && state->asks_for_code;
}

/* It has ended, and no exit code is known. */
static bool may_be_killed(const struct pane_context *context)
{
	const struct process_rows rows = process_shown_rows(context);

	return text_is_one_of(process_text(&rows, "state"), span_text("X|Z")) &&
	       isnan(process_number(&rows, "exit_code"));
}

static bool may_be_stuck(const struct pane_context *context)
{
	const struct process_rows rows = process_rows_of(context, context->frame);

	return strcmp(process_text(&rows, "state"), "D") == 0;
}

static bool may_be_convoy(const struct pane_context *context)
{
	const struct process_rows rows = process_rows_of(context, context->frame);

	return process_number(&rows, "lock_threads") >= 2;
}

/* Then findings about its groups are in each sample. */
static bool is_limited(const struct pane_context *context)
{
	const struct process_rows rows = process_rows_of(context, context->frame);

	return *process_text(&rows, "limit_group") || *process_text(&rows, "memory_limit_group");
}

/* It is read in each sample, also while it does not run. */
static void sampling(struct pane_context *context)
{
	const struct process_state *state = context->state;
	const struct process_choice *chosen = &context->request->mapped;
	bool of_code = asks_for_code(context) || context->view == VIEW_CODE;
	bool of_this = of_code || context->view == VIEW_WAITS || context->view == VIEW_WALL ||
		       context->view == VIEW_CALLS;

	context_request(context)->profiled_pid = 0;
	if (context->view == VIEW_LIST) {
		process_rows_request(context, BIT(PROCESS_TABLE_PROCESS));
		return;
	}
	context_request(context)->time_of_mapped = context->view == VIEW_SUMMARY;
	context_request(context)->visible[0] = chosen->is_set ? chosen->pid : state->pid;
	context_request(context)->n_visible = context->request->visible[0] ? 1 : 0;
	context_request(context)->profiled_pid = of_this ? context->request->visible[0] : 0;
	screen_request(context, PROCESS_TABLE_CODE, of_code);
	screen_request(context, PROCESS_TABLE_COST, of_code);
	screen_request(context, PROCESS_TABLE_KILL, context->frame && may_be_killed(context));
	screen_request(context, PROCESS_TABLE_STUCK, context->frame && may_be_stuck(context));
	screen_request(context, PROCESS_TABLE_CONVOY, context->frame && may_be_convoy(context));
	screen_request(context, PROCESS_TABLE_GROUP,
		       context->view == VIEW_SUMMARY && context->frame && is_limited(context));
}

/* By PID, and since that may be of another one by now, by name. */
static const void *find_named(const struct table *processes, double pid, const char *name)
{
	const void *row = find_process(processes, pid, NAN);

	return row && strcmp(table_text(processes, row, "name"), name) == 0 ? row : NULL;
}

const void *process_parent(const struct pane_context *context, const struct process_rows *rows)
{
	const struct table *events = context_table(context, PROCESS_TABLE_EVENT);
	struct process_rows alive = *rows;
	const void *parent, *exit;

	alive.end = NULL;
	parent = find_process(rows->processes, process_number(&alive, "ppid"), NAN);
	if (!parent && (exit = process_exit_event(context, rows)))
		parent = find_named(rows->processes, table_number(events, exit, "ppid"),
				    table_text(events, exit, "parent"));
	if (!parent && rows->end)
		parent = find_named(rows->processes, table_number(rows->ends, rows->end, "ppid"),
				    table_text(rows->ends, rows->end, "parent"));
	return parent;
}

static void open_parent(struct pane_context *context)
{
	const struct process_rows rows = process_shown_rows(context);
	const void *parent = process_parent(context, &rows);

	if (parent) {
		screen_message(context->screen, MESSAGE_SCREEN, _("the parent of %s; Esc goes back"),
			       process_text(&rows, "name"));
		process_open(context, "process", rows.processes, parent);
	} else {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("its parent is not known here"));
	}
}

static const struct pane_action summary_actions[] = {
	{ ACTION_OPEN, open_parent, N_("Parent"), N_("open the parent of this process") },
	{ 0 },
};

static void open_map(struct pane_context *context)
{
	const struct process_rows rows = process_rows_of(context, context->frame);

	if (rows.detail)
		process_open(context, "pages", rows.details, rows.detail);
}

static const struct pane_action map_actions[] = {
	{ ACTION_OPEN, open_map, N_("Map"), N_("show the map of its pages, in the pane pages") },
	{ 0 },
};

/* As the process sees the file: by its name alone, since the path may be another one here. */
static void count_function(struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[PROCESS_TABLE_FUNCTION];
	const char *file = table_selected_text(widget, "file");
	const char *function = table_selected_text(widget, "function");
	const struct process_state *state = context->state;
	char text[PROBE_CALL_TEXT_MAX];

	if (!file || !function) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("select a function first"));
		return;
	}
	snprintf(text, sizeof(text), "%s:%s", file, function);
	probes_add(context, PROCESS_TABLE_PROBE, text, state->pid);
}

static const struct pane_action function_actions[] = {
	{ ACTION_OPEN, count_function, N_("Count"), N_("count the calls of the selected function") },
	{ 0 },
};

static const struct pane_action list_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL, N_("open the selected process") },
	{ 0 },
};

/* "Limits of sleep (29679)", "Time of sleep (29679): sleep 100 %". */
static void heading(const struct pane_context *context, char *text, size_t room)
{
	const struct process_rows rows = process_shown_rows(context);
	const char *title = _(context->pane->views[context->view].title);

	if (rows.detail || rows.process || rows.end)
		snprintf(text, room, _("%s of %s (%.0f)"), title, process_text(&rows, "name"),
			 process_number(&rows, "pid"));
	else
		snprintf(text, room, "%s", title);
	if (context->view == VIEW_WALL)
		add_time_by_cause(context_table(context, PROCESS_TABLE_WALL), text, room);
}

/* "Code of make (4711), 190 samples in 10 s (error 7.2 %)". */
static void heading_of_code(const struct pane_context *context, char *text, size_t room)
{
	double samples = frame_number(context->frame, "profile_cost", NULL, "samples");
	double seconds = frame_number(context->frame, "profile_cost", NULL, "seconds");
	double error = frame_number(context->frame, "profile_cost", NULL, "error_ratio");
	size_t length;

	heading(context, text, room);
	length = strlen(text);
	if (samples > 0 && !isnan(seconds + error))
		snprintf(text + length, room - length, _(", %.0f samples in %.0f s (error %.1f %%)"), samples,
			 seconds, 100 * error);
}

/* Below the whole command, as far as that leaves half of the room. */
static void draw_environment(const struct pane_context *context, struct canvas *canvas)
{
	const struct process_rows rows = process_rows_of(context, context->frame);
	const struct canvas half = canvas_rows(canvas, 0, canvas->height / 2);
	int lines = canvas_wrapped(&half, 0, STYLE_NORMAL, span_text(process_text(&rows, "command")));
	const struct canvas rest = canvas_below(canvas, lines);
	char title[TEXT_MAX];

	heading(context, title, sizeof(title));
	context_draw_titled(context, &rest, PROCESS_TABLE_ENVIRONMENT, title);
}

#define VIEW(view_name, view_title, view_help, view_table, ...)                                              \
	{ view_name, view_title, view_help, view_table, BIT(PROCESS_TABLE_PROCESS), .heading = heading,      \
	  __VA_ARGS__ }

static const struct pane_view views[] = {
	[VIEW_SUMMARY] = { "summary", N_("Summary"), N_("what it is, what it does, why it is slow"),
			   PROCESS_TABLE_PROCESS,
			   BIT(PROCESS_TABLE_SIGNAL) | BIT(PROCESS_TABLE_TIME) | BIT(PROCESS_TABLE_ENDED),
			   .actions = summary_actions, .no_table = true, .draw = process_draw_summary },
	[VIEW_THREADS] =
		VIEW("threads", N_("Threads"), N_("its threads and their CPU time"), PROCESS_TABLE_THREAD),
	[VIEW_FILES] =
		VIEW("files", N_("Files"), N_("its open files, pipes and sockets"), PROCESS_TABLE_FILE,
		     .opened_by = ACTION_FILES),
	[VIEW_LIMITS] = VIEW("limits", N_("Limits"), N_("its resource limits, and how near it is"),
			     PROCESS_TABLE_LIMIT),
	[VIEW_SIGNALS] =
		VIEW("signals", N_("Signals"), N_("what it does with each signal"), PROCESS_TABLE_SIGNAL),
	[VIEW_ENVIRONMENT] =
		VIEW("environment", N_("Environment"),
		     N_("its whole command, and the variables it was started with, secrets too"),
		     PROCESS_TABLE_ENVIRONMENT, .opened_by = ACTION_ENVIRONMENT, .draw = draw_environment),
	[VIEW_MEMORY] =
		VIEW("memory", N_("Memory"), N_("its memory by kind, explained"), PROCESS_TABLE_MEMORY),
	[VIEW_MAP] = { "map", N_("Map"), N_("its mappings; Enter opens the map of their pages"),
		       PROCESS_TABLE_REGION, BIT(PROCESS_TABLE_PROCESS), .actions = map_actions,
		       .heading = heading },
	[VIEW_EVENTS] = VIEW("events", N_("Events"), N_("its forks and exits, and those of its children"),
			     PROCESS_TABLE_EVENT),
	[VIEW_CODE] = { "code", N_("Code"), N_("which of its functions run"), PROCESS_TABLE_CODE,
			BIT(PROCESS_TABLE_PROCESS) | BIT(PROCESS_TABLE_COST), .heading = heading_of_code },
	[VIEW_WAITS] = VIEW("waits", N_("Waits"), N_("what its threads wait for, by function of the kernel"),
			    PROCESS_TABLE_WAITS),
	[VIEW_WALL] = VIEW("time", N_("Time"), N_("its running code and its waits: all time of its threads"),
			   PROCESS_TABLE_WALL),
	[VIEW_CALLS] = VIEW("calls", N_("Calls"), N_("its system calls, with their errors and times"),
			    PROCESS_TABLE_CALLS),
	[VIEW_FUNCTIONS] = { "functions", N_("Functions"),
			     N_("functions of the files that it has mapped; Enter counts their calls"),
			     PROCESS_TABLE_FUNCTION, BIT(PROCESS_TABLE_PROCESS), .actions = function_actions,
			     .heading = heading },
	[VIEW_LIST] = { "processes", N_("Processes"), N_("choose another process"), PROCESS_TABLE_PROCESS,
			.actions = list_actions },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	if (action == ACTION_OPEN && context->view == VIEW_FUNCTIONS && screen_replays(context))
		return _("nothing can be counted in a recording");
	if (context->view == VIEW_LIST || has_process(context))
		return NULL;
	return _("select a process first, in the view Processes");
}

/* What topics of all processes report is not about this one: the page says when it exited. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	const struct process_rows rows = process_shown_rows(context);

	return (rows.detail || rows.end) && context->view != VIEW_LIST &&
	       (strcmp(notice->topic, "process") == 0 || strcmp(notice->topic, "thread") == 0 ||
		strcmp(notice->topic, "kill") == 0 || strcmp(notice->topic, NOTICE_STORAGE) == 0 ||
		strcmp(notice->topic, "scope") == 0);
}

static unsigned home(const struct pane_context *context)
{
	return has_process(context) || screen_replays(context) ? VIEW_SUMMARY : VIEW_LIST;
}

static int above(const struct pane_context *context)
{
	return process_above(context, home(context), VIEW_LIST);
}

static void entered(struct pane_context *context)
{
	screen_show_view(context, VIEW_SUMMARY);
}

static void open_process_pane(struct pane_context *context)
{
	context->view = process_is_chosen(context) || screen_replays(context) ? VIEW_SUMMARY : VIEW_LIST;
	context->focus = views[context->view].table;
}

static void close_process_pane(void *of)
{
	intern_free(&((struct process_state *)of)->calls);
}

const struct pane pane_process = {
	.name = "process",
	.title = N_("Process"),
	.question = N_("What is this process, what does it do, and why is it slow?"),
	.of_process = true,
	.tables = tables,
	.series = series,
	.n_series = N_PROCESS_SERIES,
	.why = process_why,
	.views = views,
	.refuses = refuses,
	.tells = tells,
	.home = home,
	.above = above,
	.state_size = sizeof(struct process_state),
	.open = open_process_pane,
	.close = close_process_pane,
	.entered = entered,
	.sampling = sampling,
	.sampled = sampled,
};
