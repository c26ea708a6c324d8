/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares samples that have the tables with those that do not: the difference is what the tables cost. */
#include <config.h>

#include "screen/kept_pace.h"

#include <stdbool.h>

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
