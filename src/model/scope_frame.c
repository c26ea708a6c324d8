/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "model/scope_frame.h"

#include <string.h>

#include "core/i18n.h"

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
