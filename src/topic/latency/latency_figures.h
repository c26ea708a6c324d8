/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of latency have in common: the figures of a distribution. */
#ifndef PANETOP_TOPIC_LATENCY_LATENCY_FIGURES_H
#define PANETOP_TOPIC_LATENCY_LATENCY_FIGURES_H

#include "model/column.h"
#include "topic/latency/latency_run.h"

struct latency_row {
	const char *cpu, *phase; /* one of them is the key */
	const char *policy, *asked, *reason, *method, *locked, *idle_states;
	uint64_t priority, degraded;
	double thread_seconds, thread_ratio, period_seconds, slack_seconds, bucket_seconds, measured_seconds;
	uint64_t samples, missed;
	double samples_per_second, missed_per_second;
	double min_seconds, mean_seconds, mode_seconds, max_seconds, stddev_seconds;
	double p25_seconds, p50_seconds, p75_seconds, p90_seconds, p95_seconds, p99_seconds, p99_5_seconds;
	double p99_9_seconds, p99_99_seconds;
};

#define LATENCY_COLUMN(field, ...) COLUMN(struct latency_row, field, __VA_ARGS__)

#define LATENCY_TIME(field, heading, column_rank, hide, what, from)                                          \
	LATENCY_COLUMN(field##_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = heading,        \
		       .width = 7, .rank = (column_rank), .hidden = (hide), .help = what, .source = from)

#define LATENCY_PERCENTILE(field, number, column_rank, hide)                                                 \
	LATENCY_TIME(field, number, column_rank, hide, /* xgettext:no-c-format */                            \
		     N_("so late at most were this many percent of the wake-ups; up to 1 % too long, never " \
			"too short"),                                                                        \
		     "upper end of the bucket in which the samples reach this percentage")

/* The columns from samples to max. */
#define LATENCY_FIGURES                                                                                      \
	LATENCY_COLUMN(samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("samples"),          \
		       .width = 9, .help = N_("wake-ups that were measured"),                                \
		       .source = "counted by the measuring threads"),                                        \
		LATENCY_COLUMN(missed, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("missed"),    \
			       .width = 6, .rank = 1,                                                        \
			       .help = N_("periods that passed while a wake-up was late: they have no "      \
					  "sample of their own"),                                            \
			       .source = "lateness / period, counted by the measuring threads"),             \
		LATENCY_TIME(min, N_("min"), 2, false, N_("the least"), "exact"),                            \
		LATENCY_TIME(mean, N_("mean"), 2, false, N_("sum of all / samples"), "exact"),               \
		LATENCY_TIME(mode, N_("mode"), 6, true, N_("where the samples are densest"),                 \
			     "middle of the bucket with most samples per nanosecond"),                       \
		LATENCY_TIME(stddev, N_("stddev"), 5, false, N_("standard deviation"),                       \
			     "from sums of squares"),                                                        \
		LATENCY_PERCENTILE(p25, "25%", 6, true), LATENCY_PERCENTILE(p50, "50%", 0, false),           \
		LATENCY_PERCENTILE(p75, "75%", 6, true), LATENCY_PERCENTILE(p90, "90%", 4, false),           \
		LATENCY_PERCENTILE(p95, "95%", 6, true), LATENCY_PERCENTILE(p99, "99%", 1, false),           \
		LATENCY_PERCENTILE(p99_5, "99.5%", 6, true), LATENCY_PERCENTILE(p99_9, "99.9%", 1, false),   \
		LATENCY_PERCENTILE(p99_99, "99.99%", 3, false),                                              \
		LATENCY_TIME(max, N_("max"), 0, false, N_("the worst"), "exact")

void latency_row_fill(struct latency_row *row, const struct cyclic_sums *sums);

#endif
