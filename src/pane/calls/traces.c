/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of the views of tracepoints: what is counted is typed, changed, and ended. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/trace_spec.h"
#include "pane/calls/calls.h"
#include "screen/context.h"

#define MENU_FIRST 2 /* items of the menu before those of what is counted */

bool traces_are_counted(const struct sample_request *request)
{
	return request->traces && request->traces->n > 0;
}

static void request_tables(struct pane_context *context)
{
	bool any = traces_are_counted(context->request);

	screen_request(context, CALLS_TABLE_TRACE, any);
	screen_request(context, CALLS_TABLE_TRACE_BUCKET, any);
}

void traces_open(struct pane_context *context)
{
	bool any = traces_are_counted(context->request) && !context->request->recorded;

	context->requested[CALLS_TABLE_TRACE] = any;
	context->requested[CALLS_TABLE_TRACE_BUCKET] = any;
	if (any)
		context->view = CALLS_VIEW_TRACES;
}

bool traces_go_on(const struct pane_context *context)
{
	return context->requested[CALLS_TABLE_TRACE] && traces_are_counted(context->request) &&
	       !context->request->recorded;
}

const char *traces_refuse(const struct pane_context *context, enum action action)
{
	if (context->view < CALLS_VIEW_TRACES || (action != ACTION_OPEN && action != ACTION_ACT))
		return NULL;
	if (context->request->recorded)
		return _("a recording has what was counted when it was made");
	return context->request->no_bpf ? _("it was started with --no-bpf") : NULL;
}

/* The text in this column of the selected row of a table; NULL: no row is. */
static const char *selected(const struct pane_context *context, unsigned table, const char *key)
{
	const struct table_widget *widget = &context->tables[table];
	const struct column *column;
	const void *row = widget->place.cursor_on ? table_cell(widget, &column) : NULL;

	return row ? row_text(row, schema_known_column(widget->view.schema, key)) : NULL;
}

/* Its fields, where the shown frame has those of all tracepoints; false: it does not have this one, or no
 * such. */
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
	request_tables(context);
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

static void act(struct pane_context *context, unsigned index)
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

static void show_actions(struct pane_context *context)
{
	const struct trace_specs *traces = context->request->traces;
	struct menu_item items[MENU_FIRST + TRACE_SPECS_MAX] = {
		{ _("Choose"), _("a tracepoint from the list of all, with their fields") },
		{ _("Type"),
		  "GROUP:EVENT by KEY,KEY sum(FIELD) max(FIELD) hist(FIELD) if FIELD > 8 and ..." },
	};

	for (unsigned i = 0; i < traces->n; i++)
		items[MENU_FIRST + i] = (struct menu_item){ _("End"), traces->list[i].text };
	screen_menu(context, _("Tracepoints"), items, MENU_FIRST + traces->n, 0, act);
}

const struct pane_action traces_actions[] = {
	{ ACTION_OPEN, change_selected, N_("Change"), N_("change what is counted, or choose a tracepoint") },
	{ ACTION_ACT, show_actions, NULL, N_("choose a tracepoint, type what to count, or end it") },
	{ 0 },
};

const struct pane_action tracepoints_actions[] = {
	{ ACTION_OPEN, count_selected, N_("Count"), N_("count the events of the selected tracepoint") },
	{ ACTION_ACT, show_actions, NULL, N_("choose a tracepoint, type what to count, or end it") },
	{ 0 },
};
