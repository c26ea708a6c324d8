/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "damon_stat": how long the memory of the machine has been idle, as the kernel's DAMON_STAT estimates
 * it all the time. It is only read: nothing of DAMON is started or changed.
 */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/topic.h"

struct damon_row {
	double p25_seconds, p50_seconds, p75_seconds, p90_seconds, p99_seconds, max_seconds;
	uint64_t bandwidth_bytes_per_second;
};

#define DIRECTORY "sys/module/damon_stat/parameters/"
#define ENABLED DIRECTORY "enabled"
#define PERCENTILES DIRECTORY "memory_idle_ms_percentiles"
#define BANDWIDTH DIRECTORY "estimated_memory_bandwidth"

#define IDLE(field, heading, what)                                                                           \
	COLUMN(struct damon_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = heading,        \
	       .width = 8, .help = what, .source = "/" PERCENTILES)

static const struct column columns[] = {
	IDLE(p25_seconds, N_("idle p25"),
	     /* xgettext:no-c-format */
	     N_("a quarter of the memory was used at most this long ago, by sampling: an estimate; below 0: "
		"it is in use, for that long")),
	IDLE(p50_seconds, N_("p50"), N_("half of it")),
	IDLE(p75_seconds, N_("p75"), N_("three quarters of it")),
	IDLE(p90_seconds, N_("p90"), /* xgettext:no-c-format */ N_("90 % of it")),
	IDLE(p99_seconds, N_("p99"), /* xgettext:no-c-format */ N_("99 % of it")),
	IDLE(max_seconds, N_("idle max"), N_("all of it")),
	COLUMN(struct damon_row, bandwidth_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("bandwidth"), 9),
	       .help = N_("what is read and written in memory, an estimate by the same samples"),
	       .source = "/" BANDWIDTH),
};

static const struct schema schema = {
	.name = "damon_stat", .is_public = true,
	.help = N_("how long the memory of the machine has been idle, by the kernel's DAMON_STAT"),
	.none = N_("DAMON_STAT does not run on this machine"), SCHEMA_ROWS(struct damon_row, columns),
};

static const char absent[] = N_("needs Linux 6.17 with CONFIG_DAMON_STAT");
static const char rights[] = N_("run it as root, or give it the capability cap_dac_read_search");

/* What it found before it was turned off stays in the files. */
static bool is_off(struct env *env)
{
	struct span text;

	return env_read(env, env_file(env, ENABLED), &text) == 0 && span_starts(text, "N");
}

static int sample(struct sample *sample)
{
	int64_t idle[DAMON_PERCENTILES];
	struct damon_row *row;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, PERCENTILES), &text);

	if (error == -EACCES)
		frame_notice(sample->frame, schema.name,
			     source_remedy(sample->env, topic_source(sample->topic, PERCENTILES), EACCES),
			     _("what DAMON_STAT knows of idle memory is hidden"));
	if (error)
		return error;
	if (!damon_percentiles_parse(text, idle))
		return -ENODATA;
	if (damon_percentiles_are_new(idle) || is_off(sample->env))
		return 0;
	row = table_add(sample->table);
	row->p25_seconds = (double)idle[25] / 1e3;
	row->p50_seconds = (double)idle[50] / 1e3;
	row->p75_seconds = (double)idle[75] / 1e3;
	row->p90_seconds = (double)idle[90] / 1e3;
	row->p99_seconds = (double)idle[99] / 1e3;
	row->max_seconds = (double)idle[100] / 1e3;
	if (env_read(sample->env, env_file(sample->env, BANDWIDTH), &text) == 0)
		span_u64(&text, &row->bandwidth_bytes_per_second);
	return 0;
}

const struct topic topic_damon_stat = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = PERCENTILES, .gives = N_("how long the memory of the machine has been idle"),
		  .optional = true, .remedies = { { ENOENT, absent }, { EACCES, rights } } },
		{ .path = BANDWIDTH, .gives = N_("estimated bandwidth of the memory"), .optional = true,
		  .remedies = { { ENOENT, absent }, { EACCES, rights } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_FILES), .sample = sample,
};
