/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What findings remember: growth within a window, and since when a rule has held. */
#include <config.h>

#include <math.h>

#include "model/finding_past.h"
#include "suite.h"

#define START 1000.0  /* seconds */
#define POINTS 32     /* that are kept of a value */
#define TRACES 512    /* values */
#define SPELLS 256    /* times in which rules held */
#define BRIDGED 300.0 /* seconds */
#define WINDOW 32.0   /* seconds; points of it are two seconds apart */

static void begin(struct finding_past *past, double seconds)
{
	finding_past_begin(past, (uint64_t)((START + seconds) * 1e9));
}

/* Of a gauge with this window. */
static double growth(struct finding_past *past, uint64_t identity, double seconds, double value)
{
	begin(past, seconds);
	return finding_past_growth(past, identity, value, WINDOW, false, false);
}

START_TEST(growth_is_that_of_the_window)
{
	struct finding_past past = { 0 };

	ck_assert(isnan(growth(&past, 7, 0, 0)));
	for (unsigned second = 2; second <= 200; second += 2)
		ck_assert_double_eq(growth(&past, 7, second, 10 * second),
				    second < WINDOW ? 10 * second : 10 * WINDOW);
	finding_past_free(&past);
}

/* One that goes back finds the points of another window, and no more than that. */
START_TEST(two_windows_are_kept)
{
	struct finding_past past = { 0 };

	for (unsigned second = 0; second <= 200; second += 2)
		growth(&past, 7, second, 10 * second);
	ck_assert_double_eq(growth(&past, 7, 170, 1700), 320);
	ck_assert_double_eq(growth(&past, 7, 168, 1680), 300); /* the oldest is that of 138 */
	ck_assert_double_eq(growth(&past, 7, 140, 1400), 20);
	ck_assert(isnan(growth(&past, 7, 138, 1380)));
	ck_assert_double_eq(growth(&past, 7, 202, 2020), 320); /* and nothing was added there */
	finding_past_free(&past);
}

/* Points are half a window / 16 apart at least. */
START_TEST(points_are_not_taken_more_often)
{
	struct finding_past past = { 0 };

	growth(&past, 7, 0, 0);
	growth(&past, 7, 1.9, 19);
	growth(&past, 7, 2, 20);
	growth(&past, 7, 3.9, 39);
	ck_assert_double_eq(growth(&past, 7, 33.9, 1000), 980); /* since 2 s; there is none of 1.9 s */
	finding_past_free(&past);
}

/* Where frames are rare, one counts that is a fifth of the window too early. */
START_TEST(the_start_of_a_window_may_be_missed_a_little)
{
	struct finding_past past = { 0 };

	growth(&past, 7, 0, 100);
	ck_assert_double_eq(growth(&past, 7, 38.4, 150), 50);
	growth(&past, 8, 100, 100);
	ck_assert(isnan(growth(&past, 8, 138.5, 150)));
	growth(&past, 9, 200, 100);
	growth(&past, 9, 202, 110);
	ck_assert_double_eq(growth(&past, 9, 236, 150), 40); /* the later one of both */
	finding_past_free(&past);
}

START_TEST(a_counter_that_shrinks_starts_again)
{
	struct finding_past past = { 0 };

	begin(&past, 0);
	finding_past_growth(&past, 7, 100, WINDOW, true, false);
	begin(&past, 2);
	ck_assert_double_eq(finding_past_growth(&past, 7, 100, WINDOW, true, false), 0);
	begin(&past, 4);
	ck_assert(isnan(finding_past_growth(&past, 7, 40, WINDOW, true, false)));
	begin(&past, 6);
	ck_assert_double_eq(finding_past_growth(&past, 7, 45, WINDOW, true, false), 5);
	ck_assert(isnan(growth(&past, 8, 8, 100)));
	ck_assert_double_eq(growth(&past, 8, 10, 40), -60); /* a gauge may */
	ck_assert(isnan(growth(&past, 8, 12, NAN)));
	ck_assert_double_eq(growth(&past, 8, 14, 50), -50);
	finding_past_free(&past);
}

/* What was not there in the frame before had not counted anything. */
START_TEST(what_is_new_grew_from_zero)
{
	struct finding_past past = { 0 };

	begin(&past, 0);
	ck_assert(isnan(finding_past_growth(&past, 7, 5, WINDOW, true, true))); /* there was no frame */
	ck_assert_double_eq(finding_past_growth(&past, 8, 0, WINDOW, true, true), 0);
	begin(&past, 2);
	ck_assert_double_eq(finding_past_growth(&past, 8, 3, WINDOW, true, true), 3);
	ck_assert(isnan(finding_past_growth(&past, 9, 3, WINDOW, true, false)));
	ck_assert(isnan(finding_past_growth(&past, 10, NAN, WINDOW, true, true)));
	ck_assert_uint_eq(past.n_traces, 3);
	begin(&past, 1); /* back: no frame is known before it */
	ck_assert(isnan(finding_past_growth(&past, 11, 3, WINDOW, true, true)));
	finding_past_free(&past);
}

START_TEST(the_value_seen_longest_ago_is_forgotten)
{
	struct finding_past past = { 0 };

	for (uint64_t identity = 0; identity < TRACES; identity++)
		growth(&past, identity, 0, 10);
	for (uint64_t identity = 0; identity < TRACES; identity++)
		if (identity != 1)
			growth(&past, identity, 2, 20);
	ck_assert(isnan(growth(&past, TRACES, 4, 10)));
	ck_assert_uint_eq(past.n_traces, TRACES);
	for (uint64_t identity = 0; identity < TRACES; identity++)
		if (identity != 1)
			ck_assert_double_eq(growth(&past, identity, 6, 30), 20);
	ck_assert_double_eq(growth(&past, TRACES, 6, 30), 20);
	ck_assert(isnan(growth(&past, 1, 6, 30)));
	finding_past_free(&past);
}

static double since(struct finding_past *past, uint64_t identity, double seconds)
{
	begin(past, seconds);
	return finding_past_since(past, identity, 1);
}

START_TEST(a_short_gap_is_bridged)
{
	struct finding_past past = { 0 };

	ck_assert_double_eq(since(&past, 7, 0), 0);
	ck_assert_double_eq(since(&past, 7, 5), 5);
	ck_assert_double_eq(since(&past, 8, 6), 0); /* of another row */
	ck_assert_double_eq(since(&past, 7, 5 + BRIDGED), 5 + BRIDGED);
	ck_assert_double_eq(since(&past, 7, 5 + 2 * BRIDGED + 1e-7), 0);
	ck_assert_double_eq(since(&past, 7, 4), 4); /* back in the first one */
	ck_assert_double_eq(since(&past, 7, 0), 0);
	ck_assert_uint_eq(past.n_spells, 3);
	finding_past_free(&past);
}

START_TEST(what_was_judged_and_did_not_hold_has_ended)
{
	struct finding_past past = { 0 };

	since(&past, 7, 0);
	finding_past_end(&past, 1); /* it holds in this frame */
	begin(&past, 1);
	finding_past_since(&past, 8, 2);
	finding_past_end(&past, 2); /* this is of another rule */
	ck_assert_double_eq(since(&past, 7, 2), 2);
	begin(&past, 3);
	finding_past_end(&past, 1);
	ck_assert_double_eq(since(&past, 7, 4), 0);
	ck_assert_double_eq(since(&past, 7, 2), 2); /* its last moment */
	ck_assert_double_eq(since(&past, 7, 3), 0);
	finding_past_free(&past);
}

START_TEST(the_newest_spells_are_kept)
{
	struct finding_past past = { 0 };

	for (uint64_t identity = 0; identity <= SPELLS; identity++)
		since(&past, identity, 0);
	ck_assert_uint_eq(past.n_spells, SPELLS);
	for (uint64_t identity = 1; identity <= SPELLS; identity++)
		ck_assert_double_eq(since(&past, identity, 2), 2);
	ck_assert_double_eq(since(&past, 0, 2), 0);
	finding_past_free(&past);
}

/* A frame that comes again is judged by what was known when it came first. */
START_TEST(the_live_past_counts_first)
{
	struct finding_past live = { 0 }, again = { .live = &live };

	for (unsigned second = 0; second <= 40; second += 2)
		growth(&live, 7, second, 10 * second);
	ck_assert_double_eq(growth(&again, 7, 40, 400), 320);
	ck_assert(isnan(growth(&again, 8, 40, 400)));
	ck_assert_double_eq(growth(&again, 8, 42, 410), 10); /* live does not know it */
	for (unsigned second = 42; second <= 62; second += 2)
		growth(&live, 7, second, 10 * second);
	ck_assert_double_eq(growth(&again, 7, 50, 500), 320);
	growth(&live, 7, 64, 640);
	ck_assert_double_eq(growth(&again, 7, 34, 340), 320); /* the window begins with the oldest point */
	ck_assert(isnan(growth(&again, 7, 33, 330)));         /* it began before that */
	since(&live, 7, 50);
	ck_assert_double_eq(since(&again, 7, 60), 10);
	finding_past_empty(&again);
	ck_assert(again.n_traces == 0 && again.n_spells == 0 && again.now_ns == 0 && again.before_ns == 0);
	finding_past_free(&again);
	finding_past_free(&live);
}
