/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of times: buckets, sums, percentiles. */
#include <config.h>

#include "core/histogram.h"

#include <math.h>
#include <string.h>

#define SUB_BUCKETS (1U << HISTOGRAM_SUB_BITS)

uint64_t histogram_from_ns(uint64_t width_ns, unsigned index)
{
	unsigned shift;

	if (width_ns > 0)
		return index * width_ns;
	if (index < 2 * SUB_BUCKETS)
		return index;
	shift = index / SUB_BUCKETS - 1;
	return (uint64_t)(index - shift * SUB_BUCKETS) << shift;
}

uint64_t histogram_to_ns(uint64_t width_ns, unsigned index)
{
	if (width_ns > 0)
		return (index + 1) * width_ns;
	return histogram_from_ns(0, index + 1);
}

void histogram_clear(struct histogram *histogram, uint64_t width_ns)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->width_ns = width_ns;
	histogram->min_ns = UINT64_MAX;
}

static void stretch(struct histogram *histogram, uint64_t least, uint64_t most)
{
	if (least < histogram->min_ns)
		histogram->min_ns = least;
	if (most > histogram->max_ns)
		histogram->max_ns = most;
}

static double middle_ns(const struct histogram *histogram, unsigned index)
{
	return ((double)histogram_from_ns(histogram->width_ns, index) +
		(double)histogram_to_ns(histogram->width_ns, index) - 1) /
	       2;
}

void histogram_add_bucket(struct histogram *histogram, unsigned index, uint64_t count)
{
	uint64_t ns = (uint64_t)middle_ns(histogram, index);

	if (count == 0)
		return;
	histogram->buckets[index] += count;
	histogram->count += count;
	histogram->sum_ns += ns * count;
	histogram->squares += (double)ns * (double)ns * (double)count;
	stretch(histogram, histogram_from_ns(histogram->width_ns, index),
		histogram_to_ns(histogram->width_ns, index) - 1);
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram->buckets[i] += other->buckets[i];
	histogram->count += other->count;
	histogram->sum_ns += other->sum_ns;
	histogram->squares += other->squares;
	stretch(histogram, other->min_ns, other->max_ns);
}

double histogram_percentile(const struct histogram *histogram, double percent)
{
	double rank = fmax(1, ceil((double)histogram->count * percent / 100 - 1e-9)), below = 0;

	if (histogram->count == 0)
		return NAN;
	for (unsigned i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		below += (double)histogram->buckets[i];
		if (below >= rank)
			return fmin((double)histogram_to_ns(histogram->width_ns, i) - 1,
				    (double)histogram->max_ns);
	}
	return (double)histogram->max_ns;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count > 0 ? (double)histogram->sum_ns / (double)histogram->count : NAN;
}

double histogram_deviation(const struct histogram *histogram)
{
	double mean = histogram_mean(histogram);

	if (isnan(mean))
		return NAN;
	return sqrt(fmax(0, histogram->squares / (double)histogram->count - mean * mean));
}

double histogram_mode(const struct histogram *histogram)
{
	double most = 0, mode = NAN;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double width = (double)(histogram_to_ns(histogram->width_ns, i) -
					histogram_from_ns(histogram->width_ns, i));
		double density = (double)histogram->buckets[i] / width;

		if (density > most) {
			most = density;
			mode = middle_ns(histogram, i);
		}
	}
	/* a single time may lie on either side of the middle of its bucket */
	return isnan(mode) ? mode : fmin(fmax(mode, (double)histogram->min_ns), (double)histogram->max_ns);
}
