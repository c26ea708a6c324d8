/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a spare frame, samples into it, and gives it to findings, histories, logs and views. */
#include <config.h>

#include "screen/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "screen/navigation.h"
#include "screen/pane_tables.h"
#include "screen/subscriptions.h"

#define HISTORY_SAMPLES 3600
#define EARLIER_SAMPLES 300

double context_step_seconds(const struct pane_context *context)
{
	return context->frame->interval_ns > 0 ? (double)context->frame->interval_ns / 1e9
					       : context->delay_seconds;
}

bool screen_replays(const struct pane_context *context)
{
	return !screen_is_live(context->screen) || context->screen->in_past;
}

bool screen_is_of_recording(const struct pane_context *context)
{
	return !screen_is_live(context->screen);
}

static void act_done(void *state, int error)
{
	struct screen *screen = state;
	struct pending pending = screen->pending;

	screen->pending = (struct pending){ 0 };
	if (pending.done)
		pending.done(pending.context, error);
	screen->changed = true;
}

int screen_act(struct pane_context *context, const char *topic, const char *action,
	       void (*done)(struct pane_context *context, int error), const char **remedy)
{
	struct screen *screen = context->screen;
	const struct source *source = screen->setup->source;
	int error;

	*remedy = NULL;
	if (!source->act)
		return -ENOTSUP;
	if (screen->pending.done)
		return -EBUSY;
	screen->pending = (struct pending){ .context = context, .done = done };
	error = source->act(source->state, topic, action, done ? act_done : NULL, screen, remedy);
	if (error)
		screen->pending = (struct pending){ 0 };
	return error;
}

void screen_restart(struct pane_context *context, const char *topic)
{
	const struct source *source = context->screen->setup->source;

	if (source->restart)
		source->restart(source->state, topic);
}

void session_show(struct screen *screen, int index)
{
	screen->shown = index;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].frame = &screen->frames[index];
}

/* A frame that is neither shown nor the base of the next one's rates. */
static int spare_frame(const struct screen *screen)
{
	for (int i = 0; i < SCREEN_FRAMES; i++)
		if (i != screen->latest && i != screen->shown)
			return i;
	return 0;
}

/* The history of a hidden pane does not get denser when the shown pane requests samples. */
static bool is_due(const struct pane_context *context, const struct frame *frame)
{
	const struct history *history = &context->history;
	const struct screen *screen = context->screen;
	uint64_t last_ns = history->count > 0 ? history_time(history, history->count - 1) : 0;

	return context == screen_context(context->screen) || screen->n_soon == 0 ||
	       sleep_of_frame(frame).slept_ns > 0 || frame->mono_ns < last_ns ||
	       (double)(frame->mono_ns - last_ns) / 1e9 >= screen->delay_seconds / 2;
}

void session_prepare(struct screen *screen, const struct frame *frame)
{
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		if (screen->setup->panes[p]->prepare)
			screen->setup->panes[p]->prepare(&screen->contexts[p], frame);
}

/* Does the user look for a text? It may be in a command line that was not shown yet. */
static bool looks_for_text(const struct screen *screen)
{
	const struct pane_context *context = &screen->contexts[screen->current];
	bool filtered = false;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		filtered |= context->tables[i].has_filter;
	return filtered || screen->search.length > 1;
}

/* The key @ offers the control group of the process under the cursor. */
static void note_selected(struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[context->focus];
	const struct column *pid = schema_find(widget->view.schema, "pid"), *cell;
	const void *row = pid && widget->place.cursor_on ? table_cell(widget, &cell) : NULL;

	context_request(context)->group_pid =
		row && row_is_known(row, pid) ? (uint32_t)row_number(row, pid) : 0;
}

static void keep(void *state, const struct frame *frame)
{
	struct screen *screen = state;
	const char *why = screen->setup->past->keep(screen->setup->past->state, frame);

	if (why)
		screen_warn(screen, MESSAGE_SCREEN, "%s: %s", _("the past"), why);
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].present && !screen->kept_from_ns[i])
			screen->kept_from_ns[i] = frame->wall_ns;
}

/* Then what rules judge was sampled, too. */
static bool has_all_findings(const struct frame *frame)
{
	const struct table *table = frame_table(frame, finding_schema.name);

	return table && !table->partial;
}

static int sample(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);
	int index = spare_frame(screen), got;
	struct frame *frame = &screen->frames[index];

	if (screen_is_live(screen) && screen->shown >= 0)
		note_selected(context);
	context_request(context)->all_commands = looks_for_text(screen);
	subscriptions_follow(screen);
	if (context->pane->sampling) {
		screen->sample_follows = true;
		context->pane->sampling(context);
		screen->sample_follows = false;
	}
	got = pipeline_next(&screen->pipeline, frame,
			    screen->latest < 0 ? NULL : &screen->frames[screen->latest]);
	if (got != 1)
		return got;
	marks_take(&screen->marks, frame);
	if (!screen_is_live(screen) || has_all_findings(frame))
		findings_note_lack(screen->pipeline.findings, frame);
	pane_notice_scope(context->pane, context->request->scope, frame);
	session_prepare(screen, frame);
	screen->latest = index;
	event_logs_add(&screen->logs, frame);
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *of = &screen->contexts[p];

		if (is_due(of, frame))
			history_add(&of->history, frame);
		if (of->pane->sampled)
			of->pane->sampled(of, frame);
	}
	if (!screen->frozen || screen->shown < 0)
		session_show(screen, index);
	return 1;
}

void session_show_earlier(struct screen *screen, bool earlier)
{
	if (screen->shows_earlier == earlier)
		return;
	screen->shows_earlier = earlier;
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *context = &screen->contexts[p];
		struct history shown = context->other_history;

		context->other_history = context->history;
		context->history = shown;
	}
}

/* With the series that those of the screen have by now, in their order. */
void session_clear_earlier(struct screen *screen)
{
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *context = &screen->contexts[p];
		struct history *earlier = &context->other_history;
		const struct history *own = &context->history;

		if (screen->shows_earlier) {
			earlier = &context->history;
			own = &context->other_history;
		}
		history_close(earlier);
		history_open(earlier, own->series, own->n_series, EARLIER_SAMPLES);
	}
}

/* What is sampled goes into the histories of the screen, whatever is shown. */
int session_sample(struct screen *screen)
{
	bool earlier = screen->shows_earlier;
	int got;

	session_show_earlier(screen, false);
	got = sample(screen);
	session_show_earlier(screen, earlier);
	return got;
}

void session_freeze(struct screen *screen, bool frozen)
{
	screen->frozen = frozen;
	event_logs_freeze(&screen->logs, frozen);
	if (!frozen && screen->latest >= 0)
		session_show(screen, screen->latest);
}

static void open_context(struct screen *screen, unsigned index)
{
	struct pane_context *context = &screen->contexts[index];
	const struct pane *pane = screen->setup->panes[index];
	unsigned n_tables = 0;

	while (pane->tables[n_tables].topic)
		n_tables++;
	*context = (struct pane_context){
		.pane = pane, .screen = screen, .unit = screen->unit, .came_from = -1
	};
	context->settings = screen->setup->settings;
	context->findings = screen->pipeline.findings;
	context->request = screen->setup->request;
	context->state = alloc_zeroed(1, pane->state_size);
	context->tables = alloc_zeroed(n_tables, sizeof(*context->tables));
	context->requested = alloc_zeroed(n_tables, sizeof(*context->requested));
	history_open(&context->history, pane->series, pane->n_series, pane->n_series ? HISTORY_SAMPLES : 1);
	for (unsigned i = 0; i < n_tables; i++)
		pane_table_open(context, i);
	if (pane->views) {
		context->focus = pane->views[0].table;
		subscriptions_of_view(context);
	}
	if (pane->wants)
		pane->wants(context->settings, context_request(context));
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
		context->pane->close(context_state(context));
	free(context_state(context));
	history_close(&context->history);
	history_close(&context->other_history);
}

/*
 * --filter for all tables, --sort and --columns for those of the first topic that have no settings of their
 * own: run_plan_open() has rejected invalid ones.
 */
static void apply_options(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	const struct pane_context *context = &screen->contexts[setup->first_pane];
	const struct pane_table *tables = context->pane->tables;

	for (unsigned i = 0; tables[i].topic; i++) {
		struct table_widget *widget = &context->tables[i];
		bool first = strcmp(tables[i].topic, tables[0].topic) == 0 && !tables[i].setting;
		const char *unknown;

		if (setup->columns && first)
			view_choose_columns(&widget->view, setup->columns, &unknown);
		if (setup->sort && first)
			view_choose_sort(&widget->view, setup->sort);
		if (setup->filter)
			table_set_filter(widget, setup->filter);
	}
}

/* The user named this pane: nothing is left to ask. */
static void request_tables(struct pane_context *context)
{
	const struct pane_table *tables = context->pane->tables;

	for (unsigned i = 0; tables[i].topic; i++)
		context->requested[i] |= tables[i].on_request && !tables[i].lazy;
}

/* Live members of the scope are in it in the past, too. */
static void open_pipelines(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	screen->pipeline = (struct pipeline){
		.source = setup->source,
		.scope = setup->request->scope,
		.findings = findings_open(setup->finding_rules, setup->n_finding_rules, setup->settings),
		.judges_all = true,
		.judge = setup->rules ? setup->rules->take : NULL,
		.judge_state = setup->rules ? setup->rules->state : NULL,
		.keep = setup->past ? keep : NULL,
		.keep_state = screen,
	};
	screen->past_pipeline = (struct pipeline){
		.source = &screen->past_source,
		.scope = setup->request->scope,
		.scope_is_live = true,
		.has_findings = true,
		.findings = findings_open(setup->finding_rules, setup->n_finding_rules, setup->settings),
	};
	findings_keep(screen->past_pipeline.findings);
	if (!screen_is_live(screen) && setup->source->near_frames == 0)
		findings_keep(screen->pipeline.findings);
}

void session_open(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	event_logs_open(&screen->logs, setup->schemas, setup->n_schemas);
	screen->trends.position = SIZE_MAX;
	screen->kept_from_ns = alloc_zeroed(setup->n_schemas, sizeof(*screen->kept_from_ns));
	screen->resting = alloc_zeroed(setup->n_schemas, sizeof(*screen->resting));
	screen->has_rested = alloc_zeroed(setup->n_schemas, sizeof(*screen->has_rested));
	open_pipelines(screen);
	screen->contexts = alloc_zeroed(setup->n_panes, sizeof(*screen->contexts));
	for (unsigned i = 0; i < setup->n_panes; i++)
		open_context(screen, i);
	for (int i = 0; i < SCREEN_ALL_FRAMES; i++)
		frame_open(&screen->frames[i], setup->schemas, setup->n_schemas);
	apply_options(screen);
	if (setup->first_asked_for)
		request_tables(&screen->contexts[setup->first_pane]);
	navigation_choose_pane(screen, setup->first_pane);
}

void session_close(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		close_context(&screen->contexts[i]);
	free(screen->contexts);
	free(screen->wanted);
	free(screen->only_kept);
	screen->setup->request->resting = NULL;
	free(screen->resting);
	free(screen->has_rested);
	free(screen->kept_from_ns);
	event_logs_close(&screen->logs);
	marked_close(screen);
	findings_close(screen->pipeline.findings);
	findings_close(screen->past_pipeline.findings);
	for (int i = 0; i < SCREEN_ALL_FRAMES; i++)
		frame_close(&screen->frames[i]);
}
