/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile pane: which functions run, who calls them, and the tree of calls. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/frame.h"
#include "pane/common.h"
#include "screen/context.h"

enum {
	TABLE_FUNCTIONS,
	TABLE_CALLS,
	TABLE_CALLERS,
	TABLE_LINES,
	TABLE_STACKS,
	TABLE_COST,
	TABLE_WAITING,
	TABLE_TIME,
	TABLE_WAKES
};
enum {
	VIEW_FUNCTIONS,
	VIEW_CALLS,
	VIEW_CALLERS,
	VIEW_LINES,
	VIEW_STACKS,
	VIEW_WAITING,
	VIEW_TIME,
	VIEW_WAKES
};

static const struct pane_table tables[] = {
	[TABLE_FUNCTIONS] = { .topic = "profile", .headline = true, .sort = "self_ratio", .text_rows = 40 },
	[TABLE_CALLS] = { .topic = "profile_call", .lazy = true, .recorded = true, .sort = "total_ratio" },
	[TABLE_CALLERS] = { .topic = "profile_caller", .lazy = true, .recorded = true,
			    .sort = "total_ratio" },
	[TABLE_LINES] = { .topic = "profile_line", .lazy = true, .recorded = true, .sort = "self_ratio" },
	[TABLE_STACKS] = { .topic = "profile_stack", .lazy = true, .recorded = true, .sort = "samples" },
	[TABLE_COST] = { .topic = "profile_cost", .headline = true, .above = true },
	[TABLE_WAITING] = { .topic = "waiting", .lazy = true, .recorded = true, .sort = "ratio" },
	[TABLE_TIME] = { .topic = "wall_time", .lazy = true, .recorded = true, .sort = "ratio" },
	[TABLE_WAKES] = { .topic = "wake", .lazy = true, .recorded = true, .sort = "per_second" },
	{ 0 },
};

/* The rows of a table of the frame that are of one function, in their own memory. */
struct selection {
	struct table table;
	char *rows;
	size_t capacity; /* bytes */
};

struct profile_state {
	char function[TEXT_MAX]; /* whose callers and lines are shown; "": of all */
	char file[TEXT_MAX];     /* its file … */
	char names[TEXT_MAX];    /* … and where its name is from, in the words of the topic */
	struct selection callers, lines;
};

#define LEAST_RATIO 0.01 /* of all samples, that are worth a line of the tree */

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	(void)settings;
	if (request->batch || strcmp(view->schema->name, "profile_call") != 0)
		return;
	view_choose_tree(view, "stack", "parent");
	view_fold_less(view, "total_ratio", LEAST_RATIO);
}

/* "functions, 970 samples in 10 s (error 3.2 %), overhead 0.4 % of a CPU" */
static void heading_of(const struct pane_context *context, unsigned view, char *text, size_t room)
{
	static const char *const names[] = {
		[VIEW_FUNCTIONS] = N_("functions"),    [VIEW_CALLS] = N_("calls"),
		[VIEW_CALLERS] = N_("who calls whom"), [VIEW_LINES] = N_("lines of the source"),
		[VIEW_STACKS] = N_("stacks"),
	};
	const struct profile_state *state = context->state;
	double samples = frame_number(context->frame, "profile_cost", NULL, "samples");
	double seconds = frame_number(context->frame, "profile_cost", NULL, "seconds");
	double error = frame_number(context->frame, "profile_cost", NULL, "error_ratio");
	double cost = frame_number(context->frame, "profile_cost", NULL, "cost_ratio");
	char what[3 * TEXT_MAX];

	snprintf(what, sizeof(what), "%s", _(names[view]));
	if (*state->function && view == VIEW_LINES)
		snprintf(what, sizeof(what), _("lines of %s"), state->function);
	else if (*state->function && view == VIEW_CALLERS && *state->names)
		snprintf(what, sizeof(what), _("who calls %s (%s, %s), and what it calls"), state->function,
			 state->file, _(state->names));
	else if (*state->function && view == VIEW_CALLERS)
		snprintf(what, sizeof(what), _("who calls %s, and what it calls"), state->function);
	if (!(samples > 0) || isnan(seconds + error + cost))
		snprintf(text, room, "%s", what);
	else
		snprintf(text, room,
			 _("%s, %.0f samples in %.0f s (error %.1f %%), overhead %.1f %% of a CPU"), what,
			 samples, seconds, 100 * error, 100 * cost);
}

static void heading(const struct pane_context *context, char *text, size_t room)
{
	heading_of(context, context->view, text, room);
}

static void heading_of_time(const struct pane_context *context, char *text, size_t room)
{
	snprintf(text, room, "%s", _(context->pane->views[VIEW_TIME].title));
	add_time_by_cause(context_table(context, TABLE_TIME), text, room);
}

/* Callers of the function, and what it calls; or its lines. */
static bool is_of(const struct profile_state *state, const struct table *table, const void *row, bool lines)
{
	bool same = strcmp(table_text(table, row, "function"), state->function) == 0;

	return lines ? same && (!*state->file || strcmp(table_text(table, row, "file"), state->file) == 0)
		     : same || strcmp(table_text(table, row, "caller"), state->function) == 0;
}

static void select_rows(struct selection *selection, const struct table *all,
			const struct profile_state *state)
{
	size_t row_bytes = all ? all->schema->row_size : 0, n = 0;

	if (!all)
		return;
	if (selection->capacity < all->n_rows * row_bytes) {
		selection->capacity = all->n_rows * row_bytes;
		selection->rows = alloc_resize(selection->rows, selection->capacity, 1);
	}
	for (size_t i = 0; i < all->n_rows; i++)
		if (is_of(state, all, table_row(all, i), selection == &state->lines))
			memcpy(selection->rows + n++ * row_bytes, table_row(all, i), row_bytes);
	selection->table = *all;
	selection->table.rows = selection->rows;
	selection->table.n_rows = n;
	selection->table.joined = false;
}

static void update(struct pane_context *context)
{
	struct profile_state *state = context_state(context);

	select_rows(&state->callers, frame_table(context->frame, "profile_caller"), state);
	select_rows(&state->lines, frame_table(context->frame, "profile_line"), state);
}

static const struct table *table_of(const struct pane_context *context, unsigned index)
{
	const struct profile_state *state = context->state;

	if (!*state->function || (index != TABLE_CALLERS && index != TABLE_LINES) ||
	    !frame_table(context->frame, tables[index].topic))
		return NULL;
	return index == TABLE_LINES ? &state->lines.table : &state->callers.table;
}

static void sampling(struct pane_context *context)
{
	context_request(context)->profiled_pid = 0;
}

static void close_state(void *of)
{
	struct profile_state *state = of;

	free(state->callers.rows);
	free(state->lines.rows);
}

#define LINES_SHOWN 8 /* of lines below callers, with their heading, on a screen of … */
#define LINES_FROM 14 /* … rows */

/* Callers, and below them the hottest lines, where there are some. */
static void draw_callers(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *lines = context_table(context, TABLE_LINES);
	int wanted = lines ? 2 + table_height(&context->tables[TABLE_LINES]) : 0;
	bool shown = lines && lines->n_rows > 0 && canvas->height >= LINES_FROM;
	int below = shown ? (wanted < LINES_SHOWN ? wanted : LINES_SHOWN) : 0;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - below);
	char title[TEXT_MAX];

	heading(context, title, sizeof(title));
	context_draw_titled(context, &part, TABLE_CALLERS, title);
	if (below == 0)
		return;
	heading_of(context, VIEW_LINES, title, sizeof(title));
	part = canvas_below(canvas, part.height);
	context_draw_titled(context, &part, TABLE_LINES, title);
}

/* Of a pair, the one that the view is not about, or the one under the cursor. */
static void select_function(const struct pane_context *context, const char **function, const char **file)
{
	const struct profile_state *state = context->state;
	const struct table *table = context_table(context, context->focus);
	const struct column *column;
	const void *row = table_cell(&context->tables[context->focus], &column);
	bool of_caller = false;

	*function = *file = "";
	if (!row || !table)
		return;
	*function = table_text(table, row, "function");
	if (context->focus == TABLE_CALLERS)
		of_caller = *table_text(table, row, "caller") &&
			    (strcmp(column->key, "caller") == 0 || strcmp(*function, state->function) == 0);
	if (of_caller)
		*function = table_text(table, row, "caller");
	*file = table_text(table, row, of_caller ? "caller_file" : "file");
}

/* Where the name of a function is from. */
static const char *names_of(const struct frame *frame, const char *function, const char *file)
{
	const struct table *table = frame_table(frame, "profile");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "function"), function) == 0 &&
		    strcmp(table_text(table, table_row(table, i), "file"), file) == 0)
			return table_text(table, table_row(table, i), "names");
	return "";
}

static void open_callers(struct pane_context *context)
{
	struct profile_state *state = context_state(context);
	const char *function, *file;

	select_function(context, &function, &file);
	if (!*function) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("there is no function under the cursor"));
		return;
	}
	snprintf(state->names, sizeof(state->names), "%s", names_of(context->frame, function, file));
	snprintf(state->function, sizeof(state->function), "%s", function);
	snprintf(state->file, sizeof(state->file), "%s", file);
	screen_show_view(context, VIEW_CALLERS);
}

static const struct pane_action caller_actions[] = {
	{ ACTION_OPEN, open_callers, N_("callers"),
	  N_("who calls the selected function, and what it calls") },
	{ 0 },
};

static const struct pane_action line_actions[] = {
	{ ACTION_OPEN, open_callers, N_("callers"), N_("who calls the function of the selected line") },
	{ 0 },
};

static const struct pane_view views[] = {
	[VIEW_FUNCTIONS] = { "functions", N_("Functions"),
			     N_("functions by the time that they ran themselves"), TABLE_FUNCTIONS,
			     .below = 1UL << TABLE_CALLS, .actions = caller_actions, .heading = heading },
	[VIEW_CALLS] = { "tree", N_("Tree"), N_("who calls whom, as a tree from where programs begin"),
			 TABLE_CALLS, .heading = heading },
	[VIEW_CALLERS] = { "callers", N_("Callers"),
			   N_("who calls the function that was selected, and what it calls"), TABLE_CALLERS,
			   .also = 1UL << TABLE_LINES, .actions = caller_actions,
			   .heading = heading, .draw = draw_callers },
	[VIEW_LINES] = { "lines", N_("Lines"),
			 N_("lines of the source of the function that was selected, by the time that they "
			    "ran"),
			 TABLE_LINES, .actions = line_actions, .heading = heading },
	[VIEW_STACKS] = { "stacks", N_("Stacks"), N_("whole stacks by their samples"), TABLE_STACKS,
			  .heading = heading },
	[VIEW_WAITING] = { "waiting", N_("Waiting"), N_("what threads wait for, by function of the kernel"),
			   TABLE_WAITING },
	[VIEW_TIME] = { "time", N_("Time"), N_("running code and waits together: all time of all threads"),
			TABLE_TIME, .heading = heading_of_time },
	[VIEW_WAKES] = { "wakes", N_("Wake-ups"), N_("which commands wake which others"), TABLE_WAKES },
	{ 0 },
};

const struct pane pane_profile = {
	.name = "profile",
	.title = N_("Profile"),
	.late = true,
	.question = N_("Which code runs, and who calls it?"),
	.tables = tables,
	.views = views,
	.state_size = sizeof(struct profile_state),
	.close = close_state,
	.adjust = adjust,
	.sampling = sampling,
	.update = update,
	.table = table_of,
};
