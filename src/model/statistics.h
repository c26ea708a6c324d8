/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of a stream of numbers and of pairs: means, deviation, regression, correlation. */
#ifndef PANETOP_MODEL_STATISTICS_H
#define PANETOP_MODEL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: no value yet. Each value has a weight, such as its duration in seconds. */
struct statistics {
	uint64_t count;
	double weight;         /* sum of all weights */
	double mean, squares;  /* squares: weighted sum of squared distances from the mean */
	double logarithms;     /* weighted sum, of values above 0 */
	uint64_t not_positive; /* values without a logarithm */
	double minimum, maximum;
};

/* Ignores a value that is not finite and a weight that is not above 0. */
void statistics_add(struct statistics *statistics, double value, double weight);

/* NaN without a value. */
double statistics_mean(const struct statistics *statistics);
double statistics_deviation(const struct statistics *statistics); /* of all values, not the estimate from a
								   * sample */
double statistics_minimum(const struct statistics *statistics);
double statistics_maximum(const struct statistics *statistics);

/* NaN also when some value is not above 0. */
double statistics_geometric_mean(const struct statistics *statistics);

/* Linear regression by least squares. All zero: no point yet. */
struct regression {
	uint64_t count;
	double mean_x, mean_y, squares_x, squares_y, products; /* about the means */
};

/* Ignores a point that is not finite. */
void regression_add(struct regression *regression, double x, double y);

/* y = intercept + slope * x. NaN with fewer than two points, or if all have the same x. */
double regression_slope(const struct regression *regression);
double regression_intercept(const struct regression *regression);

/*
 * The share of the variance of y that the line explains, 0 to 1; 0 when y is constant. NaN without a slope.
 */
double regression_r_squared(const struct regression *regression);

/* Pearson's r, -1 to 1; NaN when x or y is constant. */
double regression_correlation(const struct regression *regression);

/* The time shift between two series. */
struct lag {
	long steps;         /* y follows x by this many steps; below 0: x follows y */
	double correlation; /* at this lag; NaN: there is none */
};

/*
 * The lag, of at most most steps in either direction, with the strongest correlation of x and y. NaN values
 * are ignored. A lag needs an overlap of at least half of the values, and of at least 8. Of equal ones the
 * shortest counts.
 */
struct lag lag_find(const double *x, const double *y, size_t count, size_t most);

/* A histogram with buckets of equal width. */
struct buckets {
	double first, width; /* of the first bucket, which begins at first */
	unsigned n_buckets;
	uint64_t *counts; /* of the caller, with room for most buckets */
};

/*
 * Counts the finite values in at most most buckets of a round width (1, 2 or 5 times a power of ten) that
 * begin at a multiple of it. most is 2 or more. No bucket without a value.
 */
void buckets_fill(struct buckets *histogram, const double *values, size_t count, unsigned most);

/*
 * What is left of both shares, never below 0: the kernel counts each separately, so that they may exceed the
 * time. NaN when idle is NaN; an iowait of NaN: not counted separately.
 */
double cpu_busy_ratio(double idle, double iowait);

#endif
