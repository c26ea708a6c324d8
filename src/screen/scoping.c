/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Menus: of columns to sort by, and of what the selected row suggests as a scope. */
#include <config.h>

#include "screen/scoping.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/scope.h"
#include "screen/navigation.h"
#include "screen/overlay.h"
#include "screen/subscriptions.h"

#define KEY_CELLS 26

static void say_if_hidden(struct pane_context *context)
{
	const struct table_widget *widget = screen_table(context->screen);
	const struct column *columns = widget->view.schema->columns;

	if (widget->n_slots > 0 && widget->view.sort != VIEW_AS_SAMPLED &&
	    !table_draws(widget, (unsigned)widget->view.sort))
		screen_message(context->screen, MESSAGE_PANE, _("sorted by %s, which is not shown"),
			       column_name(&columns[widget->view.sort]));
}

void sorting_step(struct pane_context *context, int step)
{
	if (screen_table(context->screen)->heading_y < 0)
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("this view has no table"));
	else if (!table_sort_step(screen_table(context->screen), step))
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       step < 0 ? _("this is the first column") : _("this is the last column"));
}

void sorting_reverse(struct pane_context *context)
{
	table_sort_reverse(screen_table(context->screen));
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       screen_table(context->screen)->view.descending ? _("largest first")
								       : _("smallest first"));
}

/* In the menu: those that are shown as they stand, then the others. Returns how many. */
static unsigned list_columns(const struct table_widget *widget, unsigned *columns)
{
	const struct view *view = &widget->view;
	unsigned n = 0;

	for (unsigned i = 0; i < view->n_columns; i++)
		if (table_draws(widget, view->columns[i]))
			columns[n++] = view->columns[i];
	for (unsigned i = 0; i < view->schema->n_columns && n < VIEW_COLUMNS_MAX; i++)
		if (!table_draws(widget, i))
			columns[n++] = i;
	return n;
}

static void chosen(struct pane_context *context, unsigned index)
{
	struct table_widget *widget = screen_table(context->screen);
	unsigned columns[VIEW_COLUMNS_MAX];

	list_columns(widget, columns);
	table_sort_by_column(widget, columns[index]);
	say_if_hidden(context);
}

static void write_item(struct buffer *text, const struct table_widget *widget, unsigned index)
{
	const struct column *column = &widget->view.schema->columns[index];

	buffer_empty(text);
	utf8_padded(text, column_title(column), table_title_cells(widget), false);
	buffer_char(text, ' ');
	utf8_padded(text, column->key, KEY_CELLS, false);
	buffer_char(text, '\0');
}

static const char *help_of(const struct table_widget *widget, unsigned index)
{
	if (widget->view.sort == (int)index)
		return widget->view.descending ? _("largest first; Enter reverses")
					       : _("smallest first; Enter reverses");
	return table_draws(widget, index) ? _(widget->view.schema->columns[index].help) : _("not shown");
}

void sorting_menu(struct pane_context *context)
{
	const struct table_widget *widget = screen_table(context->screen);
	unsigned columns[VIEW_COLUMNS_MAX], n = list_columns(widget, columns), current = 0, n_drawn = 0;
	struct menu_item items[VIEW_COLUMNS_MAX];
	struct buffer texts[VIEW_COLUMNS_MAX] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		if (widget->view.sort == (int)columns[i])
			current = i;
		write_item(&texts[i], widget, columns[i]);
		items[i] = (struct menu_item){ texts[i].bytes, help_of(widget, columns[i]) };
		n_drawn += table_draws(widget, columns[i]);
	}
	screen_menu(context, _("Sort by"), items, n, current, chosen);
	menu_dim_from(context->screen, n_drawn);
	for (unsigned i = 0; i < n; i++)
		buffer_free(&texts[i]);
}

/* By the first of its columns that the table has. */
void sorting_by(struct pane_context *context, int what)
{
	static const char *const columns[][4] = {
		[SORTING_MEMORY] = { "resident_bytes", "present_bytes", "memory_bytes" },
		[SORTING_CPU] = { "cpu_ratio", "mean_ratio" },
		[SORTING_TIME] = { "cpu_seconds" },
	};
	struct table_widget *widget = screen_table(context->screen);

	for (const char *const *keys = columns[what]; *keys; keys++) {
		if (schema_find(widget->view.schema, *keys)) {
			view_choose_sort(&widget->view, *keys);
			table_deselect(widget);
			screen_message(context->screen, MESSAGE_PANE, _("sorted by %s"),
				       column_name(schema_find(widget->view.schema, *keys)));
			say_if_hidden(context);
			return;
		}
	}
	screen_warn(context->screen, MESSAGE_PANE, "%s", _("this table has no such column"));
}

/* Views filter by another scope, and what was sampled for the last one is sampled again. */
static void apply(struct pane_context *context)
{
	struct screen *screen = context->screen;
	const struct scope_term *listed = scope_find(context->request->scope, SCOPE_PROCESSES);

	context_request(context)->processes = listed ? listed->text : NULL;
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		screen_adjust(&screen->contexts[p]);
		history_forget_topic(&screen->contexts[p].history, "scope_use");
		history_forget_topic(&screen->contexts[p].other_history, "scope_use");
	}
	subscriptions_update(screen);
	subscriptions_show_again(screen);
}

static void set_scope(struct pane_context *context, const struct scope_term *term)
{
	struct scope *scope = context->request->scope;

	if (!scope)
		return;
	scope_clear(scope);
	if (term)
		scope_add(scope, term);
	apply(context);
}

void screen_open_scope(struct pane_context *context, const struct scope_term *term, const char *pane)
{
	struct screen *screen = context->screen;

	navigation_enter_named(screen, pane);
	set_scope(context, term);
}

static const void *selected_row(const struct pane_context *context, const struct schema **schema)
{
	const struct table_widget *widget = &context->tables[context->focus];
	const struct column *column;

	*schema = widget->view.schema;
	if (!widget->place.cursor_on || navigation_lacks_table(context))
		return NULL;
	return table_cell(widget, &column);
}

/* An item of the menu. */
static void offer(struct scoping *scoping, const struct scope_term *term, const char *format,
		  const char *text)
{
	if (scoping->n_items == SCOPING_MAX)
		return;
	snprintf(scoping->texts[scoping->n_items], TEXT_MAX, format, text);
	scoping->terms[scoping->n_items++] = *term;
}

static void offer_written(struct scoping *scoping, enum scope_kind kind, const char *value,
			  const char *format)
{
	struct scope_term term;
	char why[TEXT_MAX];

	if (scope_term_set(&term, kind, value, why, sizeof(why)))
		offer(scoping, &term, format, value);
}

/* By the name that its engine gives it, where the frame has that. */
static void offer_container(struct scoping *scoping, const struct table *groups,
			    const struct scope_term *by_id)
{
	struct scope_term named;
	char why[TEXT_MAX];

	for (size_t i = 0; groups && i < groups->n_rows; i++) {
		const void *row = table_row(groups, i);
		const char *path = table_text(groups, row, "path"), *name = table_text(groups, row, "name");

		if (strcmp(table_text(groups, row, "kind"), "container") != 0 ||
		    !scope_term_has_group(by_id, path) ||
		    !scope_term_set(&named, SCOPE_CONTAINER, name, why, sizeof(why)) ||
		    !scope_term_learn(&named, span_text(path), name))
			continue;
		offer(scoping, &named, _("its container, %s"), name);
		return;
	}
	offer(scoping, by_id, _("its container, %s"), by_id->text);
}

static void offer_groups(struct scoping *scoping, const struct table *groups, const char *path)
{
	struct scope_term term;

	if (scope_term_of_group(&term, SCOPE_CONTAINER, path))
		offer_container(scoping, groups, &term);
	if (scope_term_of_group(&term, SCOPE_SERVICE, path))
		offer(scoping, &term, _("its service, %s"), term.text);
	if (strcmp(path, "/") != 0)
		offer_written(scoping, SCOPE_GROUP, path, _("its control group, %s"));
}

static void offer_user(struct scoping *scoping, const struct scope_process *process)
{
	struct scope_term term;
	char why[TEXT_MAX];

	if (!process->user || !scope_term_set(&term, SCOPE_USER, process->user, why, sizeof(why)))
		return;
	if (process->uid < UINT32_MAX) {
		term.users[0] = (uint32_t)process->uid;
		term.n_users = 1;
	}
	offer(scoping, &term, _("its user, %s"), process->user);
}

static void offer_process(struct scoping *scoping, const struct table *groups,
			  const struct scope_process *process)
{
	char what[TEXT_MAX];
	struct scope_term term;

	snprintf(what, sizeof(what), "%llu %.*s", (unsigned long long)process->pid,
		 (int)span_length(process->name), process->name.at);
	scope_term_choose(&term, SCOPE_TREE, process->pid, process->start_seconds);
	offer(scoping, &term, _("%s with its descendants"), what);
	scope_term_choose(&term, SCOPE_PROCESSES, process->pid, process->start_seconds);
	offer(scoping, &term, _("%s alone"), what);
	offer_user(scoping, process);
	if (process->group)
		offer_groups(scoping, groups, process->group);
}

static void choose(struct pane_context *context, unsigned index)
{
	set_scope(context, &context->screen->scoping.terms[index]);
}

static void show_menu(struct pane_context *context, const struct scope_process *process)
{
	struct scoping *scoping = &context->screen->scoping;
	struct menu_item items[SCOPING_MAX];

	for (unsigned i = 0; i < scoping->n_items; i++)
		items[i] = (struct menu_item){ scoping->texts[i], NULL };
	snprintf(scoping->title, sizeof(scoping->title), _("All panes show only (of %llu %s)"),
		 (unsigned long long)process->pid, process->command);
	screen_menu(context, scoping->title, items, scoping->n_items, 0, choose);
}

/* A row of a table of control groups needs no menu. */
static bool choose_group(struct pane_context *context, const struct schema *schema, const void *row)
{
	const char *path = schema_is_of_groups(schema) ? row_text(row, schema_find(schema, "path")) : NULL;
	struct scope_term term;
	char why[TEXT_MAX];

	if (!path || !scope_term_set(&term, SCOPE_GROUP, path, why, sizeof(why)))
		return false;
	set_scope(context, &term);
	return true;
}

bool scoping_has_ended(const struct pane_context *context)
{
	struct scope_process found;
	struct subject subject;

	return !screen_subject(context, &subject) && !subject.row && frame_table(context->frame, "process") &&
	       !scope_frame_process(context->frame, subject.process.pid, &found);
}

void scoping_choose(struct pane_context *context)
{
	const struct schema *schema;
	const void *row = selected_row(context, &schema);
	struct scope_process process;
	struct subject subject;
	const char *refusal;

	if (scope_is_set(context->request->scope)) {
		set_scope(context, NULL);
		screen_message(context->screen, MESSAGE_SCREEN, "%s", _("all processes"));
		return;
	}
	if (row && choose_group(context, schema, row))
		return;
	refusal = screen_subject(context, &subject);
	process = (struct scope_process){ .pid = subject.process.pid,
					  .start_seconds = subject.process.start_seconds,
					  .uid = U64_UNKNOWN,
					  .name = span_text(subject.process.name),
					  .command = subject.process.name };
	if (refusal || (frame_table(context->frame, "process") &&
			!scope_frame_process(context->frame, subject.process.pid, &process))) {
		if (row)
			refusal = _("this row is not of one living process, nor of a group");
		else if (refusal)
			refusal = _("select a process or a group first, with the arrows or the mouse");
		else
			refusal = _("the process has ended");
		screen_warn(context->screen, MESSAGE_PANE, "%s", refusal);
		return;
	}
	context->screen->scoping.n_items = 0;
	offer_process(&context->screen->scoping, frame_table(context->frame, "group"), &process);
	show_menu(context, &process);
}
