/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The moments of several recordings: none of their samples is passed over, and none comes twice. */
#include "suite.h"

#include "fleet/fleet.h"

#define MEMBERS 3
#define SAMPLES 40 /* of each */

/* The last sample of a member at or before a time; 0: none. */
static uint64_t last_before(const struct axis_sample *samples, size_t n, unsigned member, uint64_t wall_ns)
{
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].member == member && samples[i].wall_ns <= wall_ns && samples[i].wall_ns > last)
			last = samples[i].wall_ns;
	return last;
}

START_TEST(each_sample_is_the_last_of_its_member_at_some_moment)
{
	struct axis_sample samples[MEMBERS * SAMPLES];
	struct axis axis = { 0 };
	size_t n = 0;

	srandom(1);
	for (unsigned m = 0; m < MEMBERS; m++)
		for (uint64_t i = 0, wall_ns = 1000; i < SAMPLES; i++)
			samples[n++] =
				(struct axis_sample){ wall_ns += (m + 1) * 50 + (uint64_t)random() % 100, m };
	axis_make(&axis, samples, n, MEMBERS);
	for (size_t i = 1; i < axis.n_moments; i++)
		ck_assert_uint_gt(axis.moments[i], axis.moments[i - 1]);
	for (unsigned m = 0; m < MEMBERS; m++) {
		uint64_t before = 0, shown = 0;

		for (size_t i = 0; i < axis.n_moments; i++) {
			uint64_t last = last_before(samples, n, m, axis.moments[i]);

			shown += last != before;
			before = last;
		}
		ck_assert_uint_eq(shown, SAMPLES);
	}
	axis_free(&axis);
}

START_TEST(samples_of_one_time_share_a_moment)
{
	struct axis_sample samples[] = { { 10, 0 }, { 20, 0 }, { 10, 1 }, { 20, 1 } };
	struct axis axis = { 0 };

	axis_make(&axis, samples, 4, 2);
	ck_assert_uint_eq(axis.n_moments, 2);
	ck_assert_uint_eq(axis.moments[0], 10);
	ck_assert_uint_eq(axis.moments[1], 20);
	axis_free(&axis);
}

START_TEST(a_time_is_the_moment_at_or_before_it)
{
	struct axis axis = { 0 };

	axis_add(&axis, 10);
	axis_add(&axis, 20);
	ck_assert_uint_eq(axis_find(&axis, 5), 0);
	ck_assert_uint_eq(axis_find(&axis, 10), 0);
	ck_assert_uint_eq(axis_find(&axis, 19), 0);
	ck_assert_uint_eq(axis_find(&axis, 20), 1);
	ck_assert_uint_eq(axis_find(&axis, 1000), 1);
	axis_free(&axis);
}

START_TEST(a_clock_that_was_set_back_does_not_turn_the_moments_around)
{
	struct axis axis = { 0 };

	axis_add(&axis, 100);
	axis_add(&axis, 50);
	ck_assert_uint_eq(axis.moments[1], 101);
	axis_free(&axis);
}

START_TEST(the_older_half_goes)
{
	struct axis axis = { 0 };
	size_t n_gone = 0;

	for (uint64_t i = 1; n_gone == 0; i++)
		n_gone = axis_add(&axis, i);
	ck_assert_uint_eq(n_gone, AXIS_MOMENTS_MAX / 2);
	ck_assert_uint_eq(axis.n_moments, AXIS_MOMENTS_MAX / 2 + 1);
	ck_assert_uint_eq(axis.moments[0], AXIS_MOMENTS_MAX / 2 + 1);
	ck_assert_uint_eq(axis.moments[axis.n_moments - 1], AXIS_MOMENTS_MAX + 1);
	axis_free(&axis);
}
