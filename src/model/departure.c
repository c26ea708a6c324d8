/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares with the median, by the median distance from it, so that a spike does not widen what is usual. */
#include <config.h>

#include "model/departure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define SPREADS 4
#define SPREAD_OF_NOISE 1.4826 /* a normal distribution's standard deviation, in median distances */
#define OFTEN 0.02

static int by_size(const void *left, const void *right)
{
	double one = *(const double *)left, other = *(const double *)right;

	return (one > other) - (one < other);
}

/* Sorts them. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return count % 2 > 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static size_t copy_known(double *out, const double *values, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			out[n++] = values[i];
	return n;
}

/* The last numbers at least half as far away as the last one, on its side. */
static size_t count_since(const double *values, size_t count, double usual)
{
	double half = (values[count - 1] - usual) / 2;
	size_t n = 1;

	while (n < count &&
	       (half > 0 ? values[count - 1 - n] - usual >= half : values[count - 1 - n] - usual <= half))
		n++;
	return n;
}

/* Those before it are in known, sorted. */
static size_t count_as_far(const double *known, size_t count, double usual, double half)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += half > 0 ? known[i] - usual >= half : known[i] - usual <= half;
	return n;
}

/* known has room for all values. */
static enum departure_verdict judge(const double *values, size_t count, double least, double *known,
				    struct departure *departure)
{
	double change;
	size_t n = copy_known(known, values, count - 1);
	bool often;

	if (n < DEPARTURE_SAMPLES_MIN)
		return DEPARTURE_TOO_FEW;
	departure->now = values[count - 1];
	departure->usual = median(known, n);
	departure->n_since = 1;
	departure->n_usual = n;
	if (fabs(departure->now - departure->usual) < least)
		return DEPARTURE_NONE;
	departure->n_since = count_since(values, count, departure->usual);
	n = copy_known(known, values, count - departure->n_since);
	departure->n_usual = n;
	if (n < DEPARTURE_SAMPLES_MIN)
		return DEPARTURE_TOO_FEW;
	departure->usual = median(known, n);
	change = departure->now - departure->usual;
	departure->extreme = change > 0 ? known[n - 1] : known[0];
	often = (double)count_as_far(known, n, departure->usual, change / 2) > OFTEN * (double)n;
	for (size_t i = 0; i < n; i++)
		known[i] = fabs(known[i] - departure->usual);
	departure->spread = SPREAD_OF_NOISE * median(known, n);
	if (often || fabs(change) < SPREADS * departure->spread)
		return DEPARTURE_NONE;
	return change > 0 ? DEPARTURE_ROSE : DEPARTURE_FELL;
}

enum departure_verdict departure_judge(const double *values, size_t count, double least,
				       struct departure *departure)
{
	enum departure_verdict verdict;
	double *known;

	memset(departure, 0, sizeof(*departure));
	if (count == 0 || !isfinite(values[count - 1]))
		return DEPARTURE_UNKNOWN;
	known = alloc_zeroed(count, sizeof(*known));
	verdict = judge(values, count, least, known, departure);
	free(known);
	return verdict;
}
