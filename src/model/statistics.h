/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of numbers that come one after the other, and of pairs: means, spread, lines, correlation. */
#ifndef PANETOP_MODEL_STATISTICS_H
#define PANETOP_MODEL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is none yet. Each value has a weight, such as the seconds that it held. */
struct statistics {
	uint64_t count;
	double weight;         /* sum of all weights */
	double mean, squares;  /* squares: weighted sum of squared distances from the mean */
	double logarithms;     /* weighted sum, of values above 0 */
	uint64_t not_positive; /* values that have no logarithm */
	double minimum, maximum;
};

/* A value that is not finite, or a weight that is not above 0, is passed over. */
void statistics_add(struct statistics *statistics, double value, double weight);

/* NaN when there is no value. */
double statistics_mean(const struct statistics *statistics);
double statistics_deviation(const struct statistics *statistics); /* of all values, not of a sample of them */
double statistics_minimum(const struct statistics *statistics);
double statistics_maximum(const struct statistics *statistics);

/* NaN, too, when some value is not above 0. */
double statistics_geometric_mean(const struct statistics *statistics);

/* A straight line through points by least squares. All zero is no point yet. */
struct regression {
	uint64_t count;
	double mean_x, mean_y, squares_x, squares_y, products; /* about the means */
};

/* A point that is not finite is passed over. */
void regression_add(struct regression *regression, double x, double y);

/* y = intercept + slope * x. NaN when the points do not tell: fewer than two, or all at the same x. */
double regression_slope(const struct regression *regression);
double regression_intercept(const struct regression *regression);

/* How much of the variation of y the line explains, 0 to 1; 0 when y does not vary. NaN without a slope. */
double regression_r_squared(const struct regression *regression);

/* Pearson's r, -1 to 1; NaN when x or y does not vary. */
double regression_correlation(const struct regression *regression);

/* A number that two series have at the same moments, one behind the other. */
struct lag {
	long steps;         /* y follows x by so many steps; below 0: x follows y */
	double correlation; /* at this lag; NaN: there is none */
};

/*
 * The lag, of at most most steps either way, at which y follows x best: with the greatest correlation in
 * size. NaN among the values are passed over. A lag counts only where at least half of the values overlap,
 * and at least 8. Among equals the shortest wins.
 */
struct lag lag_find(const double *x, const double *y, size_t count, size_t most);

/* How often numbers fell between bounds that are width apart. */
struct buckets {
	double first, width; /* of the first bucket: it begins at first */
	unsigned n_buckets;
	uint64_t *counts; /* of the caller, room for as many as were asked for */
};

/*
 * Of the values that are finite, into at most most buckets of a round width (1, 2 or 5 times a power of ten)
 * that begin at a multiple of it. most is 2 or more. No bucket when there is no value.
 */
void buckets_fill(struct buckets *histogram, const double *values, size_t count, unsigned most);

/*
 * What is left of both shares, never below 0: the kernel counts each separately, so that they may exceed the
 * time. NaN when idle is NaN; an iowait of NaN: not counted separately.
 */
double cpu_busy_ratio(double idle, double iowait);

#endif
