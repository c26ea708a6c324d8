/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks each pane for its tables, options for others, and turns columns, order and filter into views. */
#include <config.h>

#include "app/run_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "model/scope.h"
#include "output/command_sums.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static struct view *add_view(struct run_plan *run, const char *topic)
{
	struct print_plan *print = &run->print;
	struct view *view;

	for (unsigned i = 0; i < print->n_views; i++)
		if (strcmp(print->views[i].schema->name, topic) == 0)
			return &print->views[i];
	print->views = alloc_resize(print->views, print->n_views + 1, sizeof(*print->views));
	view = &print->views[print->n_views++];
	view_open(view, run->differences ? differences_schema(run->differences, topic)
			: run->labelled  ? labelled_schema(run->labelled, topic)
					 : topic_find(topic)->schema);
	return view;
}

static unsigned best_match(const struct schema *schema, const char *name)
{
	unsigned best = 0;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		unsigned match = column_match(&schema->columns[i], span_text(name));

		best = match > best ? match : best;
	}
	return best;
}

/* The keys of the columns that match as well as the best one. */
static void refuse_ambiguous(const char *option, const struct schema *schema, const char *name, unsigned best)
{
	struct buffer list = { 0 };

	for (unsigned i = 0; i < schema->n_columns; i++)
		if (column_match(&schema->columns[i], span_text(name)) == best)
			buffer_print(&list, "%s%s", list.length > 0 ? ", " : "", schema->columns[i].key);
	error_message(option, _("'%s' is ambiguous: %.*s"), name, (int)list.length, list.bytes);
	buffer_free(&list);
}

/* Keys first: a heading is suggested only if it is nearer. */
static const char *nearest_column(const struct schema *schema, const char *name)
{
	struct near_name near = { .typed = span_text(name) };

	for (unsigned i = 0; i < schema->n_columns; i++)
		near_name_try(&near, schema->columns[i].key);
	for (unsigned i = 0; i < schema->n_columns; i++)
		near_name_try(&near, column_title(&schema->columns[i]));
	return near.name;
}

static void column_error(const char *option, const struct view *view, const char *name)
{
	const struct schema *schema = view->schema;
	unsigned best = best_match(schema, name);
	const char *near = nearest_column(schema, name);

	if (best > 0)
		refuse_ambiguous(option, schema, name, best);
	else if (near)
		error_message(option, _("unknown column '%s' of %s; did you mean %s?"), name, schema->name,
			      near);
	else
		error_message(option, _("unknown column '%s' of %s; see panetop --describe %s"), name,
			      schema->name, schema->name);
}

bool run_plan_choose_columns(struct view *view, const char *list, const char *whose)
{
	const char *wrong;
	int error = view_choose_columns(view, list, &wrong);
	char *name;

	if (!error)
		return true;
	name = alloc_text(wrong);
	name[strcspn(name, ",")] = '\0';
	if (error == -EEXIST)
		error_message(whose, _("column '%s' is listed twice"), name);
	else
		column_error(whose, view, name);
	free(name);
	return false;
}

bool run_plan_choose_sort(struct view *view, const char *name, const char *whose)
{
	if (view_choose_sort(view, name) == 0)
		return true;
	column_error(whose, view, *name == '+' ? name + 1 : name);
	return false;
}

/* --columns and --sort apply to the first printed table. */
static int choose_columns(struct run_plan *run, const struct options *options)
{
	struct view *view = &run->print.views[0];

	if (options->columns && !run_plan_choose_columns(view, options->columns, "--columns"))
		return 2;
	return options->sort && !run_plan_choose_sort(view, options->sort, "--sort") ? 2 : 0;
}

static int choose_filter(struct run_plan *run, const struct options *options)
{
	char why[TEXT_MAX];
	int error;

	if (!options->filter)
		return 0;
	error = pattern_compile(&run->filter, options->filter);
	if (error) {
		regerror(error, &run->filter, why, sizeof(why));
		error_message("--filter", "'%s': %s", options->filter, why);
		return 2;
	}
	run->has_filter = true;
	for (unsigned i = 0; i < run->print.n_views; i++)
		view_set_pattern(&run->print.views[i], &run->filter);
	return 0;
}

/* Was the option of this table given? */
static bool has_option(const struct pane *pane, const struct pane_table *table,
		       const struct settings *settings)
{
	char name[80];

	snprintf(name, sizeof(name), "%s.%s", pane->name, table->option ? table->option : "");
	return table->option && settings_has(settings, name);
}

/* Is the table printed unless other options leave it out? */
static bool is_requested(const struct run_plan *run, const struct pane *pane, const struct pane_table *table)
{
	if (table->scoped && !scope_is_set(run->request->scope))
		return false;
	if (run->without_secrets && topic_find(table->topic)->schema->has_secrets)
		return false;
	return !table->lazy || ((table->option || table->when) &&
				(!table->option || has_option(pane, table, run->settings)) &&
				(!table->when || table->when(run->request)));
}

/* Does text print it? */
static bool is_headline(const struct run_plan *run, const struct pane *pane, const struct pane_table *table)
{
	if (table->of_machine && scope_is_set(run->request->scope))
		return false;
	return table->headline || table->lazy || has_option(pane, table, run->settings);
}

/* Text shows a table as the screen does: with the columns and sort order of its pane. */
static void dress(const struct run_plan *run, struct view *view, const struct pane *pane,
		  const struct pane_table *table)
{
	view_apply_defaults(view, table->text_columns ? table->text_columns : table->columns, table->sort);
	if (table->threshold)
		view_set_threshold(view, table->threshold, table->least);
	if (pane->adjust)
		pane->adjust(run->settings, run->request, view);
	if (!table->of_one && (run->request->recorded || view->schema->shape != SHAPE_EVENTS))
		view_choose_scope(view, run->request->scope); /* live events were chosen as they came */
	if (run->differences)
		view_show_difference(view);
}

static void add_table(struct run_plan *run, const struct pane *pane, const struct pane_table *table)
{
	struct view *view;

	if (run->differences && topic_find(table->topic)->schema->shape == SHAPE_EVENTS)
		return;
	view = add_view(run, table->topic);
	view->at_end = table->at_end && !run->differences;
	view->limit = table->text_rows > 0 ? table->text_rows : VIEW_ALL_ROWS;
	run->ends |= view->at_end;
	dress(run, view, pane, table);
}

/* Tables that text prints above the others. */
static void add_above(struct run_plan *run, const struct pane *pane)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++)
		if (table->above && is_requested(run, pane, table))
			add_table(run, pane, table);
	if (pane->lines && !run->differences && !run->labelled) {
		run->print.lines = pane->lines;
		run->print.n_above = run->print.n_views;
	}
}

static void add_tables(struct run_plan *run, const struct pane *pane, bool headlines)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++)
		if (is_requested(run, pane, table) && is_headline(run, pane, table) == headlines)
			add_table(run, pane, table);
}

/* Adds a table of --table as its pane shows it. */
static void add_named(struct run_plan *run, const char *topic)
{
	unsigned index = run->print.n_views;
	struct view *view = add_view(run, topic);

	for (unsigned i = 0; i < n_panes; i++)
		for (const struct pane_table *table = panes[i]->tables; table->topic; table++)
			if (!table->own_columns && strcmp(table->topic, topic) == 0) {
				dress(run, view, panes[i], table);
				run->homes[index].pane = panes[i];
				run->homes[index].table = table;
				return;
			}
}

static bool speaks_of_no_table(const struct options *options)
{
	return options->n_tables == 0 && !options->columns && !options->sort && !options->filter &&
	       options->limit == VIEW_ALL_ROWS && !options->write;
}

/* Metrics have sums of all rows, and only of columns that add up: no others are read. */
static void choose_sums(struct view *view)
{
	view->n_columns = 0;
	for (unsigned c = 0; c < view->schema->n_columns; c++)
		if (view->schema->columns[c].additive)
			view->columns[view->n_columns++] = c;
	view_set_threshold(view, "", NAN);
	if (view->limit > 0)
		view->limit = VIEW_ALL_ROWS;
}

/* Text prints the headline tables of the panes, CSV one table, the others all tables and columns. */
static void choose_tables(struct run_plan *run, const struct options *options, const struct pane **chosen,
			  unsigned n_chosen)
{
	bool machine = options->format != &sink_text;

	run->print.panes = run->pane_names;
	for (unsigned i = 0; i < n_chosen; i++) {
		run->panes[run->print.n_panes] = chosen[i];
		run->pane_names[run->print.n_panes++] = chosen[i]->name;
	}
	if (!machine && n_chosen == 1 && speaks_of_no_table(options) && !run->differences && !run->labelled)
		run->print.summary = chosen[0]->summary;
	for (unsigned i = 0; i < options->n_tables; i++)
		add_named(run, options->tables[i]);
	for (unsigned i = 0; i < n_chosen && options->n_tables == 0; i++) {
		if (!machine)
			add_above(run, chosen[i]);
		add_tables(run, chosen[i], true);
	}
	if (options->format->one_table && run->print.n_views > 1)
		run->print.n_views = 1;
	run->n_headlines = run->print.n_views;
	if (options->n_tables == 0 && machine && !options->format->one_table)
		for (unsigned i = 0; i < n_chosen; i++)
			add_tables(run, chosen[i], false);
	for (unsigned v = 0; v < run->print.n_views; v++) {
		if (machine || options->limit != VIEW_ALL_ROWS)
			run->print.views[v].limit = options->limit;
		if (machine)
			view_choose_all(&run->print.views[v]);
		if (options->format->metrics && command_sums_apply(run->print.views[v].schema))
			choose_sums(&run->print.views[v]);
		if (run->labelled)
			view_lead_with(&run->print.views[v], LABELLED_COLUMN);
	}
}

const struct schema *const *run_plan_schemas(const struct run_plan *run)
{
	return run->labelled ? labelled_schemas(run->labelled) : topic_schemas();
}

/* Do the lines of a pane read it? */
static bool is_in_lines(const struct run_plan *run, const char *topic)
{
	for (unsigned i = 0; i < run->print.n_panes && run->print.lines; i++)
		for (const struct pane_table *table = run->panes[i]->tables; table->topic; table++)
			if (run->panes[i]->lines && !table->lazy && strcmp(table->topic, topic) == 0)
				return true;
	return false;
}

static bool is_recorded(const struct options *options, const struct pane_table *table)
{
	return options->record && (!table->lazy || table->recorded);
}

static bool is_wanted(const struct run_plan *run, const struct options *options, const char *topic,
		      const struct pane **chosen, unsigned n_chosen)
{
	bool wanted = false;

	for (unsigned v = 0; v < run->print.n_views && !run->print.summary; v++) {
		const struct view *view = &run->print.views[v];

		wanted |= strcmp(view->schema->name, topic) == 0 ||
			  (view->cpu_count && strcmp(view->cpu_count->topic, topic) == 0);
	}
	for (const struct summary_column *column = run->print.summary; column && column->series.topic;
	     column++)
		wanted |= strcmp(column->series.topic, topic) == 0;
	if (!options->record)
		return wanted;
	/* a recording holds the tables of the panes, and what the top line of the screen shows */
	for (unsigned i = 0; i < n_chosen; i++)
		for (const struct pane_table *table = chosen[i]->tables; table->topic; table++)
			wanted |= is_recorded(options, table) && strcmp(table->topic, topic) == 0;
	for (unsigned i = 0; headline_topics[i]; i++)
		wanted |= strcmp(headline_topics[i], topic) == 0;
	return wanted;
}

/*
 * A sample with rates or events covers a delay; earlier events are not part of it. JSON prints exactly
 * --count lines; without a count there may be more. --sort and --limit apply within a sample.
 */
static void judge_views(struct run_plan *run, const struct options *options)
{
	bool events = false;

	run->covers_delay |= run->print.summary != NULL;
	for (unsigned v = 0; v < run->n_headlines; v++)
		run->covers_delay |= view_has_rates(&run->print.views[v]);
	for (unsigned v = 0; v < run->print.n_views; v++)
		events |= run->print.views[v].schema->shape == SHAPE_EVENTS;
	run->covers_delay |= events;
	run->streams = events && options->print && options->format->streams && !options->write &&
		       !options->sort && options->limit == VIEW_ALL_ROWS &&
		       (options->format != &sink_json || options->count == 0);
}

/* What reads command lines or environments for itself is refused without them. */
static int check_secrets(const struct run_plan *run, const struct options *options)
{
	for (unsigned t = 0; t < n_topics && run->request->no_arguments; t++) {
		if (!run->asked[t] || !topics[t]->schema->has_secrets)
			continue;
		if (options->n_listen > 0)
			error_message("--listen",
				      _("the table %s has what only --arguments shows"),
				      topics[t]->schema->name);
		else
			error_message("--no-arguments",
				      _("the table %s is of no use without them; leave out its pane"),
				      topics[t]->schema->name);
		return 2;
	}
	return 0;
}

/* NULL: none of the columns of the first table disturbs, or the user has not named them. */
static const char *disturbing_column(const struct run_plan *run, const struct options *options)
{
	const struct view *view = &run->print.views[0];

	for (unsigned i = 0; i < view->n_columns && options->columns; i++)
		if (view->schema->columns[view->columns[i]].disturbs)
			return view->schema->columns[view->columns[i]].key;
	return NULL;
}

static const char *disturbing_table(const struct options *options)
{
	for (unsigned i = 0; i < options->n_tables; i++)
		if (topic_find(options->tables[i])->schema->disturbs)
			return options->tables[i];
	return NULL;
}

/* What disturbs is measured for the user who names it alone. */
static int check_disturbing(struct run_plan *run, const struct options *options)
{
	const char *column = disturbing_column(run, options), *table = disturbing_table(options);
	const char *named = column ? column : table;

	if (!named || options_are_recorded(options))
		return 0;
	run->touches = table != NULL;
	run->touches_all = column != NULL;
	run->covers_delay = true;
	if (options->read_only)
		error_message("--read-only",
			      _("%s is not measured: it clears the accessed bits of a process"), named);
	else if (options->n_listen > 0)
		error_message("--listen", _("%s is not served: it clears the accessed bits of a process"),
			      named);
	return options->read_only || options->n_listen > 0 ? 2 : 0;
}

void run_plan_add_rules(struct run_plan *run, const struct options *options, const struct rule_watch *rules)
{
	rule_watch_want(rules, run->wanted);
	for (unsigned i = 0; i < n_topics && options->record; i++) {
		if (topics[i] != &topic_watch)
			continue;
		run->wanted[i] = run->asked[i] = true;
	}
}

int run_plan_open(struct run_plan *run, const struct options *options, const struct settings *settings,
		  const struct sample_request *request)
{
	const struct pane *chosen[OPTIONS_PANES_MAX];
	const struct schema *const *schemas = topic_schemas();
	unsigned n_chosen = options_panes(options, chosen);
	int status;

	*run = (struct run_plan){
		.settings = settings,
		.request = request,
		.without_secrets = options->n_listen > 0 && request->no_arguments,
	};
	if (options->between || options->against)
		run->differences = differences_open(schemas, n_topics);
	if (options->batch && request->n_hosts > 1)
		run->labelled = labelled_open(schemas, n_topics);
	choose_tables(run, options, chosen, n_chosen);
	if (run->print.n_views == 0) {
		error_message(chosen[0]->name, _("its tables hold events, which have no difference"));
		return 2;
	}
	run->print.unit = settings->unit;
	run->print.ascii = options->ascii || !i18n_is_utf8();
	run->print.repeated = options->count != 1;
	run->print.top = options->limit < options->top ? options->limit : options->top;
	run->print.arguments = options->arguments;
	if (options->write || options->format->only_last)
		run->print.phase = PRINT_LAST; /* each sample may be the last one that is read */
	status = choose_columns(run, options);
	if (!status)
		status = choose_filter(run, options);
	judge_views(run, options);
	run->wanted = alloc_zeroed(n_topics, sizeof(*run->wanted));
	for (unsigned t = 0; t < n_topics; t++)
		run->wanted[t] = is_wanted(run, options, topics[t]->schema->name, chosen, n_chosen);
	if (options->record) /* derived again from what is recorded */
		scope_use_want(request, schemas, n_topics, run->wanted);
	run->asked = alloc_zeroed(n_topics, sizeof(*run->asked));
	memcpy(run->asked, run->wanted, n_topics * sizeof(*run->asked));
	if (!status)
		status = check_secrets(run, options);
	if (!status)
		status = check_disturbing(run, options);
	for (unsigned t = 0; t < n_topics; t++)
		run->wanted[t] |= is_in_lines(run, topics[t]->schema->name);
	scope_use_want(request, schemas, n_topics, run->wanted);
	host_want(schemas, n_topics, run->wanted);
	findings_want(finding_rules, n_finding_rules, schemas, n_topics, options->replay, run->wanted);
	return status;
}

/* Rows of processes are chosen by the scope, and findings say of what they are. */
static bool is_of_scope(const struct run_plan *run, unsigned index)
{
	const struct view *view = &run->print.views[index];

	return run->homes[index].table->scoped || view_is_scoped(view) || schema_find(view->schema, "of");
}

static void notice_scope(const struct run_plan *run, unsigned index, struct frame *frame)
{
	const struct pane *pane = run->homes[index].pane;
	unsigned first = 0;

	while (run->homes[first].pane != pane)
		first++;
	if (run->homes[index].table->of_machine)
		frame_notice(frame, "scope", NULL,
			     _("%s is of the machine: no scope limits it; scope_use has what the scope uses"),
			     run->homes[index].table->topic);
	else if (first == index)
		pane_notice_scope(pane, run->request->scope, frame);
}

void run_plan_notice_scope(const struct run_plan *run, struct frame *frame)
{
	const struct scope *scope = run->request->scope;

	if (!scope_is_set(scope))
		return;
	for (unsigned v = 0; v < run->print.n_views && v < OPTIONS_TABLES_MAX; v++)
		if (run->homes[v].pane && !is_of_scope(run, v))
			notice_scope(run, v, frame);
}

/* A recording has all columns but the slow ones. */
static unsigned long all_requested_columns(const struct schema *schema)
{
	unsigned long columns = 0;

	for (unsigned i = 0; i < schema->n_columns; i++)
		if (!schema->columns[i].slow && schema->columns[i].on_request)
			columns |= 1UL << schema->columns[i].on_request;
	return columns;
}

static void request_of_pane(const struct run_plan *run, const struct options *options,
			    const struct pane *pane, struct sample_request *request)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++) {
		const struct schema *schema = topic_find(table->topic)->schema;

		if (is_recorded(options, table))
			sample_request_add(request, schema, all_requested_columns(schema));
		if (is_requested(run, pane, table))
			sample_request_add(request, schema, schema_requested_columns(schema, table->reads));
	}
}

void run_plan_request(const struct run_plan *run, const struct options *options,
		      struct sample_request *request)
{
	request->named_columns = options->columns != NULL;
	request->touches |= run->touches;
	request->touches_all |= run->touches_all;
	for (unsigned v = 0; v < run->print.n_views && !run->print.summary; v++)
		sample_request_add(request, run->print.views[v].schema,
				   view_requested_columns(&run->print.views[v]));
	for (unsigned i = 0; i < run->print.n_panes; i++)
		request_of_pane(run, options, run->panes[i], request);
	for (unsigned i = 0; i < n_panes; i++)
		if (panes[i]->wants)
			panes[i]->wants(run->settings, request);
	scope_use_request(request, topic_schemas(), n_topics, run->wanted);
	if (run->wanted)
		findings_request(finding_rules, n_finding_rules, topic_schemas(), n_topics, run->wanted,
				 request);
}

void run_plan_close(struct run_plan *run)
{
	print_plan_close(&run->print);
	free(run->wanted);
	free(run->asked);
	differences_close(run->differences);
	labelled_close(run->labelled);
	if (run->has_filter)
		regfree(&run->filter);
	*run = (struct run_plan){ 0 };
}

int print_alone(struct print_plan *plan, const struct sink_format *format, const struct frame *frame)
{
	struct sink sink;
	int error;

	sink_open(&sink, format, plan, STDOUT_FILENO, _("standard output"));
	error = sink_begin(&sink);
	if (!error)
		error = sink_frame(&sink, frame);
	if (!error)
		error = sink_end(&sink);
	if (error == -EPIPE)
		error = 0;
	if (error)
		error_message(sink.name, "%s", strerror(-error));
	sink_close(&sink);
	print_plan_close(plan);
	return error ? 1 : 0;
}
