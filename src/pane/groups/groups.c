/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pane "groups": what units, containers and pods use, as the tree of control groups, and their processes. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/processes.h"
#include "screen/graph.h"

#define FINDING_LINES_MIN 8 /* with less, the rows have all of them */
#define LIST_SHARE 3 /* of the lines, the processes have at least a third */
#define REST "(rest)" /* path of the row of what is in no group */

enum groups_table {
	GROUPS_TABLE_ALL,
	GROUPS_TABLE_CPU,
	GROUPS_TABLE_MEMORY,
	GROUPS_TABLE_IO,
	GROUPS_TABLE_LIMITS,
	GROUPS_TABLE_KILLED,
	GROUPS_TABLE_BY_CPU, /* processes … */
	GROUPS_TABLE_BY_MEMORY,
	GROUPS_TABLE_BY_IO,
};

struct groups_state {
	struct buffer path; /* of the selected group; empty: none */
};

/* The last column has the lines of the tree. */
#define NAMED ",kind,name"

#define PROCESSES(order, shown)                                                                              \
	.topic = "process", .lazy = true, .own_columns = true, .reads = "group", .columns = (shown),         \
	.sort = (order)

static const struct pane_table tables[] = {
	[GROUPS_TABLE_ALL] = { .topic = "group", .headline = true,
			       .columns = "cpu_ratio,throttled_ratio,memory_bytes,"
					  "memory_limit_used_ratio,read_bytes_per_second,"
					  "write_bytes_per_second,tasks" NAMED, .sort = "cpu_ratio" },
	[GROUPS_TABLE_CPU] = { .topic = "group", .setting = "groups.cpu",
			       .columns = "cpu_ratio,own_cpu_ratio,cpu_limit_ratio,throttled_ratio,"
					  "cpu_pressure_ratio,cpu_seconds,tasks" NAMED,
			       .sort = "cpu_ratio" },
	[GROUPS_TABLE_MEMORY] = { .topic = "group", .setting = "groups.memory",
				  .columns = "memory_bytes,own_memory_bytes,anonymous_bytes,file_bytes,"
					     "kernel_bytes,swap_bytes,refaults_per_second,"
					     "memory_pressure_ratio" NAMED, .sort = "memory_bytes" },
	[GROUPS_TABLE_IO] = { .topic = "group", .setting = "groups.io",
			      .columns = "read_bytes_per_second,write_bytes_per_second,"
					 "io_pressure_ratio,read_bytes,write_bytes,age_seconds" NAMED,
			      .sort = "write_bytes_per_second" },
	[GROUPS_TABLE_LIMITS] = { .topic = "group", .setting = "groups.limits",
				  .columns = "memory_limit_used_ratio,memory_bytes,memory_limit_bytes,"
					     "throttled_ratio,cpu_ratio,cpu_limit_ratio,tasks,"
					     "tasks_limit,io_limit_ratio,oom_kills" NAMED,
				  .sort = "memory_limit_used_ratio" },
	[GROUPS_TABLE_KILLED] = { .topic = "kill", .lazy = true },
	[GROUPS_TABLE_BY_CPU] = { PROCESSES("cpu_ratio", "cpu_ratio,resident_bytes,pid,state,user,command") },
	[GROUPS_TABLE_BY_MEMORY] = { PROCESSES("resident_bytes", "resident_bytes,swapped_bytes,cpu_ratio,pid,"
								 "state,user,command") },
	[GROUPS_TABLE_BY_IO] = { PROCESSES("disk_bytes_per_second",
					   "disk_bytes_per_second,read_bytes_per_second,"
					   "write_bytes_per_second,pid,state,user,command") },
	{ 0 },
};

/* Batch text has no tree: paths name the groups there, in the order of the tree. */
#define TEXT_COLUMNS                                                                                         \
	"cpu_ratio,throttled_ratio,memory_bytes,memory_limit_used_ratio,read_bytes_per_second,"              \
	"write_bytes_per_second,tasks,kind,path"

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	if (!schema_is_of_groups(view->schema))
		return;
	if (request->batch)
		view_apply_defaults(view, TEXT_COLUMNS, "");
	else if (!settings->groups.list)
		view_choose_tree(view, "path", "parent");
}

/* The numbers of a group are those of all groups below it, too. */
static void heading(const struct pane_context *context, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;

	if (context->pane->views[context->view].table == GROUPS_TABLE_KILLED)
		snprintf(text, room, "%s", _("processes killed for want of memory"));
	else if (context->frame->interval_ns > 0)
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
	const struct table *groups;
	struct scope_term term;
	char why[TEXT_MAX];
	const void *row;

	if ((int)context->focus == process_below_table(context)) {
		process_open_selected(context);
		return;
	}
	row = process_select_row(context, &groups);
	if (row && scope_term_set(&term, SCOPE_GROUP, table_text(groups, row, "path"), why, sizeof(why)))
		screen_open_scope(context, &term, "cpu");
	else
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    row ? _("these are in no group") : _("select a group first"));
}

static const struct pane_action actions_of_groups[] = {
	{ ACTION_OPEN, open_group, N_("Processes"),
	  N_("show only the processes of the selected group; open the selected process") },
	{ ACTION_TREE, toggle_tree, NULL, N_("groups as a tree, or a list") },
	{ 0 },
};

static bool any_group_known(const struct table *processes)
{
	const struct column *group = processes ? schema_find(processes->schema, "group") : NULL;

	for (size_t i = 0; group && i < processes->n_rows; i++)
		if (row_is_known(table_row(processes, i), group))
			return true;
	return false;
}

/* The list is of the selected group. Where the groups of processes are not recorded, it is of all. */
static void update(struct pane_context *context)
{
	struct groups_state *state = context_state(context);
	const struct table_widget *groups = &context->tables[context->pane->views[context->view].table];
	const char *path = table_selected_text(groups, "path");
	int list = process_below_table(context);
	bool rest = path && strcmp(path, REST) == 0;

	if (list >= 0 && !any_group_known(context_table(context, (unsigned)list)))
		path = NULL;
	buffer_empty(&state->path);
	buffer_print(&state->path, "%s", path ? path : "");
	buffer_char(&state->path, '\0');
	if (list >= 0)
		view_choose_group(&context->tables[list].view, "group",
				  !path  ? NULL
				  : rest ? "/"
					 : state->path.bytes,
				  rest);
}

static void list_title(const struct pane_context *context, char *text, size_t room)
{
	const struct groups_state *state = context->state;
	const struct table *groups = context_table(context, context->pane->views[context->view].table);
	const char *path = state->path.length > 1 ? state->path.bytes : NULL;
	const void *row = path ? table_find(groups, path, NULL) : NULL;

	if (row)
		snprintf(text, room, _("processes of %s"), table_text(groups, row, "name"));
	else
		snprintf(text, room, "%s", _("processes"));
}

/*
 * The worst finding about a group of the table, as its colour says: "web: CPU quota … (+2 more)". It is on
 * the last line, where it moves nothing. False: there is none.
 */
static bool draw_finding(const struct pane_context *context, const struct canvas *canvas,
			const struct table *groups)
{
	const struct table *findings = frame_table(context->frame, "finding");
	struct made_fact more = { "more", number_fact(0, UNIT_COUNT) };
	struct row_facts facts = { { row_fact }, findings, NULL, &more, 1 };
	char text[TEXT_MAX];
	enum grade grade;

	for (size_t i = 0; groups && findings && i < findings->n_rows; i++) {
		const void *row = table_row(findings, i);
		const char *path = table_text(findings, row, "row");

		if (schema_row_is_over(findings->schema, row) || !path || !table_find(groups, path, NULL))
			continue;
		more.fact.number += facts.row != NULL;
		if (!facts.row)
			facts.row = row;
	}
	if (!facts.row || canvas->height < FINDING_LINES_MIN)
		return false;
	if (more.fact.number == 0)
		more.fact.number = NAN;
	grade = grade_of_severity(table_text(findings, facts.row, "severity"));
	sentence_text(text, _("{subject}: {text}[ (+{more} more)]"), &facts.facts);
	canvas_cut(canvas, canvas->height - 1, 0, graph_grade_style(grade, STYLE_NORMAL), text,
		   canvas->width);
	return true;
}

/* The groups have what they need, as far as a third is left for the processes below them. */
static void draw(const struct pane_context *context, struct canvas *canvas)
{
	unsigned groups = context->pane->views[context->view].table;
	int below = process_below_lines(context, canvas), wanted = 2 + table_height(&context->tables[groups]);
	const struct canvas shown = context_above_notice(context, canvas);
	bool found = draw_finding(context, &shown, context_table(context, groups));
	struct canvas rows = canvas_rows(canvas, 0, found ? shown.height - 1 : canvas->height), part = rows;
	char title[TEXT_MAX];

	if (below > 0) {
		int third = canvas->height / LIST_SHARE;
		int most = canvas->height - (below > third ? below : third);

		part = canvas_rows(canvas, 0, wanted < most ? wanted : most);
	}
	heading(context, title, sizeof(title));
	context_draw_titled(context, &part, groups, title);
	if (below == 0)
		return;
	list_title(context, title, sizeof(title));
	part = canvas_below(&rows, part.height);
	context_draw_titled(context, &part, (unsigned)process_below_table(context), title);
}

/* The rows that the list shows. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, 1UL << GROUPS_TABLE_BY_CPU | 1UL << GROUPS_TABLE_BY_MEMORY |
					      1UL << GROUPS_TABLE_BY_IO);
}

static void close_groups(void *state)
{
	buffer_free(&((struct groups_state *)state)->path);
}

static const struct pane_view views[] = {
	{ "tree", N_("Tree"), N_("all groups: CPU, memory, I/O"), GROUPS_TABLE_ALL,
	  .below = 1UL << GROUPS_TABLE_BY_CPU, .draw = draw },
	{ "cpu", N_("CPU"), N_("CPU time, its limits, and waiting for a CPU"), GROUPS_TABLE_CPU,
	  .below = 1UL << GROUPS_TABLE_BY_CPU, .draw = draw },
	{ "memory", N_("Memory"), N_("memory by kind, and what was reclaimed too early"), GROUPS_TABLE_MEMORY,
	  .below = 1UL << GROUPS_TABLE_BY_MEMORY, .draw = draw },
	{ "io", N_("I/O"), N_("data of disks, and waiting for them"), GROUPS_TABLE_IO,
	  .below = 1UL << GROUPS_TABLE_BY_IO, .draw = draw },
	{ "limits", N_("Limits"), N_("limits, and how near they are"), GROUPS_TABLE_LIMITS,
	  .below = 1UL << GROUPS_TABLE_BY_CPU, .draw = draw },
	{ "killed", N_("Killed"), N_("processes killed for want of memory, and at whose limit"),
	  GROUPS_TABLE_KILLED, .heading = heading },
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
	.state_size = sizeof(struct groups_state),
	.close = close_groups,
	.adjust = adjust,
	.update = update,
	.sampling = sampling,
	.key = process_below_key_of_selected,
};
