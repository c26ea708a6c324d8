/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the samples of the last intervals in two rings: of intervals and of their buckets. */
#include <config.h>

#include "pane/bucket_past.h"

#include <math.h>
#include <string.h>

static struct past_interval *interval_at(struct bucket_past *past, uint64_t number)
{
	return &past->intervals[number % PAST_INTERVALS];
}

static void add_entry(struct bucket_past *past, uint16_t key, unsigned bucket, double count)
{
	struct past_entry *entry = &past->entries[past->n_entries % PAST_ENTRIES];

	*entry = (struct past_entry){ .key = key, .bucket = (uint16_t)bucket, .count = (uint32_t)count };
	past->n_entries++;
}

/* Drops overwritten entries. */
static void forget_old(struct bucket_past *past)
{
	if (past->n_intervals - past->oldest > PAST_INTERVALS)
		past->oldest = past->n_intervals - PAST_INTERVALS;
	while (past->oldest < past->n_intervals &&
	       interval_at(past, past->oldest)->first + PAST_ENTRIES < past->n_entries)
		past->oldest++;
}

/* A repeated frame removes what came after it. */
static bool rewind_to(struct bucket_past *past, uint64_t mono_ns)
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

static void add_interval(struct bucket_past *past, const struct table *table, const struct past_table *of,
			 double seconds)
{
	uint64_t first = past->n_entries;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double count = round(table_number(table, row, of->per_second) * seconds);
		uint16_t key = of->key(of->context, table, row);

		if (count >= 1 && count < UINT32_MAX && key != PAST_ALL)
			add_entry(past, key, bucket_of(past->width_ns, table, row), count);
	}
	*interval_at(past, past->n_intervals++) = (struct past_interval){
		.mono_ns = table->mono_ns,
		.first = first,
		.n_entries = (uint32_t)(past->n_entries - first),
	};
	forget_old(past);
}

void past_add(struct bucket_past *past, const struct frame *frame, const struct past_table *of,
	      uint64_t width_ns, double measured_seconds)
{
	const struct table *table = frame_table(frame, of->topic);
	uint64_t last;
	bool again;

	if (!table || table->mono_ns == 0)
		return;
	again = rewind_to(past, table->mono_ns);
	last = past->last_mono_ns;
	if (!again && table->mono_ns > last &&
	    (measured_seconds < past->measured_seconds || width_ns != past->width_ns)) {
		past->oldest = past->n_intervals; /* restarted: the counters began again */
		last = 0;
	}
	past->width_ns = width_ns;
	past->last_mono_ns = table->mono_ns;
	past->measured_seconds = measured_seconds;
	if (!again && last > 0 && table->mono_ns > last)
		add_interval(past, table, of, (double)(table->mono_ns - last) / 1e9);
}

void past_visit(const struct bucket_past *past, uint16_t key, uint64_t from_ns, uint64_t to_ns,
		void (*each)(void *context, uint64_t end_ns, const struct past_entry *entry), void *context)
{
	for (uint64_t i = past->n_intervals; i-- > past->oldest;) {
		const struct past_interval *interval = &past->intervals[i % PAST_INTERVALS];

		if (interval->mono_ns <= from_ns)
			break;
		for (uint32_t e = 0; interval->mono_ns <= to_ns && e < interval->n_entries; e++) {
			const struct past_entry *entry = &past->entries[(interval->first + e) % PAST_ENTRIES];

			if (key == PAST_ALL || key == entry->key)
				each(context, interval->mono_ns, entry);
		}
	}
}

static void add_to(void *context, uint64_t end_ns, const struct past_entry *entry)
{
	(void)end_ns;
	histogram_add_bucket(context, entry->bucket, entry->count);
}

void past_sum(const struct bucket_past *past, uint16_t key, uint64_t from_ns, uint64_t to_ns,
	      struct histogram *histogram)
{
	past_visit(past, key, from_ns, to_ns, add_to, histogram);
}

void past_since_start(const struct frame *frame, const struct past_table *of, uint16_t key,
		      struct histogram *histogram)
{
	const struct table *table = frame_table(frame, of->topic);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double samples = table_number(table, row, of->samples);

		if (samples >= 1 && of->key(of->context, table, row) == key)
			histogram_add_bucket(histogram, bucket_of(histogram->width_ns, table, row),
					     (uint64_t)samples);
	}
}
