/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the topics and columns that panes, logs, scope and findings want. Samples that have the tables of
 * kept panes are compared with those that do not: the difference is what the tables cost.
 */
#include <config.h>

#include "screen/subscriptions.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/host.h"
#include "model/scope.h"
#include "screen/past/player.h"

#define FIRST_SAMPLES 3 /* files are opened in the first ones: the cheapest of them counts */
#define SMOOTHED 4
#define LATE_NS 50000000 /* by which a sample may come too early to be the one that is due */
#define MEASURE_NS UINT64_C(20000000000) /* a sample without the tables is this old at most, if it matters */

static void add_cost(struct kept_cost *cost, uint64_t ns)
{
	double more = (double)ns - (double)cost->ns;

	if (cost->n_samples == 0 || (cost->n_samples < FIRST_SAMPLES && ns < cost->ns))
		cost->ns = ns;
	else if (cost->n_samples >= FIRST_SAMPLES)
		cost->ns = (uint64_t)((double)cost->ns + more / SMOOTHED);
	cost->n_samples++;
}

/* From one pair to the next. Until a sample without the tables was taken, they cost all there is. */
static double period_ns(const struct kept_pace *pace)
{
	double extra_ns = pace->with.ns > pace->without.ns ? (double)(pace->with.ns - pace->without.ns) : 0;
	double period = 2 * extra_ns / KEPT_SHARE;

	return period < KEPT_PERIOD_SECONDS * 1e9 ? period : KEPT_PERIOD_SECONDS * 1e9;
}

/* In each sample for long: do the tables still cost as little as when there last was one without them? */
static bool must_measure(const struct kept_pace *pace, uint64_t now_ns, uint64_t delay_ns)
{
	return (double)pace->with.ns > KEPT_SHARE * (double)delay_ns &&
	       now_ns - pace->rest_ns >= MEASURE_NS &&
	       3 * (double)delay_ns < KEPT_PERIOD_SECONDS * 1e9; /* the gap that it makes */
}

static enum kept_turn choose(const struct kept_pace *pace, uint64_t now_ns, uint64_t delay_ns)
{
	double since_ns = (double)(now_ns - pace->rates_ns) + (double)delay_ns; /* until the next rates */

	if (pace->n_with == 1)
		return KEPT_RATES;
	if (pace->rates_ns > 0 && since_ns + LATE_NS < period_ns(pace))
		return KEPT_REST;
	if (pace->n_with == 0)
		return KEPT_FIRST;
	return must_measure(pace, now_ns, delay_ns) ? KEPT_REST : KEPT_RATES;
}

enum kept_turn kept_pace_next(struct kept_pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t delay_ns)
{
	if (pace->cpu_ns > 0)
		add_cost(pace->turn == KEPT_REST ? &pace->without : &pace->with, cpu_ns - pace->cpu_ns);
	pace->turn = choose(pace, now_ns, delay_ns);
	pace->cpu_ns = cpu_ns;
	pace->n_with = pace->turn == KEPT_REST ? 0 : pace->n_with + 1;
	if (pace->turn == KEPT_REST)
		pace->rest_ns = now_ns;
	else if (pace->turn == KEPT_RATES)
		pace->rates_ns = now_ns;
	return pace->turn;
}

#define AT_ONCE_NS UINT64_C(1000000)
#define KEYS_APART_NS UINT64_C(100000000) /* samples that keys request, while one is held down … */
#define KEYS_SHARE 10                     /* … and of the time they may take at most this part */

void delay_set(struct screen *screen, double seconds)
{
	screen->delay_seconds = seconds;
	screen->rate_limit = (struct rate_limit){ 0 };
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].delay_seconds = seconds;
	if (screen->n_soon == 0)
		loop_set_tick(&screen->loop, (uint64_t)(seconds * 1e9));
}

/* The next samples come as soon as the last one is that old, if that is sooner than the delay. */
static void sample_soon(struct screen *screen, unsigned n_samples, uint64_t apart_ns)
{
	uint64_t last_ns = screen->frames[screen->latest].mono_ns, now_ns = screen_mono_ns(screen);
	uint64_t age_ns = now_ns > last_ns ? now_ns - last_ns : 0;

	if (screen->delay_seconds * 1e9 <= (double)apart_ns)
		return;
	screen->n_soon = n_samples;
	loop_set_tick(&screen->loop, age_ns < apart_ns ? apart_ns - age_ns : AT_ONCE_NS);
}

/*
 * Takes the next two samples without waiting for the delay. They are never closer than that: rates of the
 * tables sampled so far would be too coarse.
 */
static void delay_skip(struct screen *screen)
{
	screen->rate_limit = (struct rate_limit){ 0 };
	sample_soon(screen, 2, DELAY_WARM_UP_NS);
}

void screen_sample_now(struct pane_context *context)
{
	struct screen *screen = context->screen;
	uint64_t apart_ns = KEYS_SHARE * screen->rate_limit.cost_ns;

	if (!screen_is_live(screen) || screen->frozen || screen->latest < 0 || screen->n_soon > 0)
		return;
	sample_soon(screen, 1, apart_ns > KEYS_APART_NS ? apart_ns : KEYS_APART_NS);
}

void delay_go_on(struct screen *screen)
{
	uint64_t limit_ns = screen->rate_limit.delay_ns;

	loop_set_tick(&screen->loop, limit_ns > 0 ? limit_ns : (uint64_t)(screen->delay_seconds * 1e9));
}

/* Samples that cost more than a tenth of the time, drawing included, are taken less often, with a message. */
void delay_keep_pace(struct screen *screen, uint64_t cost_ns)
{
	bool changed;
	uint64_t delay_ns = rate_limit_delay(&screen->rate_limit, cost_ns,
					     (uint64_t)(screen->delay_seconds * 1e9), &changed);

	if (!changed)
		return;
	loop_set_tick(&screen->loop, delay_ns);
	if ((double)delay_ns <= screen->delay_seconds * 1e9)
		return;
	screen_warn(screen, MESSAGE_SCREEN,
		    _("a sample takes %.3g s of CPU time; sampling every %.3g s instead of %.3g s"),
		    (double)screen->rate_limit.cost_ns / 1e9, (double)delay_ns / 1e9, screen->delay_seconds);
}

#define KEPT_SECONDS_MIN 1.0 /* between samples */

static void want_topic(const struct screen_setup *setup, bool *wanted, const char *topic)
{
	schema_want(setup->schemas, setup->n_schemas, topic, wanted);
}

/* A table of a recording costs next to nothing, unless it takes a query to a server. */
static bool reads_all(const struct screen *screen)
{
	return !screen_is_live(screen) && screen->setup->source->near_frames == 0;
}

/*
 * Are tables of a pane that is not shown sampled for the past? From the second sample on: the first screen
 * does not wait for them; and not where samples follow each other so closely that they would cost too much.
 * Of a recording findings are marked whatever is shown.
 */
static bool keeps_tables(const struct screen *screen)
{
	return reads_all(screen) ||
	       (screen_is_live(screen) && screen->latest >= 0 && screen->delay_seconds >= KEPT_SECONDS_MIN);
}

/* kept: also for the past. Of a recording the first sample says which pane it can show. */
static bool is_wanted(const struct pane_context *context, unsigned index, bool kept)
{
	const struct screen *screen = context->screen;
	const struct pane_table *table = &context->pane->tables[index];

	if (table->on_request)
		return context->requested[index];
	return (context == screen_context(screen) || (context->pane->kept && kept) ||
		(reads_all(screen) && screen->latest < 0)) &&
	       (!table->lazy || context->requested[index]) &&
	       (!table->scoped || scope_is_set(context->request->scope));
}

static void collect_wanted(const struct screen *screen, bool kept, bool *wanted)
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
			if (is_wanted(context, i, kept))
				want_topic(setup, wanted, context->pane->tables[i].topic);
	}
	if (setup->rules)
		setup->rules->want(setup->rules->state, wanted);
	scope_use_want(setup->request, setup->schemas, setup->n_schemas, wanted);
	host_want(setup->schemas, setup->n_schemas, wanted);
	findings_want(setup->finding_rules, setup->n_finding_rules, setup->schemas, setup->n_schemas,
		      reads_all(screen), wanted);
}

/* True if columns are wanted that were not before. */
static bool request_columns(struct screen *screen, bool kept)
{
	const struct screen_setup *setup = screen->setup;
	struct sample_request *request = setup->request;
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

			if (!is_wanted(context, i, kept))
				continue;
			request->all_groups |= schema_is_of_groups(view->schema);
			sample_request_add(request, view->schema, columns);
			any_new |= sample_request_add(&before, view->schema, columns);
		}
	}
	if (screen->wanted) {
		scope_use_request(request, setup->schemas, setup->n_schemas, screen->wanted);
		findings_request(setup->finding_rules, setup->n_finding_rules, setup->schemas,
				 setup->n_schemas, screen->wanted, request);
	}
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

/* Is it wanted by more than the past now, and was it not in the latest sample? */
static bool is_missed(const struct screen *screen, const bool *only_kept, unsigned index)
{
	return screen->only_kept && screen->only_kept[index] && !only_kept[index] && screen->latest >= 0 &&
	       !screen->frames[screen->latest].tables[index].present;
}

static void take_only_kept(struct screen *screen, bool *only_kept)
{
	unsigned n_schemas = screen->setup->n_schemas;

	if (!screen->only_kept || memcmp(only_kept, screen->only_kept, n_schemas * sizeof(*only_kept)) != 0)
		screen->kept_pace = (struct kept_pace){ 0 };
	free(screen->only_kept);
	screen->only_kept = only_kept;
}

/* Lets the source sample what is wanted now. Is something that was not before? */
static bool take_wanted(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted, *only_kept, any_new = false;

	if (!setup->source->want)
		return false;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	only_kept = alloc_zeroed(setup->n_schemas, sizeof(*only_kept));
	collect_wanted(screen, screen->keeps_tables, wanted);
	collect_wanted(screen, false, only_kept);
	for (unsigned i = 0; i < setup->n_schemas; i++)
		only_kept[i] = wanted[i] && !only_kept[i];
	for (unsigned i = 0; screen->wanted && i < setup->n_schemas; i++)
		any_new |= wanted[i] && (!screen->wanted[i] || is_missed(screen, only_kept, i));
	free(screen->wanted);
	screen->wanted = wanted;
	take_only_kept(screen, only_kept);
	any_new |= request_columns(screen, false);
	setup->source->want(setup->source->state, wanted);
	return any_new;
}

static bool has_only_kept(const struct screen *screen)
{
	for (unsigned i = 0; screen->only_kept && i < screen->setup->n_schemas; i++)
		if (screen->only_kept[i])
			return true;
	return false;
}

/* What is derived of other tables, as findings are, needs their rates. */
static void rest(struct screen *screen, enum kept_turn turn)
{
	const struct screen_setup *setup = screen->setup;

	for (unsigned i = 0; i < setup->n_schemas; i++) {
		bool rests = turn == KEPT_REST || (turn == KEPT_FIRST && setup->schemas[i]->derived);

		screen->resting[i] = rests && screen->only_kept && screen->only_kept[i];
		screen->has_rested[i] |= screen->resting[i];
	}
	setup->request->resting = screen->resting;
}

void subscriptions_follow(struct screen *screen)
{
	bool keeps = keeps_tables(screen);
	enum kept_turn turn = KEPT_RATES;

	if (keeps != screen->keeps_tables) {
		screen->keeps_tables = keeps;
		take_wanted(screen);
	}
	if (screen_is_live(screen) && has_only_kept(screen))
		turn = kept_pace_next(&screen->kept_pace, screen_mono_ns(screen),
				      clock_self_cpu_ns(screen->setup->clock),
				      (uint64_t)(screen->delay_seconds * 1e9));
	rest(screen, turn);
	request_columns(screen, keeps && turn != KEPT_REST);
}

bool subscriptions_lack_resting(const struct screen *screen)
{
	const struct frame *frame = screen_frame(screen);

	if (!frame || !screen_context(screen)->pane->kept)
		return false;
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		if (screen->has_rested[i] && !frame->tables[i].present)
			return true;
	return false;
}

void subscriptions_show_again(struct screen *screen)
{
	if (screen_recording(screen))
		screen->player->show(screen, screen->player->index(screen));
	else if (screen->latest >= 0)
		delay_skip(screen);
}

void subscriptions_update(struct screen *screen)
{
	bool any_new = take_wanted(screen);

	if (screen->latest < 0 || screen->shown < 0 || screen->sample_follows)
		return;
	if (screen->frozen && subscriptions_lack_resting(screen) && screen->player->open(screen, false))
		screen->player->show(screen, screen->player->index(screen));
	if (!any_new)
		return;
	if (screen_is_live(screen))
		delay_skip(screen);
	else if (lacks_wanted(screen))
		subscriptions_show_again(screen);
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
			context->requested[i] = (context->requested[i] && pane->tables[i].on_request) ||
						pane_view_has(view, i) ||
						((view->below >> i & 1) && is_tall(context->screen));
}

void subscriptions_of_size(struct screen *screen)
{
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *context = &screen->contexts[p];
		const struct pane_view *view =
			context->pane->views ? &context->pane->views[context->view] : NULL;

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

void subscriptions_return(struct screen *screen, const struct source *source, size_t index)
{
	subscriptions_only(screen, source, NULL);
	source_read(source, index, &screen->frames[SCREEN_PAST_BASE]);
}
