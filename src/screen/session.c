/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the panes see: frames as they come, their tables and histories, and what the source is asked for. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/derive.h"
#include "screen/state.h"

#define HISTORY_SAMPLES 3600

struct pane_context *screen_context(struct screen *screen)
{
	return &screen->contexts[screen->current];
}

struct table_widget *screen_table(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);

	return &context->tables[context->focus];
}

const struct frame *screen_frame(const struct screen *screen)
{
	return screen->shown < 0 ? NULL : &screen->frames[screen->shown];
}

const struct table *context_table(const struct pane_context *context, unsigned index)
{
	const char *topic = context->pane->tables[index].topic;
	const struct event_log *log = logs_find(context->screen, topic);

	if (log)
		return log->shown.present ? &log->shown : NULL;
	return context->frame ? frame_table(context->frame, topic) : NULL;
}

void context_draw_table(struct pane_context *context, const struct canvas *canvas, unsigned index)
{
	table_draw(&context->tables[index], canvas, context_table(context, index), context->unit);
}

double context_step_seconds(const struct pane_context *context)
{
	return context->frame->interval_ns > 0 ? (double)context->frame->interval_ns / 1e9
					       : context->delay_seconds;
}

static void want_topic(const struct screen_setup *setup, bool *wanted, const char *topic)
{
	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, topic) == 0)
			wanted[i] = true;
}

static void collect_wanted(const struct screen *screen, bool *wanted)
{
	const struct screen_setup *setup = screen->setup;

	for (unsigned i = 0; setup->headline_topics[i]; i++)
		want_topic(setup, wanted, setup->headline_topics[i]);
	for (unsigned i = 0; i < setup->n_schemas; i++)
		wanted[i] |= screen->logs[i].shown.present; /* a log that was begun gets no holes */
	for (unsigned p = 0; p < setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; i < context->pane->n_series; i++)
			want_topic(setup, wanted, context->pane->series[i].topic);
		for (unsigned i = 0; p == screen->current && context->pane->tables[i].topic; i++)
			if (!context->pane->tables[i].on_request || context->requested[i])
				want_topic(setup, wanted, context->pane->tables[i].topic);
	}
}

void screen_want(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted, any_new = false;

	if (!setup->source->want)
		return;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	collect_wanted(screen, wanted);
	for (unsigned i = 0; screen->wanted && i < setup->n_schemas; i++)
		any_new |= wanted[i] && !screen->wanted[i];
	free(screen->wanted);
	screen->wanted = wanted;
	setup->source->want(setup->source->state, wanted);
	if (any_new && screen->latest >= 0)
		screen_hasten(screen);
}

void screen_request(struct pane_context *context, unsigned table, bool wanted)
{
	context->requested[table] = wanted;
	screen_want(context->screen);
}

bool screen_replays(const struct pane_context *context)
{
	return context->screen->setup->source->seek != NULL;
}

void screen_restart(struct pane_context *context, const char *topic)
{
	const struct source *source = context->screen->setup->source;

	if (source->restart)
		source->restart(source->state, topic);
}

void screen_show(struct screen *screen, int index)
{
	screen->shown = index;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].frame = &screen->frames[index];
}

/* A frame that is neither shown nor needed to derive the next one's rates. */
static int spare_frame(const struct screen *screen)
{
	for (int i = 0; i < SCREEN_FRAMES; i++)
		if (i != screen->latest && i != screen->shown)
			return i;
	return 0;
}

/* The history of a hidden pane does not get denser because the one that is shown prefers a short delay. */
static bool is_due(const struct pane_context *context, const struct frame *frame)
{
	const struct history *history = &context->history;
	const struct screen *screen = context->screen;
	uint64_t last_ns = history->count > 0 ? history_time(history, history->count - 1) : 0;

	return context == screen_context(context->screen) ||
	       (screen->delay_seconds >= screen->usual_seconds && screen->n_soon == 0) ||
	       frame->mono_ns < last_ns ||
	       (double)(frame->mono_ns - last_ns) / 1e9 >= screen->usual_seconds - screen->delay_seconds / 2;
}

static void take_frame(struct pane_context *context, const struct frame *frame)
{
	if (is_due(context, frame))
		history_add(&context->history, frame);
	if (context->pane->sampled)
		context->pane->sampled(context, frame);
}

int screen_sample(struct screen *screen)
{
	const struct source *source = screen->setup->source;
	struct pane_context *context = screen_context(screen);
	int index = spare_frame(screen), got;
	struct frame *frame = &screen->frames[index];

	frame_clear(frame);
	if (context->pane->sampling)
		context->pane->sampling(context);
	got = source->next(source->state, frame);
	if (got != 1)
		return got;
	frame_derive(frame, screen->latest < 0 ? NULL : &screen->frames[screen->latest]);
	screen->latest = index;
	logs_add(screen, frame);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		take_frame(&screen->contexts[p], frame);
	if (!screen->frozen || screen->shown < 0)
		screen_show(screen, index);
	return 1;
}

void screen_freeze(struct screen *screen, bool frozen)
{
	screen->frozen = frozen;
	logs_freeze(screen, frozen);
	if (!frozen && screen->latest >= 0)
		screen_show(screen, screen->latest);
}

void screen_choose_pane(struct screen *screen, unsigned index)
{
	if (index >= screen->setup->n_panes)
		return;
	if (index != screen->current && !screen->message_of_all)
		screen->message_until_ns = 0;
	screen->current = index;
	screen_want(screen);
	screen_follow_delay(screen);
}

void screen_open(struct pane_context *context, const char *pane, const char *setting, const char *value)
{
	struct screen *screen = context->screen;

	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (strcmp(screen->setup->panes[i]->name, pane) != 0)
			continue;
		settings_set(screen->setup->settings, setting, value);
		screen_choose_pane(screen, i);
		if (screen->setup->panes[i]->entered)
			screen->setup->panes[i]->entered(screen_context(screen));
	}
}

bool context_owns(const struct pane_context *context, unsigned index)
{
	const struct screen_setup *setup = context->screen->setup;
	const char *topic = context->pane->tables[index].topic;

	for (unsigned p = 0; setup->panes[p] != context->pane; p++)
		for (const struct pane_table *table = setup->panes[p]->tables; table->topic; table++)
			if (strcmp(table->topic, topic) == 0)
				return false;
	return true;
}

static void adjust(const struct pane_context *context, struct view *view)
{
	view_clear_choices(view);
	view_choose_tree(view, NULL, NULL);
	if (context->pane->adjust)
		context->pane->adjust(context->settings, view);
}

void screen_adjust(struct pane_context *context)
{
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		adjust(context, &context->tables[i].view);
}

void screen_set(struct pane_context *context, const char *name, const char *value, const char *said)
{
	char setting[128];

	snprintf(setting, sizeof(setting), "%s.%s", context->pane->name, name);
	settings_set(context->settings, setting, value);
	screen_adjust(context);
	screen_say(context->screen, "%s", said);
}

void context_dress(const struct pane_context *context, unsigned index, struct view *view)
{
	const struct pane_table *table = &context->pane->tables[index];

	view_apply_defaults(view, table->columns, table->sort);
	adjust(context, view);
}

/* The newest notice about a table that is empty. */
static const struct notice *why_empty(const struct pane_context *context, unsigned index)
{
	const struct table *table = context_table(context, index);

	if (!table || table->n_rows > 0)
		return NULL;
	for (unsigned i = context->frame->n_notices; i-- > 0;)
		if (strcmp(context->frame->notices[i].topic, table->schema->name) == 0)
			return &context->frame->notices[i];
	return NULL;
}

/* Why a table is not in the shown frame. */
static const char *why_absent(const struct screen *screen)
{
	if (screen->frozen)
		return _("not in the frozen sample; Space goes on");
	return screen->setup->source->seek ? _("not sampled here") : _("not sampled yet");
}

void screen_update(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);

	context->unit = screen->unit;
	for (unsigned i = 0; context->pane->tables[i].topic; i++) {
		table_update(&context->tables[i], context_table(context, i));
		context->tables[i].why = why_empty(context, i);
		context->tables[i].absent = why_absent(screen);
	}
}

static void open_table(struct pane_context *context, unsigned index)
{
	const struct screen_setup *setup = context->screen->setup;
	const struct pane_table *table = &context->pane->tables[index];
	struct table_widget *widget = &context->tables[index];
	const char *unknown, *columns, *sort;
	char name[128];

	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, table->topic) == 0)
			table_open(widget, setup->schemas[i]);
	context_dress(context, index, &widget->view);
	widget->view.limit = setup->limit;
	if (!context_owns(context, index))
		return;
	snprintf(name, sizeof(name), "%s.columns", table->topic);
	columns = settings_get(setup->settings, name);
	if (columns && view_choose_columns(&widget->view, columns, &unknown) == 0)
		adjust(context, &widget->view);
	snprintf(name, sizeof(name), "%s.sort", table->topic);
	sort = settings_get(setup->settings, name);
	if (sort)
		view_choose_sort(&widget->view, sort); /* one that the schema lacks changes nothing */
}

static void open_context(struct screen *screen, unsigned index)
{
	struct pane_context *context = &screen->contexts[index];
	const struct pane *pane = screen->setup->panes[index];
	unsigned n_tables = 0;

	while (pane->tables[n_tables].topic)
		n_tables++;
	*context = (struct pane_context){ .pane = pane, .screen = screen, .unit = screen->unit };
	context->settings = screen->setup->settings;
	context->state = alloc_zeroed(1, pane->state_size);
	context->tables = alloc_zeroed(n_tables, sizeof(*context->tables));
	context->requested = alloc_zeroed(n_tables, sizeof(*context->requested));
	history_open(&context->history, pane->series, pane->n_series, pane->n_series ? HISTORY_SAMPLES : 1);
	for (unsigned i = 0; i < n_tables; i++)
		open_table(context, i);
	if (pane->open)
		pane->open(context);
}

static void close_context(struct pane_context *context)
{
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		table_close(&context->tables[i]);
	free(context->tables);
	free(context->requested);
	if (context->pane->close)
		context->pane->close(context->state);
	free(context->state);
	history_close(&context->history);
}

/* --filter, --sort and --columns: run_plan_open() has refused those that would fail here. */
static void apply_options(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	struct table_widget *widget = &screen->contexts[setup->first_pane].tables[0];
	const char *unknown;

	if (setup->columns)
		view_choose_columns(&widget->view, setup->columns, &unknown);
	if (setup->sort)
		view_choose_sort(&widget->view, setup->sort);
	for (unsigned i = 0; setup->filter && screen->contexts[setup->first_pane].pane->tables[i].topic; i++)
		table_set_filter(&screen->contexts[setup->first_pane].tables[i], setup->filter);
}

bool context_is_sampled(const struct pane_context *context)
{
	return context->frame && context->pane->tables[0].topic &&
	       frame_table(context->frame, context->pane->tables[0].topic) != NULL;
}

void contexts_open(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	logs_open(screen);
	screen->contexts = alloc_zeroed(setup->n_panes, sizeof(*screen->contexts));
	for (unsigned i = 0; i < setup->n_panes; i++)
		open_context(screen, i);
	for (int i = 0; i < SCREEN_FRAMES; i++)
		frame_open(&screen->frames[i], setup->schemas, setup->n_schemas);
	apply_options(screen);
	screen_choose_pane(screen, setup->first_pane);
}

void contexts_close(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		close_context(&screen->contexts[i]);
	free(screen->contexts);
	free(screen->wanted);
	logs_close(screen);
	for (int i = 0; i < SCREEN_FRAMES; i++)
		frame_close(&screen->frames[i]);
}
