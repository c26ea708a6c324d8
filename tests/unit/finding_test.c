/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings apart from scenes: what rules name and read, their settings, what is added, and frames again. */
#include "suite.h"

#include "core/alloc.h"
#include "model/finding_parts.h"
#include "model/view.h"
#include "pane/panes.h"
#include "scene.h"
#include "scene_rules.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static const struct schema *schema_of(const char *topic)
{
	ck_assert_msg(topic_find(topic), "no topic %s", topic);
	return topic_find(topic)->schema;
}

static bool shows(const struct pane *pane, const struct pane_view *view, const char *topic)
{
	for (unsigned i = 0; pane->tables[i].topic; i++)
		if ((view->table == i || (view->also >> i & 1)) && strcmp(pane->tables[i].topic, topic) == 0)
			return true;
	return false;
}

/* Is there such a view, which has a table of this topic? NULL: any has. */
static bool has_view(const struct pane *pane, const char *name, const char *topic)
{
	for (const struct pane_view *view = pane->views; view && view->name; view++)
		if (strcmp(view->name, name) == 0)
			return !topic || shows(pane, view, topic);
	return false;
}

/* Enter opens a view that exists; of a rule about rows with names of their own, one in which the row is. */
START_TEST(rules_open_what_shows_them)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];
		const struct pane *pane = pane_find(rule->pane);
		const char *shown = rule->key && !rule->subject ? rule->topic : NULL;

		ck_assert_msg(pane && (!rule->view || has_view(pane, rule->view, shown)), "%s", rule->name);
	}
}

/* What an explanation compares is there, too. */
START_TEST(explained_series_open_what_shows_them)
{
	for (const struct explained_series *series = explained_series; series->topic; series++) {
		const struct pane *pane = pane_find(series->pane);

		ck_assert_msg(schema_find(schema_of(series->topic), series->column), "%s.%s", series->topic,
			      series->column);
		ck_assert_msg(pane && (!*series->view || has_view(pane, series->view, NULL)), "%s %s",
			      series->pane, series->view);
		ck_assert_msg(pane_has_table(pane, series->topic), "%s of %s", series->topic, series->pane);
		ck_assert_double_gt(series->least, 0);
	}
}

static void check_value(const struct finding_rule *rule, const struct finding_value *value)
{
	const struct schema *schema = schema_of(value->topic ? value->topic : rule->topic);
	const struct schema *over = value->over_topic ? schema_of(value->over_topic) : schema;

	ck_assert_msg(!value->most || schema_find(schema, value->most), "%s.%s", schema->name, value->most);
	ck_assert_msg(schema_find(schema, value->column), "%s.%s", schema->name, value->column);
	ck_assert_msg(!value->over || schema_find(over, value->over), "%s.%s", over->name, value->over);
}

/* What no value of the rule is. */
static bool is_made(const char *place, const struct finding_rule *rule)
{
	bool of_culprit = strncmp(place, "{who}", 5) == 0 || strncmp(place, "{use", 4) == 0;

	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++)
		if (strcmp(rule->values[i].name, "window") == 0)
			return false;
	return strncmp(place, "{window}", 8) == 0 || strncmp(place, "{since}", 7) == 0 ||
	       (rule->culprit && of_culprit && place[4] != 'd');
}

/* Has the text had it before? */
static bool is_again(const char *place, const char *text)
{
	const char *first = strstr(text, textf("%.*s", (int)strcspn(place, ":}") + 1, place));

	return first && first < place;
}

/* Topics, columns and places in the text are those that exist; rules to which one yields, too. */
START_TEST(rules_name_what_exists)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];
		unsigned n_places = 0, n_found = 0;

		ck_assert_ptr_nonnull(rule->subject ? rule->subject : rule->key);
		if (rule->key)
			ck_assert_ptr_nonnull(schema_find(schema_of(rule->topic), rule->key));
		for (const char *at = rule->text; (at = strchr(at, '{')); at++)
			n_places += !is_made(at, rule) && !is_again(at, rule->text);
		for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
			check_value(rule, &rule->values[i]);
			n_found += strstr(rule->text, textf("{%s}", rule->values[i].name)) ||
				   strstr(rule->text, textf("{%s:", rule->values[i].name));
		}
		if (r == 0 || strcmp(rule->name, finding_rules[r - 1].name) != 0)
			ck_assert_msg(n_found == n_places, "%s: %s", rule->name, rule->text);
		for (unsigned i = 0; i < FINDING_YIELDS_MAX && rule->yields_to[i]; i++)
			ck_assert_msg(finding_setting_known(finding_rules, n_finding_rules,
							    textf("finding.%s", rule->yields_to[i])),
				      "%s yields to %s", rule->name, rule->yields_to[i]);
	}
}

/* Does a limit of the rule test whether this column, or the counter that it is the rate of, is high? */
static bool judges(const struct finding_value *value, const struct schema *schema,
		   const struct column *column)
{
	const struct column *judged = value->topic ? NULL : schema_find(schema, value->column);

	return judged && value->at_least.setting && !value->at_most &&
	       (column == judged ||
		(column->kind == COLUMN_RATE && column->rate_of == judged->offset));
}

/* A cell has the colour of the finding, so that it needs no look where the rule is silent. */
START_TEST(what_a_rule_judges_has_no_limit_of_its_own)
{
	unsigned n_judged = 0;

	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct schema *schema = schema_of(finding_rules[r].topic);

		for (unsigned i = 0; i < FINDING_VALUES_MAX && finding_rules[r].values[i].name; i++)
			for (unsigned c = 0; c < schema->n_columns; c++) {
				const struct column *column = &schema->columns[c];

				if (!judges(&finding_rules[r].values[i], schema, column))
					continue;
				n_judged++;
				ck_assert_msg(column->alarming <= 0, "%s.%s, which %s judges", schema->name,
					      column->key, finding_rules[r].name);
			}
	}
	ck_assert_uint_gt(n_judged, 20);
}

/* Limits of times have a unit, shares are percentages, and what is wrong leaves the limit as it was. */
START_TEST(limits_are_read_and_written_by_their_unit)
{
	static const struct {
		enum unit unit;
		const char *text;
		double number; /* NaN: it is wrong */
		const char *written;
	} cases[] = {
		{ UNIT_SECONDS, "90", 90, "90s" },       { UNIT_SECONDS, "2min", 120, NULL },
		{ UNIT_SECONDS, "0", 0, NULL },          { UNIT_SECONDS, "50%", NAN, NULL },
		{ UNIT_SECONDS, "-1", NAN, NULL },       { UNIT_RATIO, "15.5%", 0.155, "15.5%" },
		{ UNIT_RATIO, "50   %", 0.5, "50%" },    { UNIT_RATIO, "0.25", 0.25, "25%" },
		{ UNIT_RATIO, "50% x", NAN, NULL },      { UNIT_RATIO, "50 %%", NAN, NULL },
		{ UNIT_RATIO, "x", NAN, NULL },          { UNIT_RATIO, "", NAN, NULL },
		{ UNIT_COUNT, "7", 7, "7" },             { UNIT_COUNT, "7min", NAN, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding_limit limit = { .setting = "own", .unit = cases[i].unit, .number = 77 };
		const struct finding_rule rules[] = { { .name = "a" }, { .name = "b", .hold = limit } };
		bool good = !isnan(cases[i].number);
		struct settings settings;
		char text[VALUE_TEXT_MAX];

		settings_open(&settings);
		settings_set(&settings, "finding.own", cases[i].text, 0);
		ck_assert_msg(finding_setting_valid(rules, 2, "finding.own", cases[i].text) == good, "%s",
			      cases[i].text);
		ck_assert_double_eq(finding_number(&settings, &limit), good ? cases[i].number : 77);
		if (cases[i].written)
			ck_assert_str_eq(finding_limit_text(text, &limit, cases[i].number), cases[i].written);
		settings_close(&settings);
	}
}

/* What they do is in scenes. */
START_TEST(settings_of_rules)
{
	static const struct {
		const char *name, *text;
		bool is_known, is_valid;
	} cases[] = {
		{ "finding.memory_stalled", "4%", true, true },
		{ "finding.memory_stalled", "4x", true, false },
		{ "finding.run_queue_seconds", "5min", true, true },
		{ "finding.zombies", "off", true, true },
		{ "finding.zombies", "on", true, true },
		{ "finding.zombies", "5", true, false },
		{ "finding.answers", "a, b", true, true },
		{ "finding.nothing", "off", false, false },
		{ "memory_short", "off", false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].name, *text = cases[i].text;
		bool is_known = finding_setting_known(finding_rules, n_finding_rules, name);
		bool is_valid = finding_setting_valid(finding_rules, n_finding_rules, name, text);

		ck_assert_msg(is_known == cases[i].is_known && is_valid == cases[i].is_valid, "%s = %s",
			      name, text);
	}
	/* of the last value that a rule may have */
	ck_assert(finding_setting_known(thing_rules, rule_sets[0].n, "finding.full_bytes"));
}

/* Things of a scene of one row, judged by their rules. */
static struct frame frame;

static struct findings *open_things(void)
{
	static const struct schema *const schemas[] = { &thing_schema, &finding_schema };

	frame_open(&frame, schemas, 2);
	return findings_open(thing_rules, rule_sets[0].n, NULL);
}

static void close_things(struct findings *findings)
{
	frame_close(&frame);
	findings_close(findings);
}

static void judge(struct findings *findings, unsigned second, const char *row)
{
	char text[64];
	struct scene scene = { 0 };

	snprintf(text, sizeof(text), "0 thing %s", row);
	scene_add(&scene, text);
	scene_fill(&scene, &frame, second);
	findings_derive(findings, &frame, FINDINGS_EVERYWHERE);
	scene_empty(&scene);
}

/* Rules in their order, which are numbered so. */
static void check_rules(const char *expected)
{
	const struct table *table = frame_table(&frame, "finding");
	char text[256] = "";

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		ck_assert_uint_eq(table_u64(table, row, "number"), i + 1);
		strcat(strcat(text, i > 0 ? " " : ""), table_text(table, row, "rule"));
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(what_is_added_comes_behind_what_is_critical)
{
	static const struct finding_added first = { "first", "load", "is high", "system", "overview", 12.5 },
					  second = { "second", "", "", "", "", 0 };
	struct findings *findings = open_things();

	findings_add(&frame, &first); /* it has no such table */
	ck_assert_uint_eq(frame_slot(&frame, "finding")->n_rows, 0);
	judge(findings, 0, "calm load=0.1");
	findings_add(&frame, &first);
	check_rules("first");
	judge(findings, 1, "a load=0.8");
	findings_add(&frame, &first);
	findings_add(&frame, &second);
	check_rules("loaded second first");
	judge(findings, 2, "b load=0.6");
	findings_add(&frame, &first);
	check_rules("first loaded loaded"); /* the last one is that a is over */
	check_values(&frame, "finding", "rule=first severity=warning subject=load since_seconds=12.5 "
					"text=is high topic=system pane=overview");
	close_things(findings);
}

/* What is kept of a frame is shown again, whatever it has now; frames before those begin anew. */
START_TEST(frames_that_come_again_are_as_they_were)
{
	struct findings *findings = open_things();
	uint64_t mono_ns;

	findings_keep(findings);
	for (unsigned second = 0; second < 10; second++)
		judge(findings, second, "a spare=0.2");
	mono_ns = frame.mono_ns;
	ck_assert(findings_are_kept(findings, mono_ns) && !findings_are_kept(findings, mono_ns + 1));
	judge(findings, 7, "a spare=0.9");
	check_values(&frame, "finding", "rule=scarce since_seconds=7 text=20 % left row=a");
	judge(findings, 10, "a spare=0.2");
	check_values(&frame, "finding", "rule=scarce since_seconds=10");
	for (unsigned second = 11; second < 200; second++)
		judge(findings, second, "a spare=0.9");
	ck_assert(!findings_are_kept(findings, mono_ns));
	judge(findings, 9, "a spare=0.2");
	check_rules("");
	findings_begin(findings, FINDINGS_CUT);
	judge(findings, 300, "a spare=0.9");
	ck_assert(!findings_are_kept(findings, frame.mono_ns));
	judge(findings, 330, "a spare=0.9");
	ck_assert(findings_are_kept(findings, frame.mono_ns));
	close_things(findings);
}

/* The rows about which there are findings. */
static void check_about(const char *expected)
{
	const struct table *things = frame_table(&frame, "thing");
	char text[64] = "";

	for (size_t i = 0; i < things->n_rows; i++) {
		size_t at = 0;

		if (finding_about(&frame, things->schema, table_row(things, i), &at))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%zu ", i);
	}
	ck_assert_str_eq(text, expected);
}

/* A recording has no keys of rows: they are found by the names, and by what the rules say of rows. */
START_TEST(findings_that_were_recorded_are_about_their_rows)
{
	static const char *const rows[] = { "a/1 load=0.1", "a/2 load=0.8", "a/3 load=0.6",
					    "b/4 load=0.2 called=x", "b/5 load=0.7 called=y" };
	struct findings *findings = open_things();
	struct scene scene = { 0 };
	struct table *table;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		char text[64];

		snprintf(text, sizeof(text), "0 thing %s", rows[i]);
		scene_add(&scene, text);
	}
	scene_fill(&scene, &frame, 0);
	findings_derive(findings, &frame, FINDINGS_EVERYWHERE);
	check_about("1 2 4 ");
	table = frame_slot(&frame, "finding");
	for (size_t i = 0; i < table->n_rows; i++)
		((struct finding_row *)(void *)table->rows)[i].row_key = 0;
	check_about("");
	findings_find_rows(findings, &frame);
	check_about("1 2 4 ");
	scene_empty(&scene);
	close_things(findings);
}

/* The row of a group has what other topics say of it, also recorded, and while it lasts; others have not. */
START_TEST(rows_of_groups_have_the_grade_of_what_names_them)
{
	static const struct {
		const char *row;
		unsigned second;
		enum grade one, two;
	} cases[] = {
		{ "0 kill /one age_seconds=12+1 kills=1 killed=java 4711", 17, GRADE_ALARM, GRADE_CALM },
		{ "0 kill /one age_seconds=12+1 kills=1 killed=java 4711", 18, GRADE_CALM, GRADE_CALM },
		{ "0 kill /one/a age_seconds=12+1 kills=1", 17, GRADE_CALM, GRADE_CALM },
		{ "0 memory_limit memory//two used_bytes=99 limit_bytes=100 caches_bytes=0", 0, GRADE_CALM,
		  GRADE_ALARM },
		{ "0 cpu_limit /two throttled_periods=5+8 periods=9+10 limit_ratio=1", 12, GRADE_CALM,
		  GRADE_ALARM },
		{ "0 filesystem /one mode=rw used_ratio=0.99 total_bytes=-", 0, GRADE_CALM, GRADE_CALM },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
		struct scene scene = { 0 };
		char row[128], one[] = "0 group /one tasks=1", two[] = "0 group /two tasks=1";
		const struct table *groups;

		snprintf(row, sizeof(row), "%s", cases[i].row);
		scene_add(&scene, row);
		scene_add(&scene, one);
		scene_add(&scene, two);
		frame_open(&frame, topic_schemas(), n_topics);
		for (unsigned second = 0; second <= cases[i].second; second++) {
			scene_fill(&scene, &frame, second);
			findings_derive(findings, &frame, FINDINGS_EVERYWHERE);
		}
		ck_assert_uint_eq(frame_table(&frame, "finding")->n_rows, 1);
		groups = frame_table(&frame, "group");
		for (unsigned recorded = 0; recorded <= 1; recorded++) {
			ck_assert_msg(grade_of_cell(findings, &frame, groups->schema, table_row(groups, 0),
						    NULL) == cases[i].one, "%s", cases[i].row);
			ck_assert_msg(grade_of_cell(findings, &frame, groups->schema, table_row(groups, 1),
						    NULL) == cases[i].two, "%s", cases[i].row);
			((struct finding_row *)(void *)frame_slot(&frame, "finding")->rows)->of_group = false;
			findings_find_rows(findings, &frame);
		}
		scene_empty(&scene);
		close_things(findings);
	}
}

START_TEST(findings_are_derived_where_they_are_sampled)
{
	static const struct schema *const alone[] = { &thing_schema };
	struct findings *findings = open_things();
	struct frame without;

	judge(findings, 0, "b load=0.6");
	frame_slot(&frame, "finding")->present = false;
	findings_derive(findings, &frame, FINDINGS_WHERE_ASKED);
	ck_assert_ptr_null(frame_table(&frame, "finding"));
	frame_slot(&frame, "finding")->present = true;
	for (unsigned i = 0; i < 2; i++) { /* in the place of those before */
		findings_derive(findings, &frame, FINDINGS_WHERE_ASKED);
		check_rules("loaded");
	}
	ck_assert_uint_eq(frame_table(&frame, "finding")->mono_ns, frame.mono_ns);
	frame_open(&without, alone, 1);
	findings_derive(findings, &without, FINDINGS_EVERYWHERE);
	findings_add(&without, &(struct finding_added){ "r", "s", "t", "thing", "p", 0 });
	frame_close(&without);
	close_things(findings);
}

/* Topics without which a rule cannot speak are named, each once; those that its sentence looks at are not. */
START_TEST(what_is_not_sampled_is_not_judged)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, NULL);
	bool *asked = alloc_zeroed(n_topics, sizeof(*asked));

	frame_open(&frame, topic_schemas(), n_topics);
	findings_note_lack(findings, &frame);
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const char *topic = finding_rules[r].topic, *found = strstr(frame.notices[0].text, topic);

		ck_assert_msg(finding_rules[r].with || found, "%s", topic);
		frame_slot(&frame, topic)->present = strcmp(topic, "filesystem") != 0;
	}
	ck_assert_ptr_nonnull(strstr(frame.notices[0].text, "paging")); /* a limit of another topic's rule */
	frame_slot(&frame, "paging")->present = frame_slot(&frame, "system")->present = true;
	frame_slot(&frame, "disk")->present = true;
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 2);
	ck_assert_str_eq(frame.notices[1].text, "not judged, since not sampled here: filesystem");
	frame_slot(&frame, "filesystem")->present = true;
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 2);
	frame_slot(&frame, "battery")->failed = true; /* there is none */
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 2);
	frame_slot(&frame, "pressure")->failed = frame_slot(&frame, "kill")->failed = true;
	frame_notice(&frame, "pressure", NULL, "no such file");
	frame_notice(&frame, "kill", NULL, "not permitted"); /* other rules know of kills */
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 5);
	ck_assert_str_eq(frame.notices[4].text, "not judged, since not sampled here: pressure");
	frame_slot(&frame, "reclaim")->failed = true;
	frame_notice(&frame, "reclaim", NULL, "no such file");
	findings_note_lack(findings, &frame);
	ck_assert_str_eq(frame.notices[6].text,
			 "not judged, since not sampled here: kill, reclaim, pressure");
	frame.n_notices = 2;
	frame_slot(&frame, "pressure")->failed = frame_slot(&frame, "kill")->failed = false;
	frame_slot(&frame, "reclaim")->failed = frame_slot(&frame, "battery")->failed = false;
	frame_notice(&frame, "failing", NULL, "without records"); /* not of what is shown */
	frame_notice(&frame, "group", NULL, "no CPU time");
	table_add(frame_slot(&frame, "group"));
	findings_note_lack(findings, &frame);
	ck_assert_uint_eq(frame.n_notices, 5);
	ck_assert_str_eq(frame_newest_notice(&frame, NOTICE_NOT_JUDGED)->text, "without records");
	frame.n_notices = 4;
	asked[frame_slot(&frame, "failing") - frame.tables] = true;
	findings_note_empty(findings, &frame, asked);
	ck_assert_uint_eq(frame.n_notices, 4);
	asked[frame_slot(&frame, "failing") - frame.tables] = false;
	findings_note_empty(findings, &frame, asked);
	ck_assert_uint_eq(frame.n_notices, 5);
	ck_assert_str_eq(frame.notices[4].topic, NOTICE_NOT_JUDGED);
	ck_assert_str_eq(frame.notices[4].text, "without records");
	free(asked);
	close_things(findings);
}

static const struct finding_rule wanting_rules[] = {
	{ .name = "one",
	  .topic = "thing",
	  .values = { { .name = "a", .topic = "system", .column = "load1" },
		      { .name = "b", .column = "load" },
		      { .name = "c", .column = "load", .less_topic = "memory" },
		      { .name = "d", .column = "load" },
		      { .name = "e", .column = "load" },
		      { .name = "f", .column = "load", .over_topic = "cpu" } } },
	{ .name = "two", .topic = "place", .with = "process" },
};

/* What its numbers are of, what is taken off them, and what they are divided by: to the last one. */
START_TEST(all_that_rules_read_is_wanted)
{
	static const struct schema named[] = { { .name = "thing" },  { .name = "system" },
					       { .name = "memory" }, { .name = "cpu" },
					       { .name = "place" },  { .name = "process" },
					       { .name = "other" } };
	static const struct {
		bool finding, process, recorded;
		const char *wanted; /* of finding and those above, in that order */
	} cases[] = {
		{ true, false, false, "11111000" }, { true, true, false, "11111110" },
		{ true, false, true, "11111100" },  { false, true, true, "00000010" },
		{ false, false, true, "00000000" },
	};
	const struct schema *all[8] = { &finding_schema };

	for (size_t i = 0; i < 7; i++)
		all[i + 1] = &named[i];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool wanted[8] = { cases[i].finding, [6] = cases[i].process };

		findings_want(wanting_rules, 2, all, 8, cases[i].recorded, wanted);
		for (size_t j = 0; j < 8; j++)
			ck_assert_msg(wanted[j] == (cases[i].wanted[j] == '1'), "%zu: %s", i, all[j]->name);
	}
}

/* Also what is read on request alone, but for a sample in which findings rest. */
START_TEST(columns_that_rules_read_are_requested)
{
	static const struct {
		const char *topic, *columns;
	} reads[] = { { "process", "disk_bytes,disk_bytes_per_second,children_faults_per_second" },
		      { "interface", "speed_bits,used_bits,capacity_bits" } };
	bool *all = alloc_zeroed(n_topics, sizeof(*all));
	struct sample_request request = { .resting = all };

	for (int wanted = 0; wanted <= 1; wanted++) {
		findings_request(finding_rules, n_finding_rules, topic_schemas(), n_topics, all, &request);
		for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
			const struct schema *schema = schema_of(reads[i].topic);
			unsigned long columns = schema_requested_columns(schema, reads[i].columns);

			ck_assert(sample_request_wants_any(&request, schema) == wanted);
			ck_assert(!wanted || !sample_request_add(&request, schema, columns));
		}
		memset(all, 1, n_topics * sizeof(*all));
		findings_request(finding_rules, n_finding_rules, topic_schemas(), n_topics, all, &request);
		request.resting = NULL;
	}
	free(all);
}
