/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the topics and columns that panes, logs, scope and findings want. */
#include <config.h>

#include "screen/subscriptions.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/scope_use.h"
#include "screen/delay.h"
#include "screen/past/player.h"

#define KEPT_SECONDS_MIN 1.0 /* between samples */

static void want_topic(const struct screen_setup *setup, bool *wanted, const char *topic)
{
	schema_want(setup->schemas, setup->n_schemas, topic, wanted);
}

/*
 * Are tables of a pane that is not shown sampled for the past? From the second sample on: the first screen
 * does not wait for them; and not where samples follow each other so closely that they would cost too much.
 */
static bool keeps_tables(const struct screen *screen)
{
	return screen_is_live(screen) && screen->latest >= 0 && screen->delay_seconds >= KEPT_SECONDS_MIN;
}

static bool is_wanted(const struct pane_context *context, unsigned index)
{
	const struct screen *screen = context->screen;
	const struct pane_table *table = &context->pane->tables[index];

	if (table->on_request)
		return context->requested[index];
	return (context == screen_context(screen) || (context->pane->kept && screen->keeps_tables)) &&
	       (!table->lazy || context->requested[index]) &&
	       (!table->scoped || scope_is_set(context->request->scope));
}

static void collect_wanted(const struct screen *screen, bool *wanted)
{
	const struct screen_setup *setup = screen->setup;

	for (unsigned i = 0; setup->headline_topics[i]; i++)
		want_topic(setup, wanted, setup->headline_topics[i]);
	for (unsigned i = 0; i < screen->logs.n; i++)
		if (screen->logs.logs[i].shown.present) /* it must not get gaps */
			want_topic(setup, wanted, screen->logs.logs[i].shown.schema->name);
	for (unsigned p = 0; p < setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; i < context->pane->n_series; i++)
			if (p == screen->current || !context->pane->series[i].while_shown)
				want_topic(setup, wanted, context->pane->series[i].topic);
		for (unsigned i = 0; context->pane->tables[i].topic; i++)
			if (is_wanted(context, i))
				want_topic(setup, wanted, context->pane->tables[i].topic);
	}
	scope_use_want(setup->request, setup->schemas, setup->n_schemas, wanted);
	findings_want(setup->finding_rules, setup->n_finding_rules, setup->schemas, setup->n_schemas, wanted);
}

bool subscriptions_request_columns(struct screen *screen)
{
	struct sample_request *request = screen->setup->request;
	struct sample_request before = { .n_shown = request->n_shown };
	bool any_new = false;

	memcpy(before.shown, request->shown, sizeof(before.shown));
	request->n_shown = 0;
	request->all_groups = false;
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; context->pane->tables[i].topic; i++) {
			const struct view *view = &context->tables[i].view;
			unsigned long columns =
				view_requested_columns(view) |
				schema_requested_columns(view->schema, context->pane->tables[i].reads);

			if (!is_wanted(context, i))
				continue;
			request->all_groups |= schema_is_of_groups(view->schema);
			sample_request_add(request, view->schema, columns);
			any_new |= sample_request_add(&before, view->schema, columns);
		}
	}
	if (screen->wanted)
		scope_use_request(request, screen->setup->schemas, screen->setup->n_schemas, screen->wanted);
	return any_new;
}

/* Of a recording only wanted tables are read: the shown sample may have more. */
static bool lacks_wanted(const struct screen *screen)
{
	const struct frame *frame = screen_frame(screen);

	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		if (screen->wanted[i] && !frame->tables[i].present)
			return true;
	return false;
}

/* Lets the source sample what is wanted now. Is something that was not before? */
static bool take_wanted(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted, any_new = false;

	if (!setup->source->want)
		return false;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	collect_wanted(screen, wanted);
	for (unsigned i = 0; screen->wanted && i < setup->n_schemas; i++)
		any_new |= wanted[i] && !screen->wanted[i];
	free(screen->wanted);
	screen->wanted = wanted;
	any_new |= subscriptions_request_columns(screen);
	setup->source->want(setup->source->state, wanted);
	return any_new;
}

void subscriptions_follow(struct screen *screen)
{
	bool keeps = keeps_tables(screen);

	if (keeps != screen->keeps_tables) {
		screen->keeps_tables = keeps;
		take_wanted(screen);
	}
}

void subscriptions_update(struct screen *screen)
{
	if (!take_wanted(screen) || screen->latest < 0 || screen->shown < 0)
		return;
	if (screen_is_live(screen))
		delay_skip(screen);
	else if (lacks_wanted(screen))
		player_show_again(screen);
}

void subscriptions_only(const struct screen *screen, const struct source *source, const char *topic)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted;

	if (!source->want)
		return;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	for (unsigned i = 0; !topic && i < setup->n_schemas; i++)
		wanted[i] = screen->in_past || screen->wanted[i];
	if (topic)
		want_topic(setup, wanted, topic);
	source->want(source->state, wanted);
	free(wanted);
}

static bool is_tall(const struct screen *screen)
{
	return terminal_canvas(&screen->terminal, screen->glyphs).height >= PANE_BELOW_LINES;
}

void subscriptions_of_view(struct pane_context *context)
{
	const struct pane *pane = context->pane;
	const struct pane_view *view = &pane->views[context->view];

	for (unsigned i = 0; pane->tables[i].topic; i++)
		if (pane->tables[i].lazy)
			context->requested[i] = pane_view_has(view, i) ||
						((view->below >> i & 1) && is_tall(context->screen));
}

void subscriptions_of_size(struct screen *screen)
{
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *context = &screen->contexts[p];
		const struct pane_view *view = context->pane->views ? &context->pane->views[context->view]
								    : NULL;

		for (unsigned i = 0; view && context->pane->tables[i].topic; i++)
			if (view->below >> i & 1)
				context->requested[i] = is_tall(screen);
	}
	subscriptions_update(screen);
}

void screen_request(struct pane_context *context, unsigned table, bool wanted)
{
	context->requested[table] = wanted;
	subscriptions_update(context->screen);
}
