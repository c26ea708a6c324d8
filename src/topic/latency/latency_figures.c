/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was counted to the figures of a row. */
#include <config.h>

#include "topic/latency/latency_figures.h"

static double seconds(double ns)
{
	return ns / 1e9;
}

void latency_row_fill(struct latency_row *row, const struct cyclic_sums *sums)
{
	const struct histogram *times = &sums->times;

	row->samples = times->count;
	row->missed = sums->missed;
	if (times->count == 0)
		return;
	row->min_seconds = seconds((double)times->min_ns);
	row->max_seconds = seconds((double)times->max_ns);
	row->mean_seconds = seconds(histogram_mean(times));
	row->mode_seconds = seconds(histogram_mode(times));
	row->stddev_seconds = seconds(histogram_deviation(times));
	row->p25_seconds = seconds(histogram_percentile(times, 25));
	row->p50_seconds = seconds(histogram_percentile(times, 50));
	row->p75_seconds = seconds(histogram_percentile(times, 75));
	row->p90_seconds = seconds(histogram_percentile(times, 90));
	row->p95_seconds = seconds(histogram_percentile(times, 95));
	row->p99_seconds = seconds(histogram_percentile(times, 99));
	row->p99_5_seconds = seconds(histogram_percentile(times, 99.5));
	row->p99_9_seconds = seconds(histogram_percentile(times, 99.9));
	row->p99_99_seconds = seconds(histogram_percentile(times, 99.99));
}
