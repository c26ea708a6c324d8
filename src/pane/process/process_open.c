/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row has pid and start time, or of an event the moment in which its process lived. */
#include <config.h>

#include "pane/process/process_open.h"

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"

static const char *name_of(const struct table *table, const void *row)
{
	return table_text(table, row, schema_column(table->schema, "name") >= 0 ? "name" : "command");
}

static void open_in(struct pane_context *context, const char *pane, const struct table *processes,
		    const void *row)
{
	struct process_choice process = { .is_set = true,
					  .pid = (uint32_t)table_number(processes, row, "pid"),
					  .start_seconds = table_number(processes, row, "start_seconds") };

	snprintf(process.name, sizeof(process.name), "%s", name_of(processes, row));
	screen_open(context, pane, &process);
}

void process_open(struct pane_context *context, const struct table *processes, const void *row)
{
	open_in(context, "process", processes, row);
}

void process_warn_unselected(const struct pane_context *context)
{
	screen_warn(context->screen, MESSAGE_PANE, "%s",
		    _("select a process first, with the arrows or the mouse"));
}

void process_open_selected(struct pane_context *context)
{
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *table = context_table(context, context->focus);
	const struct column *column;
	const void *row;

	table_select(widget);
	row = widget->place.cursor_on && table ? table_cell(widget, &column) : NULL;
	if (!row || !schema_find(table->schema, "pid"))
		process_warn_unselected(context);
	else if (!(table_number(table, row, "pid") > 0) || isnan(table_number(table, row, "start_seconds")))
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("the process of this row is not known"));
	else
		process_open(context, table, row);
}

bool process_open_of_event(struct pane_context *context, const struct table *events, const void *row)
{
	uint64_t pid = table_u64(events, row, "pid"), time_ns = table_u64(events, row, "time");
	struct process_choice process = { .is_set = true, .start_seconds = -1, .seen_ns = time_ns };

	if (pid == 0 || pid > INT32_MAX || time_ns >= U64_BLANK)
		return false;
	process.pid = (uint32_t)pid;
	snprintf(process.name, sizeof(process.name), "%s", name_of(events, row));
	screen_open(context, "process", &process);
	return true;
}

void process_open_map(struct pane_context *context, const struct table *processes, const void *row)
{
	open_in(context, "pages", processes, row);
}
