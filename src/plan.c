/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options and panes to what a batch run samples and prints. */
#include <config.h>

#include "plan.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "topic/topic.h"

static bool has_rates(const struct view *view)
{
	for (unsigned i = 0; i < view->n_columns; i++)
		if (view->schema->columns[view->columns[i]].kind == COLUMN_RATE)
			return true;
	return false;
}

static struct view *add_view(struct batch_plan *batch, const char *topic)
{
	struct plan *plan = &batch->plan;
	struct view *view;

	for (unsigned i = 0; i < plan->n_views; i++)
		if (strcmp(plan->views[i].schema->name, topic) == 0)
			return &plan->views[i];
	plan->views = alloc_resize(plan->views, plan->n_views + 1, sizeof(*plan->views));
	view = &plan->views[plan->n_views++];
	view_open(view, topic_find(topic)->schema);
	return view;
}

static void complain_of_column(const char *option, const struct view *view, const char *name)
{
	struct buffer list = { 0 };

	for (unsigned i = 0; i < view->schema->n_columns; i++)
		buffer_print(&list, "%s%s", i > 0 ? ", " : "", view->schema->columns[i].key);
	buffer_char(&list, '\0');
	complain(option, _("'%s' is no column of %s; it has: %s"), name, view->schema->name, list.bytes);
	buffer_free(&list);
}

/* --columns and --sort speak of the first table that is printed. */
static int choose_columns(struct batch_plan *batch, const struct options *options)
{
	struct view *view = &batch->plan.views[0];
	const char *unknown;

	if (options->columns && view_choose_columns(view, options->columns, &unknown) < 0) {
		char *name = alloc_text(unknown);

		name[strcspn(name, ",")] = '\0';
		complain_of_column("--columns", view, name);
		free(name);
		return 2;
	}
	if (options->sort && view_choose_sort(view, options->sort) < 0) {
		complain_of_column("--sort", view, options->sort);
		return 2;
	}
	return 0;
}

static int choose_filter(struct batch_plan *batch, const struct options *options)
{
	char why[128];
	int error;

	if (!options->filter)
		return 0;
	error = filter_compile(&batch->filter, options->filter);
	if (error) {
		regerror(error, &batch->filter, why, sizeof(why));
		complain("--filter", "'%s': %s", options->filter, why);
		return 2;
	}
	batch->has_filter = true;
	for (unsigned i = 0; i < batch->plan.n_views; i++)
		batch->plan.views[i].filter = &batch->filter;
	return 0;
}

/* Text prints the headline of a pane, CSV its first table, the formats for machines all of it. */
static void add_pane(struct batch_plan *batch, const struct options *options, const struct pane *pane)
{
	bool all = options->format != &sink_text && !options->format->one_table;

	for (const struct pane_table *table = pane->tables; table->topic; table++) {
		struct view *view;

		if (options->format->one_table && batch->plan.n_views > 0)
			return;
		if (table->on_request || (!all && !table->headline))
			continue;
		view = add_view(batch, table->topic);
		if (table->sort)
			view_choose_sort(view, table->sort);
		if (options->format != &sink_text)
			view_choose_all(view);
		batch->covers_delay |= table->headline && has_rates(view);
	}
}

static void add_tables(struct batch_plan *batch, const struct options *options)
{
	const struct pane *chosen[OPTIONS_PANES_MAX];
	unsigned n_chosen = options_panes(options, chosen);

	batch->plan.panes = batch->pane_names;
	for (unsigned i = 0; i < n_chosen; i++) {
		batch->pane_names[batch->plan.n_panes++] = chosen[i]->name;
		if (!options->table)
			add_pane(batch, options, chosen[i]);
	}
	if (options->table) {
		struct view *view = add_view(batch, options->table);

		if (options->format != &sink_text)
			view_choose_all(view);
		batch->covers_delay = has_rates(view);
	}
}

/* The pane decides which variant of a column stands in text, as it does on the screen. */
static void adjust_views(struct batch_plan *batch, const struct options *options, const struct settings *settings)
{
	const struct pane *chosen[OPTIONS_PANES_MAX];
	unsigned n_chosen = options_panes(options, chosen);

	for (unsigned i = 0; i < n_chosen && options->format == &sink_text && !options->columns; i++)
		for (unsigned v = 0; v < batch->plan.n_views && chosen[i]->adjust; v++)
			chosen[i]->adjust(settings, &batch->plan.views[v]);
}

/* A recording holds the tables of the panes whole, and what the top line of the screen shows. */
static void find_wanted(struct batch_plan *batch, const struct options *options)
{
	const struct pane *chosen[OPTIONS_PANES_MAX];
	unsigned n_chosen = options_panes(options, chosen);

	batch->wanted = alloc_zeroed(n_topics, sizeof(*batch->wanted));
	for (unsigned t = 0; t < n_topics; t++) {
		for (unsigned v = 0; v < batch->plan.n_views; v++)
			batch->wanted[t] |= batch->plan.views[v].schema == topics[t]->schema;
		for (unsigned i = 0; i < n_chosen && options->record; i++)
			for (const struct pane_table *table = chosen[i]->tables; table->topic; table++)
				batch->wanted[t] |= !table->on_request &&
						    strcmp(table->topic, topics[t]->schema->name) == 0;
		for (unsigned i = 0; headline_topics[i] && options->record; i++)
			batch->wanted[t] |= strcmp(headline_topics[i], topics[t]->schema->name) == 0;
	}
}

int batch_plan_open(struct batch_plan *batch, const struct options *options, const struct settings *settings)
{
	int status;

	*batch = (struct batch_plan){ 0 };
	add_tables(batch, options);
	adjust_views(batch, options, settings);
	batch->plan.unit = options->unit;
	batch->plan.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	batch->plan.repeated = options->count != 1;
	for (unsigned i = 0; i < batch->plan.n_views; i++)
		batch->plan.views[i].limit = options->limit;
	status = choose_columns(batch, options);
	if (!status)
		status = choose_filter(batch, options);
	find_wanted(batch, options);
	return status;
}

void batch_plan_close(struct batch_plan *batch)
{
	plan_close(&batch->plan);
	free(batch->wanted);
	if (batch->has_filter)
		regfree(&batch->filter);
	*batch = (struct batch_plan){ 0 };
}
