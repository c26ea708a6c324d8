/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cpu_limit": the CPU limits of this container or service, and how often it was throttled. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/cgroup_stat.h"
#include "topic/cgroup.h"

struct limit_row {
	const char *cgroup;
	double limit_ratio, throttled_ratio, throttled_seconds;
	uint64_t periods, throttled_periods;
};

static const struct column columns[] = {
	COLUMN(struct limit_row, cgroup, .kind = COLUMN_KEY, .title = N_("cgroup"), .width = 16,
	       .help = N_("cgroup with the limit: that of panetop or an ancestor"),
	       .source = "/proc/self/cgroup"),
	COLUMN(struct limit_row, limit_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("limit%"),
	       .width = 7, .help = N_("limit of the cgroup; 100 is one CPU"),
	       .source = "cpu.max; cpu.cfs_quota_us / cpu.cfs_period_us"),
	COLUMN(struct limit_row, throttled_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO,
	       .title = N_("throt%"), .width = 7, .rate_of = offsetof(struct limit_row, throttled_periods),
	       .rate_over = offsetof(struct limit_row, periods),
	       .help = N_("share of the periods in which it reached its limit and was throttled"),
	       .source = "growth of throttled_periods / growth of periods"),
	COLUMN(struct limit_row, throttled_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,
	       .title = N_("waited"), .width = 9, .help = N_("time that its tasks were throttled, summed"),
	       .source = "cpu.stat throttled_usec; throttled_time"),
	COLUMN(struct limit_row, periods, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("periods"),
	       .width = 9, .hidden = true, .help = N_("periods in which it ran"),
	       .source = "cpu.stat nr_periods"),
	COLUMN(struct limit_row, throttled_periods, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("throttled"), .width = 9, .hidden = true,
	       .help = N_("periods in which it was throttled"), .source = "cpu.stat nr_throttled"),
};

static const struct schema schema = {
	.name = "cpu_limit",
	.help = N_("limits of the container or service in which panetop runs"),
	.row_size = sizeof(struct limit_row),
	SCHEMA_COLUMNS(columns),
};

static int test_cgroup(struct env *env)
{
	return cgroup_test(env, "cpu");
}

static const struct source_spec sources[] = {
	CGROUP_SOURCE("cpu cgroup", test_cgroup,
			  N_("no cgroup hierarchy with the cpu controller is mounted")),
	{ 0 },
};

/* In CPUs; 0: there is no limit. */
static double read_limit(struct env *env, const struct cgroup_place *place)
{
	struct span text, quota, period;
	double cpus;

	if (place->version == 2) {
		if (cgroup_read(env, place, "cpu.max", &text) < 0 || !span_word(&text, &quota))
			return 0;
		return cgroup_quota_parse(quota, text, &cpus) ? cpus : 0;
	}
	if (cgroup_read(env, place, "cpu.cfs_quota_us", &quota) < 0 ||
	    cgroup_read(env, place, "cpu.cfs_period_us", &period) < 0)
		return 0;
	return cgroup_quota_parse(quota, period, &cpus) ? cpus : 0;
}

static void read_waits(struct env *env, const struct cgroup_place *place, struct limit_row *row)
{
	struct cgroup_cpu_stat stat;
	struct span text;

	if (cgroup_read(env, place, "cpu.stat", &text) < 0)
		return;
	cgroup_cpu_stat_parse(text, &stat);
	row->periods = stat.periods;
	row->throttled_periods = stat.throttled_periods;
	if (stat.throttled_ns != U64_UNKNOWN)
		row->throttled_seconds = (double)stat.throttled_ns / 1e9;
}

static int sample(struct sample *sample)
{
	const struct own_cgroup *own = sample->state;
	struct cgroup_place place = own->place;

	if (!own->found)
		return 0;
	do {
		double limit = read_limit(sample->env, &place);
		struct limit_row *row;

		if (!(limit > 0))
			continue;
		row = table_add(sample->table);
		row->cgroup = arena_print(&sample->frame->arena, "/%s", place.group);
		row->limit_ratio = limit;
		read_waits(sample->env, &place, row);
	} while (cgroup_up(&place));
	return 0;
}

static int open_limit(struct sample *sample)
{
	sample->state = cgroup_open(sample->env, "cpu");
	return 0;
}

const struct topic topic_cpu_limit = {
	.schema = &schema,
	.sources = sources,
	.open = open_limit,
	.sample = sample,
	.close = cgroup_close,
};
