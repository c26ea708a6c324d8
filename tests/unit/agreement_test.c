/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars of the overview and findings agree: each is as bad as those of its rules, in random frames, too. And
 * findings agree, however a sample of a recording is reached.
 */
#include "suite.h"

#include "core/buffer.h"
#include "core/hash.h"
#include "model/finding.h"
#include "model/pipeline.h"
#include "pane/overview/overview_gauge.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define SEED 20261129
#define RUNS 400
#define FRAMES 25 /* of a run, a second apart: 10,000 in all */

/* Rules about rows of these topics, or with another subject, have a bar, too. */
static const struct {
	const char *topic, *rule, *bar;
} shown[] = {
	{ "disk", NULL, "disks" },        { "filesystem", NULL, "disks" },
	{ "interface", NULL, "network" },
	{ "temperature", NULL, "power" }, { "throttle", NULL, "power" },      { "throttle", NULL, "CPU" },
	{ NULL, "run_queue", "load" },    { NULL, "run_queue", "pressure" },  { NULL, "io_wait", "pressure" },
	{ NULL, "memory_short", "pressure" },
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
			if (table->schema->columns[i].kind == COLUMN_KEY && n < 2 &&
			    table->schema->columns[i].type == VALUE_TEXT)
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

static const struct finding_rule *find_rule(const char *name)
{
	for (unsigned i = 0; i < n_finding_rules; i++)
		if (strcmp(finding_rules[i].name, name) == 0)
			return &finding_rules[i];
	return NULL;
}

static bool is_shown_by(const char *name, const char *bar)
{
	const struct finding_rule *rule = find_rule(name);

	for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (strcmp(shown[i].bar, bar) == 0 &&
		    (shown[i].rule ? strcmp(shown[i].rule, name) == 0
				   : rule->key && strcmp(shown[i].topic, rule->topic) == 0))
			return true;
	return !rule->key && strcmp(rule->subject, bar) == 0;
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

/* Does the memory pane say why it has the grade of this rule? */
static void check_memory_says(const char *rule, const char *text)
{
	static const char *const others[][2] = { { "memory_busy", "% available: " },
						 { "memory_short", "Tasks wait for it " } };
	struct memory_facts facts;
	struct buffer verdict = { 0 };
	int grade;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		text = strcmp(rule, others[i][0]) == 0 ? others[i][1] : text;
	memory_facts_make(&facts, &frame, NULL);
	grade = memory_verdict(&verdict, &facts);
	buffer_char(&verdict, '\0');
	ck_assert_msg((grade == GRADE_ALARM) == (strstr(verdict.bytes, text) != NULL), "%s: %s", rule,
		      verdict.bytes);
	buffer_free(&verdict);
}

START_TEST(a_rule_colours_the_bars_of_its_resource_alone)
{
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];
	unsigned n_coloured = 0, n;

	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const char *const cells[][2] = { { "rule", finding_rules[r].name },
						 { "severity", "warning" },
						 { "state", "now" },
						 { "text", "It is so." } };
		struct table *table = frame_slot(&frame, "finding");
		void *row;

		fill(0, 1);
		set("power", "total", NULL, "watts", 9);
		row = table_add(table);
		for (unsigned c = 0; c < sizeof(cells) / sizeof(cells[0]); c++)
			row_set_text(row, schema_known_column(table->schema, cells[c][0]), cells[c][1]);
		n = overview_gauges(&frame, gauges);
		for (unsigned i = 0; i < n; i++) {
			bool is_coloured = gauges[i].grade == GRADE_ALARM;

			ck_assert_msg(is_coloured == is_shown_by(finding_rules[r].name, gauges[i].name),
				      "%s, bar %s", finding_rules[r].name, gauges[i].name);
			n_coloured += is_coloured;
		}
		check_memory_says(finding_rules[r].name, "It is so.");
	}
	ck_assert_uint_gt(n_coloured, 20);
	frame_close(&frame);
}

/* The word of the memory pane. */
static enum grade memory_word(void)
{
	struct memory_facts facts;
	struct buffer text = { 0 };
	int grade;

	memory_facts_make(&facts, &frame, NULL);
	grade = memory_verdict(&text, &facts);
	ck_assert_uint_gt(text.length, 0);
	buffer_free(&text);
	return (enum grade)grade;
}

static enum grade worst_of(const struct overview_gauge *one, const struct overview_gauge *other)
{
	return one->grade > other->grade ? one->grade : other->grade;
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

		findings_begin(findings, FINDINGS_FROM_FIRST);
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
			ck_assert_int_eq(memory_word(),
					 worst_of(find(gauges, n, "memory"), find(gauges, n, "swap")));
			ck_assert_int_eq(cpu_grade(findings, &frame, 1), find(gauges, n, "CPU")->grade);
			ck_assert_int_eq(cpu_grade(findings, &frame, 0.5), GRADE_CALM);
		}
	}
	/* the frames are worth something */
	for (unsigned grade = 0; grade < 4; grade++)
		ck_assert_msg(n_busy[grade] > 50, "grade %u: %u times", grade, n_busy[grade]);
	frame_close(&frame);
	findings_close(findings);
}

/* A recording of half an hour, in which loads come and go. */

#define STEP 5         /* seconds between frames */
#define N_FRAMES 360
#define N_FEW 24       /* frames that are not enough */

static double noise(unsigned of, unsigned at)
{
	return (double)(hash_u64(of * UINT64_C(1000003) + at) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Is this load there? Each has times of its own, up to five minutes or so. */
static bool is_on(unsigned of, unsigned index)
{
	return noise(of, index / (4 + 7 * of)) > 0.5;
}

/* A counter that grows by so much in a second while its load is there. */
static double counted(unsigned of, unsigned index, double on, double off)
{
	double sum = 100;

	for (unsigned i = 1; i <= index; i++)
		sum += STEP * (is_on(of, i) ? on : off);
	return sum;
}

static void fill_recorded(unsigned index)
{
	static const char *const names[] = { "cc1", "java", "dd" };
	unsigned n_failed = 0;

	frame_clear(&frame);
	frame.mono_ns = (1000 + STEP * index) * UINT64_C(1000000000);
	frame.wall_ns = frame.mono_ns + UINT64_C(1700000000000000000);
	set("cpu", "all", NULL, "busy_seconds", counted(1, index, 1.95, 0.3));
	set("cpu", "all", NULL, "total_seconds", 100 + 2 * STEP * index);
	set("system", NULL, NULL, "cpus", 2);
	set("system", NULL, NULL, "running", is_on(1, index) ? 3 + noise(20, index) : 1);
	set("system", NULL, NULL, "blocked", is_on(2, index) ? 2 + noise(21, index) : 0);
	set("pressure", "cpu", "some", "avg10_ratio", is_on(1, index) ? 0.4 + noise(22, index) / 5 : 0.1);
	set("pressure", "io", "full", "avg10_ratio", is_on(2, index) ? 0.15 + noise(23, index) / 10 : 0);
	set("disk", "all", NULL, "busy_seconds", counted(2, index, 0.9, 0.01));
	set("disk", "sda", NULL, "busy_seconds", counted(2, index, 0.97, 0.01));
	set("group", "/one", NULL, "throttled_periods", counted(3, index, 2.4, 0.1));
	set("group", "/one", NULL, "periods", 100 + 10 * STEP * index);
	set("group", "/one", NULL, "cpu_limit_ratio", 0.5);
	set("packet_loss", "udp", "receive buffer full", "lost", counted(4, index, 30, 0));
	set("filesystem", "/srv", NULL, "used_ratio", is_on(30, index) ? 0.96 : 0.9);
	set("filesystem", "/home", NULL, "used_ratio", index < 180 ? 0.9 : 0.97);
	/* a little less than what it takes to begin, for many minutes */
	set("group", "/two", NULL, "throttled_periods",
	    STEP * (3 * fmin(fmax(index - 150.0, 0), 20) + 2.2 * fmax(index - 170.0, 0)));
	set("group", "/two", NULL, "periods", 100 + 10 * STEP * index);
	set("group", "/two", NULL, "cpu_limit_ratio", 2);
	set("memory", "mem", NULL, "total_bytes", 1e10);
	set("meminfo", "SUnreclaim", NULL, "value_bytes",
	    1e9 + counted(12, index, 8e5 * (1 + noise(27, index / 8)), -4e5));
	while (n_failed < index && is_on(5, index - n_failed))
		n_failed++;
	frame_slot(&frame, "failing")->present = true;
	if (n_failed > 0) {
		set("failing", "sh", "loop", "exits", STEP * n_failed);
		set("failing", "sh", "loop", "failures", STEP * n_failed);
	}
	for (unsigned i = 0; i < LENGTH(names); i++) {
		set("process", names[i], NULL, "pid", 10 + i);
		row_set_text(table_row(frame_table(&frame, "process"), i),
			     schema_find(frame_table(&frame, "process")->schema, "name"), names[i]);
		set("process", names[i], NULL, "cpu_seconds", counted(6 + i, index, 1 + 0.12 * i, 0.9));
		set("process", names[i], NULL, "disk_bytes", counted(9 + i, index, 1e6 * noise(i, 2), 0));
	}
	frame_slot(&frame, "finding")->present = true;
}

static struct frame recorded[N_FRAMES];

static int next(void *state, struct frame *into)
{
	size_t *index = state;

	if (*index >= N_FRAMES)
		return 0;
	frame_copy(into, &recorded[(*index)++]);
	return 1;
}

static int seek(void *state, size_t index)
{
	*(size_t *)state = index;
	return 0;
}

static size_t find_at(void *state, uint64_t wall_ns)
{
	size_t index = 0;

	(void)state;
	while (index + 1 < N_FRAMES && recorded[index + 1].wall_ns <= wall_ns)
		index++;
	return index;
}

/* All of the table of findings of a frame. */
static char *say(struct buffer *out, const struct frame *of)
{
	const struct table *table = frame_table(of, "finding");

	buffer_empty(out);
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		buffer_print(out, "%s %s %s: %s (%s %g %g %g)\n", table_text(table, row, "rule"),
			     table_text(table, row, "state"), table_text(table, row, "subject"),
			     table_text(table, row, "text"), table_text(table, row, "begun"),
			     table_number(table, row, "since_seconds"),
			     table_number(table, row, "ended_seconds"),
			     table_number(table, row, "until_time") - (double)of->wall_ns);
	}
	buffer_char(out, '\0');
	return out->bytes;
}

static char *said[N_FRAMES];
static struct frame jumped[2];

/* What is said at the frame of this index when it is reached in a jump, or in a step back. */
static const char *jump(struct findings *findings, size_t index, size_t n_few, struct buffer *out)
{
	struct frame *const both[] = { &jumped[0], &jumped[1] };
	const struct frame *before = NULL;
	size_t position = 0;
	const struct source source = { .next = next, .seek = seek, .find = find_at, .state = &position };
	const struct pipeline pipeline = { .source = &source, .findings = findings };

	if (n_few == 0)
		pipeline_judge_before(&pipeline, index, both, NULL, NULL);
	else
		findings_begin(findings, FINDINGS_FROM_FIRST);
	for (size_t i = index > n_few ? index - n_few : 0; n_few > 0 && i < index; i++) {
		ck_assert_int_eq(pipeline_derive(&pipeline, i, both[i % 2], before), 1);
		before = both[i % 2];
	}
	ck_assert_int_eq(pipeline_read(&pipeline, index, both[index % 2], both[(index + 1) % 2]), 1);
	return say(out, both[index % 2]);
}

START_TEST(a_jump_says_what_a_run_says)
{
	struct findings *run = findings_open(finding_rules, n_finding_rules, NULL), *jumps;
	struct buffer out = { 0 };
	unsigned n_rows = 0, n_less = 0;

	frame_open(&frame, topic_schemas(), n_topics);
	frame_open(&jumped[0], topic_schemas(), n_topics);
	frame_open(&jumped[1], topic_schemas(), n_topics);
	for (unsigned i = 0; i < N_FRAMES; i++) {
		frame_open(&recorded[i], topic_schemas(), n_topics);
		fill_recorded(i);
		frame_copy(&recorded[i], &frame);
		frame_derive(&frame, i > 0 ? &recorded[i - 1] : NULL);
		findings_derive(run, &frame, FINDINGS_EVERYWHERE);
		said[i] = strdup(say(&out, &frame));
	}
	jumps = findings_open(finding_rules, n_finding_rules, NULL);
	for (unsigned i = 1; i < N_FRAMES; i++) {
		ck_assert_str_eq(jump(jumps, i, 0, &out), said[i]);
		n_rows += (unsigned)frame_table(&frame, "finding")->n_rows;
		n_less += i % 9 == 0 && strcmp(jump(jumps, i, N_FEW, &out), said[i]) != 0;
	}
	/* steps back show what is kept, and beyond that again what a run says */
	findings_keep(jumps);
	for (unsigned from = N_FRAMES; from > 150; from -= 40)
		for (unsigned i = from; i-- > from - 40;)
			ck_assert_str_eq(jump(jumps, i, 0, &out), said[i]);
	ck_assert_uint_gt(n_rows, 3 * N_FRAMES);
	ck_assert_uint_gt(n_less, N_FRAMES / 9 / 2); /* that is not so without the minutes before */
	for (unsigned i = 0; i < N_FRAMES; i++) {
		frame_close(&recorded[i]);
		free(said[i]);
	}
	frame_close(&frame);
	frame_close(&jumped[0]);
	frame_close(&jumped[1]);
	findings_close(run);
	findings_close(jumps);
	buffer_free(&out);
}
