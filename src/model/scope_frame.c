/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scope learns from the tables of a frame, and what it makes of their sums. */
#include <config.h>

#include "model/scope_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/scope_use.h"

/* The columns that a scope looks at; NULL: the table has none of that name. */
struct fields {
	const struct column *pid, *parent, *start, *uid, *user, *group, *name, *program;
};

static struct fields fields_of(const struct schema *schema)
{
	return (struct fields){
		.pid = schema_find(schema, "pid"),
		.parent = schema_find(schema, "ppid"),
		.start = schema_find(schema, "start_seconds"),
		.uid = schema_find(schema, schema->shape == SHAPE_EVENTS ? "euid" : "uid"),
		.user = schema_find(schema, "user"),
		.group = schema_find(schema, "group"),
		.name = schema_find(schema, "name"),
		.program = schema_find(schema, "program"),
	};
}

static uint64_t number_in(const struct column *column, const void *row)
{
	return column && row_is_known(row, column) ? row_u64(row, column) : U64_UNKNOWN;
}

static const char *text_in(const struct column *column, const void *row)
{
	return column ? row_text(row, column) : NULL;
}

static struct span span_in(const struct column *column, const void *row)
{
	const char *text = text_in(column, row);

	return span_text(text ? text : "");
}

static struct scope_process process_in(const struct fields *fields, const void *row)
{
	return (struct scope_process){
		.pid = number_in(fields->pid, row),
		.parent_pid = number_in(fields->parent, row),
		.start_seconds = fields->start ? row_number(row, fields->start) : NAN,
		.uid = number_in(fields->uid, row),
		.user = text_in(fields->user, row),
		.group = text_in(fields->group, row),
		.name = span_in(fields->name, row),
		.program = span_in(fields->program, row),
	};
}

bool scope_frame_process(const struct frame *frame, uint64_t pid, struct scope_process *process)
{
	const struct table *table = frame_table(frame, "process");
	struct fields fields = { 0 };

	if (table)
		fields = fields_of(table->schema);
	for (size_t i = 0; table && i < table->n_rows; i++) {
		*process = process_in(&fields, table_row(table, i));
		if (process->pid == pid && pid != U64_UNKNOWN)
			return true;
	}
	return false;
}

/* Names of containers that the recording has. */
static void learn_names(struct scope *scope, const struct table *groups)
{
	for (size_t i = 0; i < groups->n_rows; i++) {
		const void *row = table_row(groups, i);

		if (strcmp(table_text(groups, row, "kind"), "container") == 0)
			scope_learn(scope, span_text(table_text(groups, row, "path")),
				    table_text(groups, row, "name"));
	}
}

static void read_processes(struct scope *scope, const struct table *table)
{
	struct fields fields = fields_of(table->schema);

	scope_begin(scope);
	for (size_t i = 0; i < table->n_rows; i++) {
		struct scope_process process = process_in(&fields, table_row(table, i));

		if (process.pid != U64_UNKNOWN)
			scope_look(scope, &process);
	}
	scope_end(scope);
}

/* Of threads there is nothing to learn. */
static void read_events(struct scope *scope, const struct table *table)
{
	struct fields fields = fields_of(table->schema);
	const struct column *tid = schema_find(table->schema, "tid");
	const struct column *event = schema_find(table->schema, "event");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		struct scope_process process = process_in(&fields, row);
		const char *kind = text_in(event, row);

		if (process.pid != U64_UNKNOWN && process.pid == number_in(tid, row))
			scope_event(scope, &process, kind && strcmp(kind, "fork") == 0);
	}
}

/* Once in a frame: what decides is not in the recording. */
static void notice_lack(const struct scope *scope, struct frame *frame)
{
	char text[TEXT_MAX];

	if (!scope->unknown)
		return;
	scope_describe(scope, text, sizeof(text));
	frame_notice(
		frame, "replay", _("record again, with the pane cpu"),
		scope_needs_groups(scope)
			? _("which processes are in %s is not known: the recording has no control groups")
			: _("which processes are in %s is not known: the recording has no parents or users"),
		text);
}

void scope_read_frame(struct scope *scope, struct frame *frame, bool recorded)
{
	const struct table *events = frame_table(frame, "event"), *processes = frame_table(frame, "process");
	char text[TEXT_MAX];

	if (!scope_is_set(scope))
		return;
	if (events)
		read_events(scope, events);
	if (!recorded)
		return;
	if (frame_table(frame, "group"))
		learn_names(scope, frame_table(frame, "group"));
	if (processes && !processes->failed) {
		read_processes(scope, processes);
		notice_lack(scope, frame);
	} else if (!processes) {
		scope_describe(scope, text, sizeof(text));
		frame_notice(frame, "replay", _("record again, with the pane cpu"),
			     _("which processes are in %s is not known: the recording has no processes"),
			     text);
	}
}

/* Was it recorded with this scope, by what its account says? */
static bool is_recorded_so(const struct scope *scope, const struct table *account)
{
	const void *row = account ? table_find(account, OUTSIDE_SCOPE, NULL) : NULL;
	char text[TEXT_MAX], source[TEXT_MAX + sizeof(SCOPE_REST_SOURCE)];

	scope_write(scope, text, sizeof(text));
	snprintf(source, sizeof(source), SCOPE_REST_SOURCE, text);
	return row && strcmp(table_text(account, row, "from"), source) == 0;
}

/* NaN: the rates of no member are known. */
static double members_ratio(const struct scope *scope, const struct table *processes)
{
	const struct column *ratio = schema_known_column(processes->schema, "cpu_ratio");
	struct fields fields = fields_of(processes->schema);
	double sum = processes->interval_ns > 0 && !scope->unknown ? 0 : NAN;

	for (size_t i = 0; ratio && i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);

		if (scope_has(scope, number_in(fields.pid, row), row_number(row, fields.start)) &&
		    row_is_known(row, ratio))
			sum += row_f64(row, ratio);
	}
	return sum;
}

static void add_part(struct table *account, const char *part, double ratio, double seconds, const char *from)
{
	void *row = table_add(account);

	row_set_text(row, schema_known_column(account->schema, "part"), part);
	row_set_f64(row, schema_known_column(account->schema, "cpu_ratio"), ratio);
	row_set_f64(row, schema_known_column(account->schema, "cpu_seconds"), seconds);
	row_set_text(row, schema_known_column(account->schema, "from"), from);
}

/* Which of the exited processes were in the scope was not recorded. */
static void split_account(struct scope *scope, struct table *account, const struct table *processes)
{
	const void *row = table_find(account, "busy", NULL);
	double busy = table_number(account, row, "cpu_ratio"), busy_seconds;
	double tasks = members_ratio(scope, processes);

	busy_seconds = table_number(account, row, "cpu_seconds");
	if (!isnan(tasks))
		scope->tasks_seconds += tasks * (double)processes->interval_ns / 1e9;
	account->n_rows = 0;
	add_part(account, N_("tasks"), tasks, scope->tasks_seconds, N_("processes of the recording"));
	add_part(account, N_("exited"), NAN, NAN, N_("not recorded by scope"));
	add_part(account, OUTSIDE_OR_EXITED, busy - tasks, busy_seconds - scope->tasks_seconds,
		 N_("busy - tasks"));
	add_part(account, N_("busy"), busy, busy_seconds, N_("/proc/stat, without idle and iowait"));
}

/* Rows of no single process, or of an unknown one, go. */
static void keep_processes(struct table *table)
{
	const struct column *pid = schema_find(table->schema, "pid");
	size_t n_kept = 0, size = table->schema->row_size;

	for (size_t i = 0; pid && i < table->n_rows; i++)
		if (row_is_known(table_row(table, i), pid))
			memmove(table->rows + n_kept++ * size, table_row(table, i), size);
	table->n_rows = n_kept;
}

/* Of its own control groups and, live, of commands that exited in it; all others are of the machine. */
static bool is_of_scope(const struct scope *scope, const struct table *findings, const void *row,
			bool recorded)
{
	const char *topic = table_text(findings, row, "topic");

	return strcmp(topic, "failing") == 0 ? !recorded
	       : strcmp(topic, "group") == 0
		       ? scope_needs_groups(scope) && scope_has_group(scope, table_text(findings, row, "row"))
		       : false;
}

static void mark_findings(const struct scope *scope, const struct table *findings, bool recorded)
{
	for (size_t i = 0; i < findings->n_rows; i++) {
		void *row = table_row(findings, i);

		row_set_text(row, schema_known_column(findings->schema, "of"),
			     is_of_scope(scope, findings, row, recorded) ? N_("scope") : N_("machine"));
	}
}

static void split_recorded(struct scope *scope, struct frame *frame)
{
	static const char *const sums[] = { "exited",        "failing",     "distribution",  "process_total",
					    "power_account", "event_total", "event_lifetime", "call" };
	struct table *account = frame_table(frame, "account"), *processes = frame_table(frame, "process");
	const char *shortened = NULL;
	char text[TEXT_MAX];

	if (is_recorded_so(scope, account))
		return;
	if (frame_table(frame, "connection"))
		keep_processes(frame_table(frame, "connection"));
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		struct table *table = frame_table(frame, sums[i]);
		size_t n_rows = table ? table->n_rows : 0;

		if (table)
			keep_processes(table);
		if (!shortened && table && table->n_rows < n_rows)
			shortened = sums[i];
	}
	if (account && account->n_rows > 0 && processes)
		split_account(scope, account, processes);
	else if (account)
		account->n_rows = 0;
	scope_describe(scope, text, sizeof(text));
	if (shortened)
		frame_notice(
			frame, shortened, NULL,
			_("sums over exited processes and events were recorded of all processes: not of %s"),
			text);
}

void scope_split_frame(struct scope *scope, struct frame *frame, bool recorded)
{
	if (recorded && scope_is_set(scope))
		split_recorded(scope, frame);
	if (scope_is_set(scope) && frame_table(frame, "finding"))
		mark_findings(scope, frame_table(frame, "finding"), recorded);
	scope_use_derive(scope, frame);
}
