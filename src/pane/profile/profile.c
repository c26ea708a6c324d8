/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile pane: which functions run, who calls them, and the tree of calls. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/frame.h"
#include "screen/context.h"

enum { TABLE_FUNCTIONS, TABLE_CALLS, TABLE_CALLERS, TABLE_STACKS, TABLE_COST, TABLE_WAITING, TABLE_WAKES };
enum { VIEW_FUNCTIONS, VIEW_CALLS, VIEW_CALLERS, VIEW_STACKS, VIEW_WAITING, VIEW_WAKES };

static const struct pane_table tables[] = {
	[TABLE_FUNCTIONS] = { .topic = "profile", .headline = true, .sort = "self_ratio", .text_rows = 40 },
	[TABLE_CALLS] = { .topic = "profile_call", .lazy = true, .recorded = true, .sort = "total_ratio" },
	[TABLE_CALLERS] = { .topic = "profile_caller",
			    .lazy = true,
			    .recorded = true,
			    .sort = "total_ratio" },
	[TABLE_STACKS] = { .topic = "profile_stack", .lazy = true, .recorded = true, .sort = "samples" },
	[TABLE_COST] = { .topic = "profile_cost", .headline = true, .above = true },
	[TABLE_WAITING] = { .topic = "waiting", .lazy = true, .recorded = true, .sort = "ratio" },
	[TABLE_WAKES] = { .topic = "wake", .lazy = true, .recorded = true, .sort = "per_second" },
	{ 0 },
};

struct profile_state {
	char function[TEXT_MAX]; /* whose callers are shown; "": all */
	struct table callers;    /* the rows of the frame's table that are of it, in their own memory */
	char *rows;
	size_t capacity; /* bytes */
};

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	(void)settings;
	if (!request->batch && strcmp(view->schema->name, "profile_call") == 0)
		view_choose_tree(view, "stack", "parent");
}

/* "functions, 970 samples in 10 s, error 3.2 %, cost 0.4 %" */
static void add_numbers(const struct pane_context *context, const char *what, char *text, size_t room)
{
	double samples = frame_number(context->frame, "profile_cost", NULL, "samples");
	double seconds = frame_number(context->frame, "profile_cost", NULL, "seconds");
	double error = frame_number(context->frame, "profile_cost", NULL, "error_ratio");
	double cost = frame_number(context->frame, "profile_cost", NULL, "cost_ratio");

	if (!(samples > 0))
		snprintf(text, room, "%s", what);
	else
		snprintf(text, room, _("%s, %.0f samples in %.0f s, error %.1f %%, cost %.1f %%"), what,
			 samples, seconds, 100 * error, 100 * cost);
}

static void heading_of_functions(const struct pane_context *context, char *text, size_t room)
{
	add_numbers(context, _("functions"), text, room);
}

static void heading_of_calls(const struct pane_context *context, char *text, size_t room)
{
	add_numbers(context, _("calls"), text, room);
}

static void heading_of_stacks(const struct pane_context *context, char *text, size_t room)
{
	add_numbers(context, _("stacks"), text, room);
}

static void heading_of_callers(const struct pane_context *context, char *text, size_t room)
{
	const struct profile_state *state = context->state;
	char what[TEXT_MAX + 64];

	if (*state->function)
		snprintf(what, sizeof(what), _("who calls %s, and what it calls"), state->function);
	else
		snprintf(what, sizeof(what), "%s", _("who calls whom"));
	add_numbers(context, what, text, room);
}

static bool is_of(const struct table *table, const void *row, const char *function)
{
	return strcmp(table_text(table, row, "function"), function) == 0 ||
	       strcmp(table_text(table, row, "caller"), function) == 0;
}

static void update(struct pane_context *context)
{
	struct profile_state *state = context_state(context);
	const struct table *all = frame_table(context->frame, "profile_caller");
	size_t row_bytes = all ? all->schema->row_size : 0, n = 0;

	if (!all)
		return;
	if (state->capacity < all->n_rows * row_bytes) {
		state->capacity = all->n_rows * row_bytes;
		state->rows = alloc_resize(state->rows, state->capacity, 1);
	}
	for (size_t i = 0; i < all->n_rows; i++)
		if (is_of(all, table_row(all, i), state->function))
			memcpy(state->rows + n++ * row_bytes, table_row(all, i), row_bytes);
	state->callers = *all;
	state->callers.rows = state->rows;
	state->callers.n_rows = n;
	state->callers.joined = false;
}

static const struct table *table_of(const struct pane_context *context, unsigned index)
{
	const struct profile_state *state = context->state;

	return index == TABLE_CALLERS && *state->function && frame_table(context->frame, "profile_caller")
		       ? &state->callers
		       : NULL;
}

static void sampling(struct pane_context *context)
{
	context_request(context)->profiled_pid = 0;
}

static void close_state(void *of)
{
	struct profile_state *state = of;

	free(state->rows);
}

/* Of a pair, the one that the view is not about, or the one under the cursor. */
static const char *selected_function(const struct pane_context *context)
{
	const struct profile_state *state = context->state;
	const struct table *table = context_table(context, context->focus);
	const struct column *column;
	const void *row = table_cell(&context->tables[context->focus], &column);
	const char *caller, *function;

	if (!row || !table)
		return "";
	function = table_text(table, row, "function");
	if (context->focus != TABLE_CALLERS)
		return function;
	caller = table_text(table, row, "caller");
	if (*caller && (strcmp(column->key, "caller") == 0 || strcmp(function, state->function) == 0))
		return caller;
	return function;
}

static void open_callers(struct pane_context *context)
{
	struct profile_state *state = context_state(context);
	const char *function = selected_function(context);

	if (!*function) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("there is no function under the cursor"));
		return;
	}
	snprintf(state->function, sizeof(state->function), "%s", function);
	screen_show_view(context, VIEW_CALLERS);
}

static const struct pane_action caller_actions[] = {
	{ ACTION_OPEN, open_callers, N_("callers"),
	  N_("who calls the selected function, and what it calls") },
	{ 0 },
};

static const struct pane_view views[] = {
	[VIEW_FUNCTIONS] = { "functions", N_("Functions"),
			     N_("functions by the time that they ran themselves"), TABLE_FUNCTIONS,
			     .actions = caller_actions, .heading = heading_of_functions },
	[VIEW_CALLS] = { "tree", N_("Tree"), N_("who calls whom, as a tree from where programs begin"),
			 TABLE_CALLS, .heading = heading_of_calls },
	[VIEW_CALLERS] = { "callers", N_("Callers"),
			   N_("who calls the function that was selected, and what it calls"), TABLE_CALLERS,
			   .actions = caller_actions, .heading = heading_of_callers },
	[VIEW_STACKS] = { "stacks", N_("Stacks"), N_("whole stacks by their samples"), TABLE_STACKS,
			  .heading = heading_of_stacks },
	[VIEW_WAITING] = { "waiting", N_("Waiting"), N_("what threads wait for, by function of the kernel"),
			   TABLE_WAITING },
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
