/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows another pane, view or row, and remembers the way back. */
#include <config.h>

#include "screen/navigation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "screen/pane_tables.h"
#include "screen/past/player.h"
#include "screen/subscriptions.h"

static void show_pane(struct screen *screen, unsigned index)
{
	if (index != screen->current && screen->message_scope == MESSAGE_PANE)
		screen->message_until_ns = 0;
	screen->current = index;
	subscriptions_update(screen);
}

void navigation_choose_pane(struct screen *screen, unsigned index)
{
	if (index >= screen->setup->n_panes)
		return;
	screen->contexts[index].came_from = -1;
	screen->contexts[index].n_before = 0;
	show_pane(screen, index);
}

bool navigation_has_tab(const struct screen *screen, unsigned index)
{
	return pane_has_tab(screen->setup->panes[index], screen->setup->request) || index == screen->current;
}

void navigation_enter_pane(struct screen *screen, unsigned index)
{
	if (index != screen->current)
		screen->contexts[index].came_from = (int)screen->current;
	show_pane(screen, index);
}

/* -1: there is none. */
static int pane_index(const struct screen *screen, const char *name)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		if (strcmp(screen->setup->panes[i]->name, name) == 0)
			return (int)i;
	return -1;
}

void navigation_enter_named(struct screen *screen, const char *pane)
{
	int index = pane_index(screen, pane);

	if (index >= 0)
		navigation_enter_pane(screen, (unsigned)index);
}

/* The oldest one makes room. */
static void remember_page(struct pane_context *context)
{
	if (context->n_before == PAGES_BEFORE_MAX)
		memmove(context->before, context->before + 1, --context->n_before * sizeof(*context->before));
	context->before[context->n_before++] =
		(struct page_before){ .process = context->request->mapped, .view = context->view };
}

/* Graphs are of one process: of a recording, which recalls none, they are read again. */
static void choose_process(struct screen *screen, const struct process_choice *process, unsigned pane)
{
	struct process_choice *chosen = &screen->setup->request->mapped;
	bool reads_again = !screen_is_live(screen) && screen->shown >= 0 &&
			   (process->pid != chosen->pid || process->start_seconds != chosen->start_seconds);

	*chosen = *process;
	screen->sample_follows = reads_again;
	navigation_enter_pane(screen, pane);
	screen->sample_follows = false;
	if (reads_again)
		subscriptions_show_again(screen);
}

bool navigation_go_back(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);
	int from = context->came_from;

	if (context->n_before > 0) {
		const struct page_before *before = &context->before[--context->n_before];

		choose_process(screen, &before->process, screen->current);
		screen_show_view(context, before->view);
		return true;
	}
	if (from < 0)
		return false;
	context->came_from = -1;
	show_pane(screen, (unsigned)from);
	return true;
}

unsigned navigation_views(const struct pane_context *context)
{
	const struct pane_view *views = context->pane->views;
	unsigned n = 0;

	while (views && views[n].name)
		n++;
	return n > 0 ? n : 1;
}

unsigned navigation_home(const struct pane_context *context)
{
	return context->pane->home ? context->pane->home(context) : 0;
}

bool navigation_lacks_table(const struct pane_context *context)
{
	return context->pane->views && context->pane->views[context->view].no_table;
}

bool screen_was_opened(const struct pane_context *context)
{
	return context->came_from >= 0 || context->n_before > 0;
}

void screen_show_view(struct pane_context *context, unsigned index)
{
	const struct pane *pane = context->pane;

	if (index >= navigation_views(context) || !pane->views)
		return;
	if (context->screen->message_scope == MESSAGE_PANE)
		context->screen->message_until_ns = 0;
	context->view = index;
	context->focus = pane->views[index].table;
	subscriptions_of_view(context);
	if (pane->viewed)
		pane->viewed(context);
	subscriptions_update(context->screen);
}

static bool is_sampled(const struct pane_context *context)
{
	return context->frame && context->pane->tables[0].topic &&
	       frame_table(context->frame, context->pane->tables[0].topic) != NULL;
}

/* A recording need not contain the first pane; then the first pane that it contains is shown. */
void navigation_choose_recorded_pane(struct screen *screen)
{
	subscriptions_update(screen);
	if (is_sampled(screen_context(screen)))
		return;
	if (screen->setup->first_asked_for)
		screen_warn(screen, MESSAGE_SCREEN, _("the recording holds no tables of the pane %s"),
			    screen_context(screen)->pane->name);
	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (is_sampled(&screen->contexts[i]) && navigation_has_tab(screen, i)) {
			navigation_choose_pane(screen, i);
			return;
		}
	}
}

void screen_open(struct pane_context *context, const char *pane, const struct process_choice *process)
{
	struct screen *screen = context->screen;
	int index = pane_index(screen, pane);

	if (index < 0)
		return;
	if ((unsigned)index == screen->current)
		remember_page(context);
	else
		screen->contexts[index].n_before = 0;
	choose_process(screen, process, (unsigned)index);
	if (screen->setup->panes[index]->entered)
		screen->setup->panes[index]->entered(screen_context(screen));
}

static const char *name_in(const struct schema *schema, const void *row)
{
	const struct column *name = schema_find(schema, "name"), *command = schema_find(schema, "command");
	const struct column *column = name ? name : command;
	const char *text = column && column->type == VALUE_TEXT ? row_text(row, column) : NULL;

	return text ? text : "";
}

/* False: the row is not of one process that lives. */
static bool take_row(const struct pane_context *context, const struct schema *schema, const void *row,
		     struct subject *subject)
{
	const struct column *pid = schema_find(schema, "pid"), *start = schema_find(schema, "start_seconds");
	bool of_thread = schema_find(schema, "tid") || !start; /* the start of its process is another one */
	struct process_choice *process = &subject->process;
	struct scope_process found;

	if (!row || !pid || pid->type != VALUE_U64 || !row_is_known(row, pid) || row_u64(row, pid) == 0 ||
	    schema->shape == SHAPE_EVENTS)
		return false;
	if (of_thread && !scope_frame_process(context->frame, row_u64(row, pid), &found))
		return false;
	process->is_set = true;
	process->pid = (uint32_t)row_u64(row, pid);
	process->start_seconds = of_thread ? found.start_seconds : row_number(row, start);
	span_copy(process->name, sizeof(process->name),
		  of_thread ? found.name : span_text(name_in(schema, row)));
	subject->row = row;
	return !isnan(process->start_seconds);
}

/* The first that is shown of a table of processes. */
static bool take_first_row(const struct pane_context *context, unsigned table, struct subject *subject)
{
	const struct view *view = &context->tables[table].view;

	subject->table = table;
	for (size_t i = context->tables[table].place.top; i < view->n_rows; i++)
		if (take_row(context, view->schema, view->rows[i], subject))
			return true;
	return false;
}

/* Of the page of a process, but for its list of others: as its first table has found it. */
static bool take_page(const struct pane_context *context, struct subject *subject)
{
	const struct pane *pane = context->pane;
	const struct pane_view *view = pane->of_process ? &pane->views[context->view] : NULL;
	const struct process_choice *chosen = &context->request->mapped;
	const struct table *table;
	bool found;

	if (!view || (!view->no_table && !pane->tables[view->table].of_one))
		return false;
	table = context_table(context, 0);
	found = table && table->n_rows > 0 &&
		take_row(context, table->schema, table_row(table, 0), subject) &&
		(!chosen->is_set || chosen->pid == subject->process.pid);
	if (!found)
		subject->process = *chosen;
	subject->row = NULL;
	return found || (chosen->is_set && chosen->start_seconds >= 0);
}

const char *screen_subject(const struct pane_context *context, struct subject *subject)
{
	const struct pane *pane = context->pane;
	const struct table_widget *widget = &context->tables[context->focus];
	const struct column *column;

	*subject = (struct subject){ .table = context->focus };
	if (take_page(context, subject))
		return NULL;
	if (!navigation_lacks_table(context) && widget->place.cursor_on)
		return take_row(context, widget->view.schema, table_cell(widget, &column), subject)
			       ? NULL
			       : _("this row is not of one living process");
	if (!navigation_lacks_table(context) && take_first_row(context, context->focus, subject))
		return NULL;
	for (unsigned i = 0; pane->views && pane->tables[i].topic; i++) /* a list beside or below it */
		if (context->tables[i].heading_y >= 0 && take_first_row(context, i, subject))
			return NULL;
	return pane->of_process ? _("select a process first, in the view Processes")
				: _("no process is shown here");
}

void screen_select_subject(struct pane_context *context, const struct subject *subject)
{
	if (!subject->row)
		return;
	context->focus = subject->table;
	table_select_row(&context->tables[subject->table], subject->row);
}

/* The table of the present view with this topic. */
static struct table_widget *shown_table(struct pane_context *context, const char *topic)
{
	const struct pane *pane = context->pane;

	if (strcmp(pane->tables[context->focus].topic, topic) == 0)
		return &context->tables[context->focus];
	for (unsigned i = 0; pane->views && pane->tables[i].topic; i++)
		if (pane_view_has(&pane->views[context->view], i) &&
		    strcmp(pane->tables[i].topic, topic) == 0)
			return &context->tables[i];
	return NULL;
}

/* Is it the process, or the row with the key? */
static bool is_wished(const struct schema *schema, const void *row, const struct row_wish *wish)
{
	const struct column *pid = schema_find(schema, "pid"), *start = schema_find(schema, "start_seconds");

	if (wish->pid != U64_UNKNOWN)
		return pid && start && row_u64(row, pid) == wish->pid &&
		       fabs(row_f64(row, start) - wish->start_seconds) < 1e-3;
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_KEY && column->type == VALUE_TEXT)
			return row_is_known(row, column) && strcmp(row_text(row, column), wish->key) == 0;
	}
	return false;
}

static void select_wished(struct table_widget *widget, const struct row_wish *wish)
{
	const struct view *view = &widget->view;

	for (size_t i = 0; i < view->n_rows; i++) {
		if (is_wished(view->schema, view->rows[i], wish)) {
			table_select_row(widget, view->rows[i]);
			return;
		}
	}
}

void screen_show_host(struct pane_context *context, const char *host, const char *pane)
{
	struct screen *screen = context->screen;
	struct sample_request *request = context_request(context);
	bool other = request->n_hosts > 1 && strcmp(request->host, host) != 0;

	if (other)
		snprintf(request->host, sizeof(request->host), "%s", host);
	navigation_enter_named(screen, pane);
	if (other && screen->shown >= 0)
		screen->player->show(screen, screen->player->index(screen));
}

void navigation_show_row(struct screen *screen, const char *pane, const char *view,
			 const struct row_wish *wish)
{
	struct pane_context *to;
	struct table_widget *widget;

	navigation_enter_named(screen, pane);
	to = screen_context(screen);
	for (unsigned v = 0; to->pane->views && to->pane->views[v].name; v++)
		if (strcmp(to->pane->views[v].name, view) == 0)
			screen_show_view(to, v);
	if (!*view)
		screen_show_view(to, navigation_home(to));
	pane_tables_update(screen);
	widget = wish->pid != U64_UNKNOWN || *wish->key ? shown_table(to, wish->topic) : NULL;
	if (widget)
		select_wished(widget, wish);
}

void screen_show_row(struct pane_context *context, const char *pane, const char *view, const char *topic,
		     const char *row)
{
	const struct row_wish wish = { .topic = topic, .key = row, .pid = U64_UNKNOWN };

	if (strcmp(context->pane->name, pane) != 0)
		navigation_show_row(context->screen, pane, view, &wish);
}
