/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "latency_bucket": the distribution of wake-up latencies; buckets without a sample are left out. */
#include <config.h>

#include "core/i18n.h"
#include "topic/latency/latency_run.h"

struct bucket_row {
	const char *cpu;
	double from_seconds, to_seconds, samples_per_second;
	uint64_t samples;
};

static const struct column columns[] = {
	COLUMN(struct bucket_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
	       .help = N_("where it was measured; all: together"), .source = "sched_setaffinity(2)"),
	COLUMN(struct bucket_row, from_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = N_("from"),
	       .width = 8, .help = N_("so late at least"), .source = "panetop"),
	COLUMN(struct bucket_row, to_seconds, .kind = COLUMN_BOUND, .unit = UNIT_SECONDS, .title = N_("to"),
	       .width = 8, .help = N_("but not so late; -: all that is longer"),
	       .source = "panetop; --bucket makes all equally wide, else they are less than 1 % wide"),
	COLUMN(struct bucket_row, samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("samples"),
	       .width = 9, .help = N_("wake-ups that were so late"),
	       .source = "counted by the measuring threads"),
	COLUMN(struct bucket_row, samples_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 7, .rate_of = offsetof(struct bucket_row, samples),
	       .help = N_("of these in the last interval"), .source = "growth of samples / time"),
};

static const struct schema schema = {
	.name = "latency_bucket",
	.help = N_("how many wake-ups were how late"),
	.shape = SHAPE_HISTOGRAM,
	.from_zero = true,
	.row_size = sizeof(struct bucket_row),
	.over_interval = true,
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static void add_rows(struct table *table, const char *cpu, const struct cyclic_sums *sums)
{
	const struct histogram *times = sums->linear ? sums->linear : &sums->times;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		struct bucket_row *row;

		if (times->buckets[i] == 0)
			continue;
		row = table_add(table);
		row->cpu = cpu;
		row->from_seconds = (double)histogram_from_ns(times->width_ns, i) / 1e9;
		if (i + 1 < HISTOGRAM_BUCKETS) /* the last one takes all that is longer */
			row->to_seconds = (double)histogram_to_ns(times->width_ns, i) / 1e9;
		row->samples = times->buckets[i];
	}
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct cyclic_run *run = sample->state;

	cyclic_run_update(run);
	table->mono_ns = run->mono_ns;
	add_rows(table, cyclic_run_cpu(run, sample->frame, CYCLIC_RUN_ALL), &run->all);
	for (size_t i = 0; i < run->n_cpus; i++)
		add_rows(table, cyclic_run_cpu(run, sample->frame, i), &run->sums[i]);
	return 0;
}

const struct topic topic_latency_bucket = {
	.schema = &schema,
	.sources = sources,
	.uses = CYCLIC_USES,
	CYCLIC_TOPIC,
	.open = cyclic_run_open,
	.sample = sample,
	.close = cyclic_run_close,
};
