/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of statistics: against definitions written out, and properties that hold whatever the numbers are. */
#include "suite.h"

#include "model/statistics.h"

#define N 200

static uint64_t seed;

/* The same numbers in every run: between 0 and 1. */
static double random_share(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / 0x1p53;
}

START_TEST(nothing_is_known_of_no_value)
{
	struct statistics none = { 0 };

	statistics_add(&none, NAN, 1);
	statistics_add(&none, INFINITY, 1);
	statistics_add(&none, 5, 0);
	statistics_add(&none, 5, NAN);
	statistics_add(&none, 5, -1);
	statistics_add(&none, 5, INFINITY);
	ck_assert(isnan(statistics_mean(&none)) && isnan(statistics_deviation(&none)));
	ck_assert(isnan(statistics_minimum(&none)) && isnan(statistics_maximum(&none)));
	ck_assert(isnan(statistics_geometric_mean(&none)));
}

/* The mean, the deviation, the least and the largest, and the geometric mean. */
static void check_statistics(const struct statistics *of, double mean, double deviation, double least,
			     double largest, double geometric)
{
	ck_assert_double_eq_tol(statistics_mean(of), mean, 1e-12);
	ck_assert_double_eq_tol(statistics_deviation(of), deviation, 1e-12);
	ck_assert(statistics_minimum(of) == least && statistics_maximum(of) == largest);
	if (isnan(geometric))
		ck_assert(isnan(statistics_geometric_mean(of)));
	else
		ck_assert_double_eq_tol(statistics_geometric_mean(of), geometric, 1e-12);
}

START_TEST(weights_are_as_many_equal_values)
{
	static const double values[] = { 3, 7.5, 7.5, 7.5, 1, 1 };
	struct statistics weighted = { 0 }, single = { 0 }, below = { 0 }, one = { 0 };

	for (unsigned i = 0; i < 6; i++)
		statistics_add(&single, values[i], 1);
	statistics_add(&weighted, 3, 1);
	statistics_add(&weighted, 7.5, 3);
	statistics_add(&weighted, 1, 2);
	check_statistics(&weighted, 27.5 / 6, statistics_deviation(&single), 1, 7.5,
			 pow(3 * 7.5 * 7.5 * 7.5, 1.0 / 6));
	ck_assert_double_eq_tol(statistics_mean(&single), 27.5 / 6, 1e-12);
	statistics_add(&weighted, 0, 1);
	ck_assert(isnan(statistics_geometric_mean(&weighted)));
	statistics_add(&below, -3, 1);
	statistics_add(&below, -5, 3);
	check_statistics(&below, -4.5, sqrt(0.75), -5, -3, NAN);
	statistics_add(&one, 4, 0.5);
	check_statistics(&one, 4, 0, 4, 4, 4);
}

/* Against two passes over the same numbers, also where they are large and their spread is small. */
START_TEST(one_pass_is_as_good_as_two)
{
	for (unsigned round = 0; round < 100; round++) {
		double offset = round % 2 ? 1e9 : 0, mean = 0, squares = 0, values[N];
		struct statistics statistics = { 0 };

		for (unsigned i = 0; i < N; i++) {
			values[i] = offset + random_share();
			mean += values[i] / N;
			statistics_add(&statistics, values[i], 1);
		}
		for (unsigned i = 0; i < N; i++)
			squares += (values[i] - mean) * (values[i] - mean);
		ck_assert_double_eq_tol(statistics_mean(&statistics), mean, 1e-4); /* two passes lose more */
		ck_assert_double_eq_tol(statistics_deviation(&statistics), sqrt(squares / N), 1e-5);
		ck_assert_double_ge(statistics_mean(&statistics), statistics_minimum(&statistics));
		ck_assert_double_le(statistics_mean(&statistics), statistics_maximum(&statistics));
		if (offset == 0)
			ck_assert_double_le(statistics_geometric_mean(&statistics),
					    statistics_mean(&statistics));
	}
}

START_TEST(lines_are_found_again)
{
	for (unsigned round = 0; round < 100; round++) {
		double slope = 20 * random_share() - 10, intercept = 100 * random_share() - 50;
		struct regression exact = { 0 }, noisy = { 0 };

		for (unsigned i = 0; i < N; i++) {
			double x = 100 * random_share(), y = intercept + slope * x;

			regression_add(&exact, x, y);
			regression_add(&noisy, x, y + 0.01 * (random_share() - 0.5));
		}
		ck_assert_double_eq_tol(regression_slope(&exact), slope, 1e-9);
		ck_assert_double_eq_tol(regression_intercept(&exact), intercept, 1e-6);
		ck_assert_double_eq_tol(regression_r_squared(&exact), 1, 1e-9);
		ck_assert_double_eq_tol(fabs(regression_correlation(&exact)), 1, 1e-9);
		ck_assert_double_eq_tol(regression_slope(&noisy), slope, 1e-3);
		ck_assert_double_le(regression_r_squared(&noisy), 1);
	}
}

static void check_line(const struct regression *of, double slope, double intercept, double r_squared)
{
	ck_assert_double_eq_tol(regression_slope(of), slope, 1e-9);
	ck_assert_double_eq_tol(regression_intercept(of), intercept, 1e-9);
	ck_assert_double_eq_tol(regression_r_squared(of), r_squared, 1e-9);
	ck_assert_double_eq_tol(regression_correlation(of), slope < 0 ? -sqrt(r_squared) : sqrt(r_squared),
				1e-9);
}

START_TEST(two_points_are_a_line)
{
	struct regression falling = { 0 }, steep = { 0 }, small = { 0 };

	regression_add(&steep, 0, 0);
	regression_add(&steep, 0.1, 1);
	check_line(&steep, 10, 0, 1);
	regression_add(&falling, 1, 10);
	ck_assert(isnan(regression_correlation(&falling)) && isnan(regression_intercept(&falling)));
	regression_add(&falling, 3, 4);
	check_line(&falling, -3, 13, 1);
	regression_add(&falling, 2, 10); /* 7 on the line, from a mean of 8 */
	check_line(&falling, -3, 14, 0.75);
	for (unsigned i = 0; i < 10; i++)
		regression_add(&small, i, 0.001 * i);
	check_line(&small, 0.001, 0, 1);
}

START_TEST(points_that_tell_no_line)
{
	struct regression one = { 0 }, upright = { 0 }, flat = { 0 };

	regression_add(&one, 1, 2);
	regression_add(&one, NAN, 3);
	regression_add(&one, 3, INFINITY);
	ck_assert(isnan(regression_slope(&one)) && isnan(regression_r_squared(&one)));
	for (unsigned i = 0; i < 5; i++) {
		regression_add(&upright, 7, i);
		regression_add(&flat, i, 7);
	}
	ck_assert(isnan(regression_slope(&upright)) && isnan(regression_correlation(&upright)));
	ck_assert_double_eq(regression_slope(&flat), 0);
	ck_assert_double_eq(regression_r_squared(&flat), 0);
	ck_assert(isnan(regression_correlation(&flat)));
}

/* R squared of noise with known share: y = x + noise of the same variance gives a half. */
START_TEST(a_poor_fit_is_told)
{
	struct regression half = { 0 }, none = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		double x = random_share();

		regression_add(&half, x, x + random_share());
		regression_add(&none, x, random_share());
	}
	ck_assert_double_eq_tol(regression_r_squared(&half), 0.5, 0.02);
	ck_assert_double_le(regression_r_squared(&none), 0.01);
}

START_TEST(lags_are_found_again)
{
	double x[N], y[N];

	for (long lag = -30; lag <= 30; lag += 3) {
		struct lag found;

		for (long i = 0; i < N; i++)
			x[i] = random_share();
		for (long i = 0; i < N; i++)
			y[i] = i - lag >= 0 && i - lag < N ? 5 - 2 * x[i - lag] : NAN;
		found = lag_find(x, y, N, 40);
		ck_assert_int_eq(found.steps, lag);
		ck_assert_double_eq_tol(found.correlation, -1, 1e-9);
		found = lag_find(y, x, N, 40); /* the other way round */
		ck_assert_int_eq(found.steps, -lag);
	}
}

START_TEST(lags_that_cannot_be_known)
{
	double x[N], still[N];

	for (unsigned i = 0; i < N; i++) {
		x[i] = random_share();
		still[i] = 2.6e9 + 0.1;
	}
	for (size_t count = 20; count <= N; count += 7) { /* whatever rounding makes of its mean */
		ck_assert(isnan(lag_find(x, still, count, 20).correlation));
		ck_assert(isnan(lag_find(still, x, count, 20).correlation));
	}
	ck_assert(isnan(lag_find(x, x, 4, 2).correlation) && isnan(lag_find(x, x, 0, 2).correlation));
	ck_assert(lag_find(x, x, N, 20).steps == 0 && lag_find(x, x, 12, 1000).steps == 0);
}

/* Beyond 512 values in another way, with the same result. */
START_TEST(lags_of_many_values)
{
	static double x[1000], y[1000];

	for (size_t i = 0; i < 1000; i++)
		x[i] = random_share();
	for (size_t i = 0; i < 1000; i++)
		y[i] = i >= 7 ? 1 - x[i - 7] : 0;
	for (size_t count = 511; count <= 1000; count += count < 515 ? 1 : 485) {
		struct lag found = lag_find(x + 7, y + 7, count < 993 ? count : 993, 20);

		ck_assert_int_eq(found.steps, 7);
		ck_assert_double_eq_tol(found.correlation, -1, 1e-9);
	}
}

START_TEST(widths_of_buckets_are_round)
{
	static const struct {
		double values[2];
		unsigned most;
		double first, width;
		unsigned n_buckets;
	} cases[] = {
		{ { 0, 4.5 }, 5, 0, 1, 5 },
		{ { 0, 5 }, 5, 0, 2, 3 },
		{ { 0, 9.5 }, 5, 0, 2, 5 },
		{ { 0, 10 }, 5, 0, 5, 3 },
		{ { 0, 24.5 }, 5, 0, 5, 5 },
		{ { 0, 26 }, 5, 0, 10, 3 },
		{ { -5, 4 }, 10, -5, 1, 10 },
		{ { -0.5, 0.5 }, 2, -1, 1, 2 },
		{ { 3, 4 }, 1, NAN, NAN, 0 }, /* one is too few */
		{ { NAN, INFINITY }, 5, NAN, NAN, 0 },
	};
	uint64_t counts[16];
	struct buckets histogram = { .counts = counts };

	for (size_t i = 0; i < LENGTH(cases); i++) {
		buckets_fill(&histogram, cases[i].values, 2, cases[i].most);
		ck_assert_msg(histogram.n_buckets == cases[i].n_buckets, "%zu", i);
		if (cases[i].n_buckets == 0)
			continue;
		ck_assert_double_eq_tol(histogram.first, cases[i].first, 1e-9);
		ck_assert_double_eq_tol(histogram.width, cases[i].width, 1e-9);
	}
	buckets_fill(&histogram, (const double[]){ 1, 0, 2, 2.5, NAN, 1.999 }, 6, 3);
	ck_assert_uint_eq(histogram.n_buckets, 3);
	ck_assert(counts[0] == 1 && counts[1] == 2 && counts[2] == 2);
}

/* The narrowest of 1, 2 or 5 times a power of ten with which they are not too many. */
static void check_width(const struct buckets *histogram, double lowest, double highest, unsigned most)
{
	double power = pow(10, floor(log10(histogram->width) + 1e-9)), times = histogram->width / power;
	double narrower = histogram->width / (times > 4.5 ? 2.5 : 2);

	ck_assert_msg(fabs(times - 1) < 1e-9 || fabs(times - 2) < 1e-9 || fabs(times - 5) < 1e-9, "%g",
		      histogram->width);
	ck_assert(histogram->first <= lowest && histogram->first > lowest - histogram->width * (1 + 1e-9));
	if (highest - lowest > 1e-5 * fmax(fabs(lowest), fabs(highest)))
		ck_assert_double_gt(floor(highest / narrower) - floor(lowest / narrower) + 1, most);
}

START_TEST(histograms_count_every_value_once)
{
	uint64_t counts[12];
	struct buckets histogram = { .counts = counts };
	double values[N];

	for (unsigned round = 0; round < 300; round++) {
		double scale = pow(10, (double)(round % 12) - 4),
		       offset = round % 3 ? 1000 * random_share() : 0, lowest = INFINITY, highest = -INFINITY;
		unsigned most = 2 + round % 11;
		uint64_t sum = 0;

		for (unsigned i = 0; i < N; i++)
			values[i] = i % 10 ? offset + scale * (random_share() - 0.3) : NAN;
		for (unsigned i = 0; i < N; i++) {
			lowest = fmin(lowest, values[i]);
			highest = fmax(highest, values[i]);
		}
		buckets_fill(&histogram, values, N, most);
		ck_assert_uint_ge(histogram.n_buckets, 1);
		ck_assert_uint_le(histogram.n_buckets, most);
		for (unsigned i = 0; i < histogram.n_buckets; i++)
			sum += counts[i];
		ck_assert_uint_eq(sum, N - N / 10);
		ck_assert(counts[0] > 0 && counts[histogram.n_buckets - 1] > 0);
		check_width(&histogram, lowest, highest, most);
	}
	values[0] = values[1] = 7.97;
	buckets_fill(&histogram, values, 2, 10);
	ck_assert(histogram.n_buckets == 1 && counts[0] == 2);
}
