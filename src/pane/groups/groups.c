/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pane "groups": what units, containers and pods use, as the tree of control groups. */
#include <config.h>

#include <stdio.h>

#include "core/i18n.h"
#include "screen/context.h"

enum groups_table {
	GROUPS_TABLE_ALL,
	GROUPS_TABLE_CPU,
	GROUPS_TABLE_MEMORY,
	GROUPS_TABLE_IO,
	GROUPS_TABLE_LIMITS,
};

/* The last column has the lines of the tree. */
#define NAMED ",kind,name"

static const struct pane_table tables[] = {
	[GROUPS_TABLE_ALL] = { .topic = "group",
			       .headline = true,
			       .columns = "cpu_ratio,throttled_ratio,memory_bytes,memory_limit_used_ratio,"
					  "read_bytes_per_second,write_bytes_per_second,tasks" NAMED,
			       .sort = "cpu_ratio" },
	[GROUPS_TABLE_CPU] = { .topic = "group",
			       .setting = "groups.cpu",
			       .columns = "cpu_ratio,own_cpu_ratio,cpu_limit_ratio,throttled_ratio,"
					  "cpu_pressure_ratio,cpu_seconds,tasks" NAMED,
			       .sort = "cpu_ratio" },
	[GROUPS_TABLE_MEMORY] = { .topic = "group",
				  .setting = "groups.memory",
				  .columns = "memory_bytes,own_memory_bytes,anonymous_bytes,file_bytes,"
					     "kernel_bytes,swap_bytes,refaults_per_second,"
					     "memory_pressure_ratio" NAMED,
				  .sort = "memory_bytes" },
	[GROUPS_TABLE_IO] = { .topic = "group",
			      .setting = "groups.io",
			      .columns = "read_bytes_per_second,write_bytes_per_second,io_pressure_ratio,"
					 "read_bytes,write_bytes,age_seconds" NAMED,
			      .sort = "write_bytes_per_second" },
	[GROUPS_TABLE_LIMITS] = { .topic = "group",
				  .setting = "groups.limits",
				  .columns = "memory_limit_used_ratio,memory_bytes,memory_limit_bytes,"
					     "throttled_ratio,cpu_ratio,cpu_limit_ratio,tasks,tasks_limit,"
					     "oom_kills" NAMED,
				  .sort = "memory_limit_used_ratio" },
	{ 0 },
};

/* Batch text has no tree: paths name the groups there, in the order of the tree. */
#define TEXT_COLUMNS                                                                                         \
	"cpu_ratio,throttled_ratio,memory_bytes,memory_limit_used_ratio,read_bytes_per_second,"              \
	"write_bytes_per_second,tasks,kind,path"

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	if (request->batch)
		view_apply_defaults(view, TEXT_COLUMNS, "");
	else if (!settings->groups.list)
		view_choose_tree(view, "path", "parent");
}

/* The numbers of a group are those of all groups below it, too. */
static void heading(const struct pane_context *context, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;

	if (context->frame->interval_ns > 0)
		snprintf(text, room, _("groups with those below, in %.1f s"), seconds);
	else
		snprintf(text, room, "%s", _("groups with those below"));
}

static void toggle_tree(struct pane_context *context)
{
	bool list = !context->settings->groups.list;

	screen_set(context, "list", list ? "yes" : NULL,
		   list ? _("a list of groups") : _("groups as a tree"));
}

/* Its processes. */
static void open_group(struct pane_context *context)
{
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *groups = context_table(context, context->focus);
	const struct column *column;
	struct scope_term term;
	char why[TEXT_MAX];
	const void *row;

	table_select(widget);
	row = widget->place.cursor_on && groups ? table_cell(widget, &column) : NULL;
	if (row && scope_term_set(&term, SCOPE_GROUP, table_text(groups, row, "path"), why, sizeof(why)))
		screen_open_scope(context, &term, "cpu");
	else
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    row ? _("these are in no group") : _("select a group first"));
}

static const struct pane_action actions_of_groups[] = {
	{ ACTION_OPEN, open_group, N_("Processes"), N_("show only the processes of the selected group") },
	{ ACTION_TREE, toggle_tree, NULL, N_("groups as a tree, or a list") },
	{ 0 },
};

static const struct pane_view views[] = {
	{ "tree", N_("Tree"), N_("all groups: CPU, memory, I/O"), GROUPS_TABLE_ALL, .heading = heading },
	{ "cpu", N_("CPU"), N_("CPU time, its limits, and waiting for a CPU"), GROUPS_TABLE_CPU,
	  .heading = heading },
	{ "memory", N_("Memory"), N_("memory by kind, and what was reclaimed too early"), GROUPS_TABLE_MEMORY,
	  .heading = heading },
	{ "io", N_("I/O"), N_("data of disks, and waiting for them"), GROUPS_TABLE_IO, .heading = heading },
	{ "limits", N_("Limits"), N_("limits, and how near they are"), GROUPS_TABLE_LIMITS,
	  .heading = heading },
	{ 0 },
};

const struct pane pane_groups = {
	.name = "groups",
	.digit = '6',
	.title = N_("Groups"),
	.question = N_("What do units and containers use?"),
	.unscoped =
		N_("groups of the whole machine: only a scope of a group, service or container limits them"),
	.takes_groups = true,
	.tables = tables,
	.views = views,
	.actions = actions_of_groups,
	.adjust = adjust,
};
