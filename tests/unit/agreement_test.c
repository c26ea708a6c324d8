/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars of the overview and findings agree: in random frames, each bar is as bad as the findings about it. */
#include "suite.h"

#include "model/finding.h"
#include "pane/overview/overview_gauge.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define SEED 20261129
#define RUNS 400
#define FRAMES 25 /* of a run, a second apart: 10,000 in all */

/* About the machine: which bar shows it. Other rules are about what has no bar. */
static const struct {
	const char *rule, *bar;
} shown[] = {
	{ "cpu_busy", "CPU" },         { "run_queue", "CPU" },      { "stolen_time", "CPU" },
	{ "memory_busy", "memory" },   { "memory_short", "memory" }, { "out_of_memory", "memory" },
	{ "swap_full", "swap" },       { "run_queue", "pressure" },  { "memory_short", "pressure" },
	{ "io_wait", "pressure" },     { "run_queue", "load" },      { "disk_busy", "disks" },
	{ "io_wait", "disks" },
};

static struct frame frame;
static double total[8]; /* of counters */

static double random_share(void)
{
	return (double)random() / RAND_MAX;
}

/* A cell of the row that was begun last, or of a new one. */
static void set(const char *topic, const char *key, const char *other, const char *column, double number)
{
	static const char *last[3];
	static void *row;
	struct table *table = frame_slot(&frame, topic);
	const struct column *found = schema_known_column(table->schema, column);
	const char *const keys[] = { key, other };

	if (table->n_rows == 0 || last[0] != topic || last[1] != key || last[2] != other) {
		row = table_add(table);
		for (unsigned i = 0, n = 0; i < table->schema->n_columns; i++)
			if (table->schema->columns[i].kind == COLUMN_KEY && n < 2)
				row_set_text(row, &table->schema->columns[i], keys[n++]);
	}
	last[0] = topic;
	last[1] = key;
	last[2] = other;
	table->present = true;
	table->mono_ns = frame.mono_ns;
	table->interval_ns = frame.interval_ns;
	if (found->type == VALUE_U64)
		row_set_u64(row, found, (uint64_t)number);
	else
		row_set_f64(row, found, number);
}

/* A load is near a limit, now above it, now below. */
static void fill(unsigned second, double load)
{
	double busy = fmin(1, load * (0.6 + 0.5 * random_share())), waits = load * random_share();

	frame_clear(&frame);
	frame.mono_ns = (1000 + second) * UINT64_C(1000000000);
	frame.wall_ns = frame.mono_ns + UINT64_C(1700000000000000000);
	frame.interval_ns = second > 0 ? UINT64_C(1000000000) : 0;
	set("cpu", "all", NULL, "busy_seconds", total[0] += 2 * busy);
	set("cpu", "all", NULL, "steal_seconds", total[1] += 0.3 * waits);
	set("cpu", "all", NULL, "total_seconds", total[2] += 2);
	set("system", NULL, NULL, "running", 6 * waits);
	set("system", NULL, NULL, "blocked", 4 * waits);
	set("system", NULL, NULL, "cpus", 2);
	set("memory", "mem", NULL, "total_bytes", 1e10);
	set("memory", "available", NULL, "free_bytes", 1e10 * (1 - busy));
	set("memory", "swap", NULL, "total_bytes", 1e9);
	set("memory", "swap", NULL, "used_bytes", 1e9 * busy);
	set("paging", NULL, NULL, "scans", total[3] += 100 * waits);
	set("paging", NULL, NULL, "refaults_per_second", 40 * waits);
	set("paging", NULL, NULL, "swap_ins_per_second", 10 * waits);
	set("pressure", "cpu", "some", "avg10_ratio", waits);
	set("pressure", "memory", "some", "avg10_ratio", waits / 2);
	set("pressure", "io", "full", "avg10_ratio", waits / 3);
	set("disk", "all", NULL, "busy_seconds", total[4] += busy);
	set("disk", "sda", NULL, "busy_seconds", total[4]);
	set("reclaim", "oom_kill", NULL, "total", total[5] += waits > 0.97);
	set("reclaim", "allocstall", NULL, "total", total[6] += waits > 0.5);
	frame_slot(&frame, "finding")->present = true;
}

static const struct overview_gauge *find(const struct overview_gauge *gauges, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(gauges[i].name, name) == 0)
			return &gauges[i];
	ck_abort_msg("no bar %s", name);
	return NULL;
}

static bool is_shown_by(const char *rule, const char *bar)
{
	for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (strcmp(shown[i].rule, rule) == 0 && strcmp(shown[i].bar, bar) == 0)
			return true;
	return false;
}

/* What the bar must be, by the severities of the rows. */
static enum grade wanted(const char *bar)
{
	static const char *const severities[] = { "", "note", "warning", "critical" };
	const struct table *table = frame_table(&frame, "finding");
	enum grade worst = GRADE_CALM;

	for (size_t r = 0; r < table->n_rows; r++) {
		const void *row = table_row(table, r);

		if (strcmp(table_text(table, row, "state"), "now") != 0 ||
		    !is_shown_by(table_text(table, row, "rule"), bar))
			continue;
		for (unsigned s = GRADE_BUSY; s <= GRADE_CRITICAL; s++)
			if (strcmp(table_text(table, row, "severity"), severities[s]) == 0 && s > worst)
				worst = (enum grade)s;
	}
	return worst;
}

START_TEST(bars_are_as_bad_as_findings)
{
	static const char *const bars[] = { "CPU", "memory", "swap", "pressure", "load", "disks" };
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];
	unsigned n_busy[4] = { 0 };

	srandom(SEED);
	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned run = 0; run < RUNS; run++) {
		double load = 0.5 + random_share() / 2;

		findings_forget(findings);
		memset(total, 0, sizeof(total));
		for (unsigned second = 0; second < FRAMES; second++) {
			unsigned n;

			fill(second, second % 10 == 9 ? load / 2 : load);
			findings_derive(findings, &frame, FINDINGS_WHERE_ASKED);
			n = overview_gauges(&frame, gauges);
			for (unsigned i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
				enum grade grade = find(gauges, n, bars[i])->grade;

				ck_assert_msg(grade == wanted(bars[i]), "run %u, second %u: %s is %u, not %u",
					      run, second, bars[i], grade, wanted(bars[i]));
				n_busy[grade]++;
			}
		}
	}
	/* the frames are worth something */
	for (unsigned grade = 0; grade < 4; grade++)
		ck_assert_msg(n_busy[grade] > 50, "grade %u: %u times", grade, n_busy[grade]);
	frame_close(&frame);
	findings_close(findings);
}
