/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What findings remember: growth within a window, and since when a rule has held. */
#include "suite.h"

#include "model/finding_parts.h"

#define START 1000.0  /* seconds */
#define TRACES 2048    /* values */
#define SPELLS 256    /* times in which rules held */
#define BRIDGED 300.0 /* seconds */
#define WALL_NS UINT64_C(1700000000000000000) /* CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
#define WINDOW 32.0   /* seconds; points of it are two seconds apart */

static void begin(struct finding_past *past, double seconds)
{
	uint64_t ns = (uint64_t)((START + seconds) * 1e9);

	finding_past_begin(past, ns, ns + WALL_NS);
}

/* Of a gauge with this window. */
static double growth(struct finding_past *past, uint64_t identity, double seconds, double value)
{
	begin(past, seconds);
	return finding_past_growth(past, identity, value, &(struct finding_window){ WINDOW }).number;
}

/* "SECOND VALUE GROWTH, ...", one after the other; "nan" is unknown. */
static void check_growths(struct finding_past *past, uint64_t identity, const char *steps)
{
	for (const char *at = steps; at; at = strchr(at, ','), at += at != NULL) {
		double second, value, expected, grown;

		ck_assert_int_eq(sscanf(at, "%lf %lf %lf", &second, &value, &expected), 3);
		grown = growth(past, identity, second, value);
		ck_assert_msg(isnan(expected) ? isnan(grown) : grown == expected, "%g s: %g, not %g", second,
			      grown, expected);
	}
}

START_TEST(growth_is_that_of_the_window)
{
	struct finding_past past = { 0 };

	ck_assert(isnan(growth(&past, 7, 0, 0)));
	for (unsigned second = 2; second <= 392; second += 2)
		ck_assert_double_eq(growth(&past, 7, second, 10 * second),
				    second < WINDOW ? 10 * second : 10 * WINDOW);
	check_growths(&past, 7, "394 3940 320");
	finding_past_free(&past);
}

/*
 * Where frames are rare, one counts that is a fifth of the window too early, of two in one place of the grid
 * of points the first one; and the frame before, however long ago that was.
 */
START_TEST(the_start_of_a_window_may_be_missed_a_little)
{
	struct finding_past past = { 0 };

	check_growths(&past, 6, "0 0 nan, 1.9 19 19, 2 20 20, 3.9 39 39, 33.9 1000 981"); /* since 1.9 s */
	check_growths(&past, 7, "0 100 nan, 38.4 150 50");
	check_growths(&past, 8, "100 100 nan, 138.5 150 50");
	check_growths(&past, 9, "200 100 nan, 202 110 10, 236 150 40");
	finding_past_free(&past);
}

static double counted(struct finding_past *past, uint64_t identity, double seconds, double value,
		      bool from_zero)
{
	const struct finding_window window = { .seconds = WINDOW, .counter = true, .from_zero = from_zero };

	begin(past, seconds);
	return finding_past_growth(past, identity, value, &window).number;
}

START_TEST(a_counter_that_shrinks_starts_again)
{
	struct finding_past past = { 0 };

	ck_assert(isnan(counted(&past, 7, 0, 100, false)));
	ck_assert_double_eq(counted(&past, 7, 2, 100, false), 0);
	ck_assert(isnan(counted(&past, 7, 4, 40, false)));
	ck_assert_double_eq(counted(&past, 7, 6, 45, false), 5);
	check_growths(&past, 8, "8 100 nan, 10 40 -60, 12 nan nan, 14 50 -50"); /* a gauge may */
	finding_past_free(&past);
}

/* What was not there in the frame before had not counted anything. */
START_TEST(what_is_new_grew_from_zero)
{
	struct finding_past past = { 0 };

	ck_assert(isnan(counted(&past, 7, 0, 5, true))); /* there was no frame */
	ck_assert_double_eq(counted(&past, 8, 0, 0, true), 0);
	ck_assert_double_eq(counted(&past, 8, 2, 3, true), 3);
	ck_assert(isnan(counted(&past, 9, 2, 3, false)));
	ck_assert(isnan(counted(&past, 10, 2, NAN, true)));
	ck_assert_uint_eq(past.n_traces, 3);
	ck_assert(isnan(counted(&past, 11, 1, 3, true))); /* back: no frame is known before it */
	finding_past_free(&past);
}

static double held_for(struct finding_past *past, uint64_t identity, unsigned rule)
{
	const struct finding_spell *spell = finding_past_hold(past, identity, rule);

	ck_assert_uint_eq(spell->begin_wall_ns, spell->begin_ns + WALL_NS);
	return (double)(past->now_ns - spell->begin_ns) / 1e9;
}

static double since(struct finding_past *past, uint64_t identity, double seconds)
{
	begin(past, seconds);
	return held_for(past, identity, 1);
}

START_TEST(a_short_gap_is_bridged)
{
	struct finding_past past = { 0 };

	ck_assert_double_eq(since(&past, 7, 0), 0);
	ck_assert_double_eq(since(&past, 7, 5), 5);
	ck_assert_double_eq(since(&past, 8, 6), 0); /* of another row */
	ck_assert_double_eq(since(&past, 7, 5 + BRIDGED), 5 + BRIDGED);
	ck_assert_double_eq(since(&past, 7, 5 + 2 * BRIDGED + 1e-7), 0);
	ck_assert_uint_eq(past.n_spells, 3);
	finding_past_free(&past);
}

START_TEST(what_was_judged_and_did_not_hold_has_ended)
{
	struct finding_past past = { 0 };

	since(&past, 7, 0);
	finding_past_end(&past, 1); /* it holds in this frame */
	begin(&past, 1);
	held_for(&past, 8, 2);
	finding_past_end(&past, 2); /* this is of another rule */
	ck_assert_double_eq(since(&past, 7, 2), 2);
	begin(&past, 3);
	finding_past_end(&past, 1);
	ck_assert_double_eq(since(&past, 7, 4), 0);
	finding_past_free(&past);
}

/* What was seen longest ago is forgotten. */
START_TEST(what_is_kept_has_a_bound)
{
	struct finding_past past = { 0 };

	for (uint64_t identity = 0; identity < TRACES; identity++)
		growth(&past, identity, 0, 10);
	for (uint64_t identity = 0; identity < TRACES; identity++)
		if (identity != 1)
			growth(&past, identity, 2, 20);
	ck_assert(isnan(growth(&past, TRACES, 4, 10)));
	for (uint64_t identity = 0; identity <= TRACES; identity++)
		if (identity != 1)
			ck_assert_double_eq(growth(&past, identity, 6, 30), 20);
	ck_assert(isnan(growth(&past, 1, 6, 30)));
	for (uint64_t identity = 0; identity <= SPELLS; identity++)
		since(&past, identity, 10);
	for (uint64_t identity = 1; identity <= SPELLS; identity++)
		ck_assert_double_eq(since(&past, identity, 12), 2);
	ck_assert_double_eq(since(&past, 0, 12), 0);
	ck_assert(past.n_traces == TRACES && past.n_spells == SPELLS);
	finding_past_free(&past);
}
