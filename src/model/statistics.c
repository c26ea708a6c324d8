/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics in one pass without cancellation (Welford). */
#include <config.h>

#include "model/statistics.h"

#include <math.h>

#define OVERLAP_MIN 8
#define SAME 1e-9
#define ROUNDING 1e-9
#define LAG_VALUES_MAX 512 /* limit for the fast search of lags */

void statistics_add(struct statistics *statistics, double value, double weight)
{
	double distance = value - statistics->mean;

	if (!isfinite(value) || !isfinite(weight) || !(weight > 0))
		return;
	if (statistics->count == 0)
		statistics->minimum = statistics->maximum = value;
	statistics->count++;
	statistics->weight += weight;
	statistics->mean += distance * weight / statistics->weight;
	statistics->squares += weight * distance * (value - statistics->mean);
	statistics->minimum = fmin(statistics->minimum, value);
	statistics->maximum = fmax(statistics->maximum, value);
	if (value > 0)
		statistics->logarithms += weight * log(value);
	else
		statistics->not_positive++;
}

double statistics_mean(const struct statistics *statistics)
{
	return statistics->count > 0 ? statistics->mean : NAN;
}

double statistics_deviation(const struct statistics *statistics)
{
	return statistics->count > 0 ? sqrt(fmax(0, statistics->squares / statistics->weight)) : NAN;
}

double statistics_minimum(const struct statistics *statistics)
{
	return statistics->count > 0 ? statistics->minimum : NAN;
}

double statistics_maximum(const struct statistics *statistics)
{
	return statistics->count > 0 ? statistics->maximum : NAN;
}

double statistics_geometric_mean(const struct statistics *statistics)
{
	if (statistics->count == 0 || statistics->not_positive > 0)
		return NAN;
	return exp(statistics->logarithms / statistics->weight);
}

void regression_add(struct regression *regression, double x, double y)
{
	double from_x = x - regression->mean_x, from_y = y - regression->mean_y;

	if (!isfinite(x) || !isfinite(y))
		return;
	regression->count++;
	regression->mean_x += from_x / (double)regression->count;
	regression->mean_y += from_y / (double)regression->count;
	regression->squares_x += from_x * (x - regression->mean_x);
	regression->squares_y += from_y * (y - regression->mean_y);
	regression->products += from_x * (y - regression->mean_y);
}

double regression_slope(const struct regression *regression)
{
	return regression->count >= 2 && regression->squares_x > 0
		       ? regression->products / regression->squares_x
		       : NAN;
}

double regression_intercept(const struct regression *regression)
{
	return regression->mean_y - regression_slope(regression) * regression->mean_x;
}

double regression_r_squared(const struct regression *regression)
{
	double explained = regression->products * regression_slope(regression);

	if (isnan(explained))
		return NAN;
	return regression->squares_y > 0 ? fmin(1, explained / regression->squares_y) : 0;
}

double regression_correlation(const struct regression *regression)
{
	double both = sqrt(regression->squares_x) * sqrt(regression->squares_y);

	return regression->count >= 2 && both > 0 ? fmax(-1, fmin(1, regression->products / both)) : NAN;
}

/* Two series without unknown values, as distances from their means, so that sums stay exact. */
struct pair {
	double x[LAG_VALUES_MAX], y[LAG_VALUES_MAX];
	size_t count;
};

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* False when a value is unknown, or when there are too many. */
static bool make_pair(struct pair *pair, const double *x, const double *y, size_t count)
{
	double mean_x, mean_y;

	if (count == 0 || count > LAG_VALUES_MAX)
		return false;
	mean_x = mean_of(x, count);
	mean_y = mean_of(y, count);
	if (!isfinite(mean_x) || !isfinite(mean_y))
		return false;
	for (size_t i = 0; i < count; i++) {
		pair->x[i] = x[i] - mean_x;
		pair->y[i] = y[i] - mean_y;
	}
	pair->count = count;
	return true;
}

/* A sum of squares reduced to its own mean; 0 when only rounding is left. */
static double about_mean(double squares, double sum, double n)
{
	double left = squares - sum * sum / n;

	return left > squares * ROUNDING ? left : 0;
}

/* The correlation of the first overlap values of x and y, in one pass without branches. */
static double whole_correlation(const double *x, const double *y, size_t overlap)
{
	double sum_x = 0, sum_y = 0, squares_x = 0, squares_y = 0, products = 0, n = (double)overlap, both;

	for (size_t i = 0; i < overlap; i++) {
		sum_x += x[i];
		sum_y += y[i];
		squares_x += x[i] * x[i];
		squares_y += y[i] * y[i];
		products += x[i] * y[i];
	}
	both = sqrt(about_mean(squares_x, sum_x, n)) * sqrt(about_mean(squares_y, sum_y, n));
	return both > 0 ? fmax(-1, fmin(1, (products - sum_x * sum_y / n) / both)) : NAN;
}

/* The same where some values are unknown. */
static double known_correlation(const double *x, const double *y, size_t overlap)
{
	struct regression pairs = { 0 };

	for (size_t i = 0; i < overlap; i++)
		regression_add(&pairs, x[i], y[i]);
	return pairs.count >= OVERLAP_MIN ? regression_correlation(&pairs) : NAN;
}

/* The correlation of x with y this many steps later. */
static double correlation_at(const double *x, const double *y, size_t count, long steps, bool whole)
{
	size_t from_x = steps < 0 ? (size_t)-steps : 0, from_y = steps > 0 ? (size_t)steps : 0;
	size_t overlap = count - from_x - from_y;

	if (overlap < OVERLAP_MIN)
		return NAN;
	return whole ? whole_correlation(x + from_x, y + from_y, overlap)
		     : known_correlation(x + from_x, y + from_y, overlap);
}

/* Leading values of which one is unknown, as at the beginning of a run. */
static size_t unknown_head(const double *x, const double *y, size_t count)
{
	size_t head = 0;

	while (head < count && (!isfinite(x[head]) || !isfinite(y[head])))
		head++;
	return head;
}

struct lag lag_find(const double *x, const double *y, size_t count, size_t most)
{
	struct lag best = { .correlation = NAN };
	size_t head = unknown_head(x, y, count);
	struct pair pair;
	bool whole = make_pair(&pair, x + head, y + head, count - head);
	const double *from_x = whole ? pair.x : x + head, *from_y = whole ? pair.y : y + head;
	long limit = (long)(most < (count - head) / 2 ? most : (count - head) / 2);

	for (long size = 0; size <= limit; size++) {
		for (int sign = size > 0 ? -1 : 1; sign <= 1; sign += 2) {
			double found = correlation_at(from_x, from_y, count - head, sign * size, whole);

			if (isnan(found) || fabs(found) <= fabs(best.correlation) + SAME)
				continue;
			best = (struct lag){ .steps = sign * size, .correlation = found };
		}
	}
	return best;
}

static double round_width(double least)
{
	double power = pow(10, floor(log10(least)));

	if (least <= power)
		return power;
	return least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

/* Wide enough for the buckets of the smallest and the largest value. */
static double choose_width(double lowest, double highest, unsigned most)
{
	double width =
		round_width(fmax(highest - lowest, fmax(fabs(highest), fabs(lowest)) * 1e-6 + 1e-9) / most);

	while (floor(highest / width) - floor(lowest / width) + 1 > most)
		width = round_width(width * 1.5);
	return width;
}

void buckets_fill(struct buckets *histogram, const double *values, size_t count, unsigned most)
{
	struct statistics all = { 0 };

	for (size_t i = 0; i < count; i++)
		statistics_add(&all, values[i], 1);
	histogram->n_buckets = 0;
	if (all.count == 0 || most < 2)
		return;
	histogram->width = choose_width(all.minimum, all.maximum, most);
	histogram->first = floor(all.minimum / histogram->width) * histogram->width;
	histogram->n_buckets =
		(unsigned)(floor(all.maximum / histogram->width) - floor(all.minimum / histogram->width)) + 1;
	for (unsigned i = 0; i < histogram->n_buckets; i++)
		histogram->counts[i] = 0;
	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			histogram->counts[(unsigned)(floor(values[i] / histogram->width) -
						     floor(all.minimum / histogram->width))]++;
}

double cpu_busy_ratio(double idle, double iowait)
{
	double busy = 1 - idle - fmax(0, iowait);

	return busy < 0 ? 0 : busy;
}
