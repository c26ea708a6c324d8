/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "self" and "build": what panetop itself costs, per topic and in total, and which one it is. */
#include <config.h>

#include "core/i18n.h"
#include "topic/topic.h"

struct self_row {
	const char *topic;
	double sample_seconds;
	uint64_t reads, lost;
	double cpu_seconds, cpu_ratio;
	uint64_t resident_bytes;
	double sample_time_seconds;
};

static const struct column columns[] = {
	COLUMN(struct self_row, topic, A_KEY(N_("topic"), 12), .help = N_("topic; all: panetop as a whole"),
	       .source = "panetop"),
	COLUMN(struct self_row, sample_seconds, A_GAUGE(SECONDS, N_("sample"), 9),
	       .help = N_("CPU time of its last sample; of the topic self: of the previous one"),
	       .source = "CLOCK_PROCESS_CPUTIME_ID around the sample"),
	COLUMN(struct self_row, reads, A_COUNTER(COUNT, N_("reads"), 9),
	       .help = N_("reads of kernel files since start"), .source = "panetop"),
	COLUMN(struct self_row, lost, A_COUNTER(COUNT, N_("lost"), 6),
	       .help = N_("samples that failed since start"), .source = "panetop"),
	COLUMN(struct self_row, cpu_ratio, A_RATE(RATIO, N_("%CPU"), 6),
	       .rate_of = offsetof(struct self_row, cpu_seconds),
	       .help = N_("CPU use of panetop, drawing included; 100 is one CPU"),
	       .source = "growth of cpu_seconds / time"),
	COLUMN(struct self_row, resident_bytes, A_GAUGE(BYTES, N_("resident"), 8),
	       .help = N_("resident memory of panetop"), .source = "/proc/self/statm"),
	COLUMN(struct self_row, cpu_seconds, A_COUNTER(SECONDS, N_("CPU time"), 9), .hidden = true,
	       .help = N_("CPU time of panetop since start"), .source = "CLOCK_PROCESS_CPUTIME_ID"),
	COLUMN(struct self_row, sample_time_seconds, A_GAUGE(SECONDS, N_("sampled"), 14), .hidden = true,
	       .help = N_("time of the last sample, in seconds since 1970; where it stays the same, nothing "
			  "samples any more"),
	       .source = "CLOCK_REALTIME"),
};

static const struct schema schema = {
	.name = "self", .is_public = true, .help = N_("what panetop itself costs"), .of_run = true,
	.sum_row = "all", SCHEMA_ROWS(struct self_row, columns),
};

static void add_topic(struct table *table, const struct env_cost *cost)
{
	struct self_row *row = table_add(table);

	row->topic = cost->name;
	row->sample_seconds = (double)cost->cpu_ns / 1e9;
	row->reads = cost->reads;
	row->lost = cost->lost;
	row->resident_bytes = U64_BLANK;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct self_row *all = table_add(sample->table);
	double seconds = 0;
	uint64_t lost = 0, resident = env_self_resident_bytes(env);

	all->topic = "all";
	all->sample_time_seconds = (double)sample->frame->wall_ns / 1e9;
	all->cpu_seconds = (double)env_self_cpu_ns(env) / 1e9;
	if (resident > 0)
		all->resident_bytes = resident;
	for (unsigned i = 0; i < env->n_costs; i++) {
		if (!env->costs[i].active)
			continue;
		seconds += (double)env->costs[i].cpu_ns / 1e9;
		lost += env->costs[i].lost;
	}
	all->sample_seconds = seconds;
	all->reads = env->reads;
	all->lost = lost;
	for (unsigned i = 0; i < env->n_costs; i++)
		if (env->costs[i].active)
			add_topic(sample->table, &env->costs[i]);
	return 0;
}

const struct topic topic_self = { .schema = &schema, .sources = no_source, .sample = sample };

struct build_row {
	const char *version;
	uint64_t info;
};

static const struct column build_columns[] = {
	COLUMN(struct build_row, version, A_KEY(N_("version"), 8),
	       .help = N_("version of the panetop that took the sample"), .source = "panetop"),
	COLUMN(struct build_row, info, A_GAUGE(NONE, "", 1), .hidden = true,
	       .help = N_("always 1: the version is in the label"), .source = "panetop"),
};

static const struct schema build_schema = {
	.name = "build", .is_public = true, .help = N_("version of panetop"),
	SCHEMA_ROWS(struct build_row, build_columns),
};

static int sample_build(struct sample *sample)
{
	struct build_row *row = table_add(sample->table);

	row->version = PACKAGE_VERSION;
	row->info = 1;
	return 0;
}

const struct topic topic_build = { .schema = &build_schema, .sources = no_source, .sample = sample_build };
