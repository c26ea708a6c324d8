/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the samples of the last intervals in two rings: of intervals and of their buckets. */
#include <config.h>

#include "pane/latency/latency_past.h"

#include <math.h>
#include <string.h>

uint16_t past_cpu(const char *name)
{
	struct span text = span_text(name);
	uint64_t number;

	if (strcmp(name, "all") == 0)
		return PAST_ALL_CPUS;
	return span_u64(&text, &number) && number < PAST_ALL_CPUS ? (uint16_t)number : PAST_ALL_CPUS - 1;
}

uint64_t past_width_ns(const struct frame *frame)
{
	double seconds = frame_number(frame, "latency", "all", "bucket_seconds");

	return seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

static struct past_interval *interval_at(struct latency_past *past, uint64_t number)
{
	return &past->intervals[number % PAST_INTERVALS];
}

static void add_entry(struct latency_past *past, uint16_t cpu, unsigned bucket, double count)
{
	struct past_entry *entry = &past->entries[past->n_entries % PAST_ENTRIES];

	*entry = (struct past_entry){ .cpu = cpu, .bucket = (uint16_t)bucket, .count = (uint32_t)count };
	past->n_entries++;
}

/* Drops overwritten entries. */
static void forget_old(struct latency_past *past)
{
	if (past->n_intervals - past->oldest > PAST_INTERVALS)
		past->oldest = past->n_intervals - PAST_INTERVALS;
	while (past->oldest < past->n_intervals &&
	       interval_at(past, past->oldest)->first + PAST_ENTRIES < past->n_entries)
		past->oldest++;
}

/* A repeated frame removes what came after it. */
static bool rewind_to(struct latency_past *past, uint64_t mono_ns)
{
	while (past->n_intervals > past->oldest &&
	       interval_at(past, past->n_intervals - 1)->mono_ns > mono_ns) {
		past->n_intervals--;
		past->n_entries = interval_at(past, past->n_intervals)->first;
	}
	return past->n_intervals > past->oldest &&
	       interval_at(past, past->n_intervals - 1)->mono_ns == mono_ns;
}

static unsigned bucket_of(uint64_t width_ns, const struct table *table, const void *row)
{
	double from = table_number(table, row, "from_seconds");

	return from >= 0 && from < 1e9 ? histogram_index(width_ns, (uint64_t)(from * 1e9 + 0.5)) : 0;
}

static void add_interval(struct latency_past *past, const struct table *table, double seconds)
{
	uint64_t first = past->n_entries;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double count = round(table_number(table, row, "samples_per_second") * seconds);
		uint16_t cpu = past_cpu(table_text(table, row, "cpu"));

		if (count >= 1 && count < UINT32_MAX && cpu != PAST_ALL_CPUS)
			add_entry(past, cpu, bucket_of(past->width_ns, table, row), count);
	}
	*interval_at(past, past->n_intervals++) = (struct past_interval){
		.mono_ns = table->mono_ns,
		.first = first,
		.n_entries = (uint32_t)(past->n_entries - first),
	};
	forget_old(past);
}

void past_add(struct latency_past *past, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "latency_bucket");
	double measured = frame_number(frame, "latency", "all", "measured_seconds");
	uint64_t width_ns = past_width_ns(frame), last;
	bool again;

	if (!table || table->mono_ns == 0)
		return;
	again = rewind_to(past, table->mono_ns);
	last = past->last_mono_ns;
	if (!again && table->mono_ns > last &&
	    (measured < past->measured_seconds || width_ns != past->width_ns)) {
		past->oldest = past->n_intervals; /* restarted: the counters began again */
		last = 0;
	}
	past->width_ns = width_ns;
	past->last_mono_ns = table->mono_ns;
	past->measured_seconds = measured;
	if (!again && last > 0 && table->mono_ns > last)
		add_interval(past, table, (double)(table->mono_ns - last) / 1e9);
}

void past_visit(const struct latency_past *past, uint16_t cpu, uint64_t from_ns, uint64_t to_ns,
		void (*each)(void *context, uint64_t end_ns, const struct past_entry *entry), void *context)
{
	for (uint64_t i = past->n_intervals; i-- > past->oldest;) {
		const struct past_interval *interval = &past->intervals[i % PAST_INTERVALS];

		if (interval->mono_ns <= from_ns)
			break;
		for (uint32_t e = 0; interval->mono_ns <= to_ns && e < interval->n_entries; e++) {
			const struct past_entry *entry = &past->entries[(interval->first + e) % PAST_ENTRIES];

			if (cpu == PAST_ALL_CPUS || cpu == entry->cpu)
				each(context, interval->mono_ns, entry);
		}
	}
}

static void add_to(void *context, uint64_t end_ns, const struct past_entry *entry)
{
	(void)end_ns;
	histogram_add_bucket(context, entry->bucket, entry->count);
}

void past_sum(const struct latency_past *past, uint16_t cpu, uint64_t from_ns, uint64_t to_ns,
	      struct histogram *histogram)
{
	past_visit(past, cpu, from_ns, to_ns, add_to, histogram);
}

void past_since_start(const struct frame *frame, const char *cpu, struct histogram *histogram)
{
	const struct table *table = frame_table(frame, "latency_bucket");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double samples = table_number(table, row, "samples");

		if (samples >= 1 && strcmp(table_text(table, row, "cpu"), cpu) == 0)
			histogram_add_bucket(histogram, bucket_of(histogram->width_ns, table, row),
					     (uint64_t)samples);
	}
}
