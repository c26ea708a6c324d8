/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys the rows of the topic latency_bucket by CPU, for the past of buckets. */
#include <config.h>

#include "pane/latency/latency_past.h"

#include <string.h>

uint16_t past_cpu(const char *name)
{
	struct span text = span_text(name);
	uint64_t number;

	if (strcmp(name, "all") == 0)
		return PAST_ALL;
	return span_u64(&text, &number) && number < PAST_ALL ? (uint16_t)number : PAST_ALL - 1;
}

static uint16_t cpu_of(const void *context, const struct table *table, const void *row)
{
	(void)context;
	return past_cpu(table_text(table, row, "cpu"));
}

const struct past_table latency_buckets = { "latency_bucket", "samples", "samples_per_second", cpu_of, NULL };

uint64_t past_width_ns(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "latency");
	double seconds = table_number(table, table_find(table, "all", NULL), "bucket_seconds");

	return seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

void latency_past_add(struct bucket_past *past, const struct frame *frame)
{
	past_add(past, frame, &latency_buckets, past_width_ns(frame),
		 frame_number(frame, "latency", "all", "measured_seconds"));
}
