/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what departs from what is usual, and of what must not. */
#include "suite.h"

#include "model/explanation.h"

#define VALUES 300

static double values[VALUES];
static struct departure departure; /* that was judged last */

static enum departure_verdict judge(const double *of, size_t n, double least)
{
	return departure_judge(of, n, least, &departure);
}

/* Between -1 and 1, the same in every run. */
static double noise(unsigned i)
{
	uint64_t random = (i + 1) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

	random ^= random >> 33;
	random *= UINT64_C(0xff51afd7ed558ccd);
	return (double)(random >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

static void fill_noise(double mean, double size)
{
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = mean + size * noise(i);
}

START_TEST(a_step_up)
{
	fill_noise(10, 1);
	for (unsigned i = VALUES - 6; i < VALUES; i++)
		values[i] = 90;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_ROSE);
	ck_assert_double_eq(departure.now, 90);
	ck_assert_double_eq_tol(departure.usual, 10, 0.2);
	ck_assert_double_gt(departure.spread, 0.5);
	ck_assert_double_lt(departure.spread, 1);
	ck_assert_double_le(departure.extreme, 11);
	ck_assert_uint_eq(departure.n_since, 6);
	ck_assert_uint_eq(departure.n_usual, VALUES - 6);
	ck_assert_int_eq(judge(values, VALUES, 90), DEPARTURE_NONE); /* not worth it */
}

START_TEST(a_step_down)
{
	fill_noise(90, 1);
	values[VALUES - 1] = 3;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_FELL);
	ck_assert_double_ge(departure.extreme, 89);
	ck_assert_uint_eq(departure.n_since, 1);
}

START_TEST(noise_is_usual)
{
	fill_noise(50, 30);
	for (size_t n = DEPARTURE_SAMPLES_MIN + 1; n <= VALUES; n++)
		ck_assert_int_eq(judge(values, n, 1), DEPARTURE_NONE);
}

START_TEST(what_comes_again_and_again_is_usual)
{
	for (unsigned i = 4; i < VALUES; i += 5)
		values[i] = 100;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_NONE);
	for (unsigned i = 4; i < VALUES - 1; i += 5)
		values[i] = 0;
	values[3] = 100; /* once, long ago */
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_ROSE);
	ck_assert_double_eq(departure.extreme, 100);
}

START_TEST(a_steady_growth_is_usual)
{
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = 10 * i;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_NONE);
}

START_TEST(what_has_lasted_is_usual)
{
	for (unsigned i = VALUES / 3; i < VALUES; i++)
		values[i] = 80;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_NONE);
}

START_TEST(too_few_and_unknown)
{
	values[DEPARTURE_SAMPLES_MIN] = 80;
	ck_assert_int_eq(judge(values, DEPARTURE_SAMPLES_MIN + 1, 5), DEPARTURE_ROSE);
	ck_assert_int_eq(judge(values + 1, DEPARTURE_SAMPLES_MIN, 5), DEPARTURE_TOO_FEW);
	ck_assert_int_eq(judge(values + DEPARTURE_SAMPLES_MIN, 1, 5), DEPARTURE_TOO_FEW);
	ck_assert_int_eq(judge(values, 0, 5), DEPARTURE_UNKNOWN);
	values[4] = NAN; /* a counter that was reset */
	ck_assert_int_eq(judge(values, DEPARTURE_SAMPLES_MIN + 1, 5), DEPARTURE_TOO_FEW);
	values[DEPARTURE_SAMPLES_MIN] = NAN;
	ck_assert_int_eq(judge(values, DEPARTURE_SAMPLES_MIN + 1, 5), DEPARTURE_UNKNOWN);
	values[4] = 0;
	values[VALUES - 1] = 80;
	ck_assert_int_eq(judge(values, VALUES, 5), DEPARTURE_ROSE);
	ck_assert_uint_eq(departure.n_usual, VALUES - 2);
}

/* Twenty numbers with a spread that is known: 9, 10 and 11 in turn, and then one. */
static enum departure_verdict after_calm(double last, double least)
{
	for (unsigned i = 0; i < 21; i++)
		values[i] = 9 + i % 3;
	values[21] = last;
	return judge(values, 22, least);
}

START_TEST(its_edges)
{
	ck_assert_int_eq(after_calm(15.94, 1), DEPARTURE_ROSE); /* four spreads of 1.4826 */
	ck_assert_double_eq(departure.spread, 1.4826);
	ck_assert_double_eq(departure.usual, 10);
	ck_assert_double_eq(departure.extreme, 11);
	ck_assert_uint_eq(departure.n_usual, 21);
	ck_assert_uint_eq(departure.n_since, 1);
	ck_assert_int_eq(after_calm(15.9, 1), DEPARTURE_NONE);
	ck_assert_int_eq(after_calm(4.06, 1), DEPARTURE_FELL);
	ck_assert_double_eq(departure.extreme, 9);
	ck_assert_int_eq(after_calm(4.1, 1), DEPARTURE_NONE);
	ck_assert_int_eq(after_calm(20, 10.01), DEPARTURE_NONE); /* less than matters */
}

/* Two in a hundred as far away are rare, three are not; above and below what is usual. */
START_TEST(what_comes_twice_in_a_hundred_is_rare)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		enum departure_verdict departs = sign > 0 ? DEPARTURE_ROSE : DEPARTURE_FELL;

		for (unsigned i = 0; i < 102; i++)
			values[i] = 10;
		values[101] += 100 * sign;
		values[5] += 50 * sign;
		values[70] += 50 * sign;
		ck_assert_int_eq(judge(values, 102, 5), departs);
		values[40] += 50 * sign;
		ck_assert_int_eq(judge(values, 102, 5), DEPARTURE_NONE);
		values[40] -= sign;
		ck_assert_int_eq(judge(values, 102, 5), departs);
	}
}

/* It has lasted since it is at least half as far away. */
START_TEST(since_when)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		for (unsigned i = 0; i < 40; i++)
			values[i] = 10;
		values[36] += 49 * sign;
		values[37] += 50 * sign;
		values[38] += 120 * sign;
		values[39] += 100 * sign;
		ck_assert_int_eq(judge(values, 40, 5), sign > 0 ? DEPARTURE_ROSE : DEPARTURE_FELL);
		ck_assert_uint_eq(departure.n_since, 3);
		ck_assert_uint_eq(departure.n_usual, 37);
	}
}
