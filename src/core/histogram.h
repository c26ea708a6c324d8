/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of times: log-linear buckets, at most 1 % wide, or linear ones. */
#ifndef PANETOP_CORE_HISTOGRAM_H
#define PANETOP_CORE_HISTOGRAM_H

#include <stdint.h>

/*
 * Log-linear: 128 buckets per power of two (1 ns wide below 128 ns), up to 60 s. Linear: all are width_ns
 * wide. The last bucket also holds all longer times.
 */
#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_LONGEST_NS UINT64_C(60000000000)
#define HISTOGRAM_BUCKETS 3808

struct histogram {
	uint64_t width_ns; /* 0: log-linear */
	uint64_t count;    /* of all samples */
	uint64_t sum_ns;
	double squares;          /* sum of their squares, in ns² */
	uint64_t min_ns, max_ns; /* exact; UINT64_MAX and 0 without samples */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* The bucket of a time. */
static inline unsigned histogram_index(uint64_t width_ns, uint64_t ns)
{
	unsigned shift;

	if (width_ns > 0) {
		uint64_t index = ns / width_ns;

		return index < HISTOGRAM_BUCKETS ? (unsigned)index : HISTOGRAM_BUCKETS - 1;
	}
	if (ns >= HISTOGRAM_LONGEST_NS)
		return HISTOGRAM_BUCKETS - 1;
	if (ns < 1 << HISTOGRAM_SUB_BITS)
		return (unsigned)ns;
	shift = 63 - HISTOGRAM_SUB_BITS - (unsigned)__builtin_clzll(ns);
	return (shift << HISTOGRAM_SUB_BITS) + (unsigned)(ns >> shift);
}

/* A bucket holds times from … to, excluding to; to of the last bucket follows from its width. */
uint64_t histogram_from_ns(uint64_t width_ns, unsigned index);
uint64_t histogram_to_ns(uint64_t width_ns, unsigned index);

void histogram_clear(struct histogram *histogram, uint64_t width_ns);

/* Adds count times of this bucket that are not known better: each counts as its middle. */
void histogram_add_bucket(struct histogram *histogram, unsigned index, uint64_t count);

/* Adds other, which must have the same buckets. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/*
 * The time that percent of all samples do not exceed: the upper end of its bucket, at most the maximum. So it
 * is too long by less than 1 % (less than width_ns where linear). All of these are in ns, and NaN without
 * samples.
 */
double histogram_percentile(const struct histogram *histogram, double percent);
double histogram_mean(const struct histogram *histogram);
double histogram_deviation(const struct histogram *histogram); /* of the population */

/* The middle of the bucket where samples are densest. */
double histogram_mode(const struct histogram *histogram);

#endif
