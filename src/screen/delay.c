/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the next sample is due, and what it has: samples that have the tables of kept panes are compared with
 * those that do not: the difference is what the tables cost.
 */
#include <config.h>

#include "screen/delay.h"

#include <stdbool.h>

#include "core/i18n.h"

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

/* Two samples are never closer than that: rates of the tables sampled so far would be too coarse. */
void delay_skip(struct screen *screen)
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
