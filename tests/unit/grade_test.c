/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grades: as the findings of a frame say, and of a row, by the limits of its rule and the settings. */
#include "suite.h"

#include "model/finding.h"
#include "pane/common.h"
#include "scene.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static struct frame frame;

static void fill(const char *rows)
{
	struct scene scene = { 0 };
	char text[512], *rest = text, *line;

	snprintf(text, sizeof(text), "%s", rows);
	while ((line = strsep(&rest, ";")))
		scene_add(&scene, line);
	scene_fill(&scene, &frame, 0);
	scene_empty(&scene);
}

/* Rules, their severities, whether they are of the scope, and what a bar of some of them is. */
START_TEST(the_worst_that_holds_counts)
{
	static const struct {
		const char *rows, *rules;
		bool of_scope;
		enum grade expected;
	} cases[] = {
		{ "0 cpu all", "a|b", false, GRADE_CALM },
		{ "0 finding a/x severity=note state=now", "a|b", false, GRADE_BUSY },
		{ "0 finding b/x severity=warning state=now", "a|b", false, GRADE_ALARM },
		{ "0 finding ab/x severity=warning state=now", "a|b", false, GRADE_CALM },
		{ "0 finding a/x severity=note state=now;0 finding b/y severity=critical state=now", "a|b",
		  false, GRADE_CRITICAL },
		{ "0 finding b/x severity=warning state=earlier", "a|b", false, GRADE_CALM },
		{ "0 finding a/x severity=note state=now of=scope", "a", true, GRADE_BUSY },
		{ "0 finding a/x severity=note state=now of=scope", "a", false, GRADE_CALM },
		{ "0 finding a/x severity=note state=now of=machine", "a", true, GRADE_CALM },
		{ "0 finding a/x severity=note state=now of=host", "a", false, GRADE_BUSY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		frame_open(&frame, topic_schemas(), n_topics);
		fill(cases[i].rows);
		ck_assert_msg(grade_of_rules(&frame, cases[i].rules, cases[i].of_scope) == cases[i].expected,
			      "%s", cases[i].rows);
		frame_close(&frame);
	}
}

/* The nearest limit of panetop may be that of the scope: its finding is of the scope, then. */
START_TEST(the_memory_left_of_a_limit_is_as_its_finding)
{
	static const struct {
		const char *finding;
		enum grade expected;
	} cases[] = {
		{ "0 finding memory_limit/x severity=warning state=now of=scope", GRADE_ALARM },
		{ "0 finding memory_limit/x severity=warning state=now of=machine", GRADE_ALARM },
		{ "0 finding memory_limit/x severity=warning state=earlier of=scope", GRADE_CALM },
		{ "0 finding group_memory/x severity=warning state=now of=scope", GRADE_CALM },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer text = { 0 };
		struct memory_facts facts;
		int grade;

		frame_open(&frame, topic_schemas(), n_topics);
		fill(textf("0 system - container_cpus=2;0 memory mem total_bytes=8GiB;"
			   "0 memory available free_bytes=7GiB;"
			   "0 memory_limit memory/a limit_bytes=1GiB free_bytes=1MiB caches_bytes=0;%s",
			   cases[i].finding));
		memory_facts_make(&facts, &frame, NULL);
		grade = memory_verdict(&text, &facts);
		ck_assert_msg(grade == (int)cases[i].expected, "%s", cases[i].finding);
		buffer_free(&text);
		frame_close(&frame);
	}
}

static enum grade grade_of(const struct settings *settings, const char *rule, const char *topic,
			   const char *row)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, settings);
	const struct table *table;
	enum grade grade;

	frame_open(&frame, topic_schemas(), n_topics);
	fill(row);
	table = frame_table(&frame, topic);
	grade = grade_of_row(findings, rule, table->schema, table_row(table, 0));
	frame_close(&frame);
	findings_close(findings);
	return grade;
}

START_TEST(a_row_is_marked_where_its_rule_speaks)
{
	static const struct {
		const char *rule, *topic, *row;
		enum grade expected;
	} cases[] = {
		{ "disk_full", "filesystem", "0 filesystem / mode=rw used_ratio=0.949", GRADE_CALM },
		{ "disk_full", "filesystem", "0 filesystem / mode=rw used_ratio=0.95", GRADE_ALARM },
		{ "disk_full", "filesystem", "0 filesystem / mode=rw used_ratio=0.99", GRADE_CRITICAL },
		{ "disk_full", "filesystem", "0 filesystem / mode=ro used_ratio=1", GRADE_CALM },
		{ "disk_full", "filesystem", "0 filesystem / mode=rw used_ratio=1 total_bytes=4MiB",
		  GRADE_CALM },
		{ "disk_full", "filesystem", "0 filesystem / mode=rw used_ratio=-", GRADE_CALM },
		{ "battery_low", "battery", "0 battery b status=Discharging charge_ratio=0.11", GRADE_CALM },
		{ "battery_low", "battery", "0 battery b status=Discharging charge_ratio=0.1", GRADE_ALARM },
		/* another one may have enough, which its finding knows */
		{ "battery_low", "battery", "0 battery b status=Discharging charge_ratio=0.05", GRADE_ALARM },
		{ "battery_low", "battery", "0 battery b status=Charging charge_ratio=0.05", GRADE_CALM },
		{ "no_such_rule", "battery", "0 battery b charge_ratio=0", GRADE_CALM },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(grade_of(NULL, cases[i].rule, cases[i].topic, cases[i].row) ==
				      cases[i].expected,
			      "%s", cases[i].row);
	ck_assert_int_eq(grade_of_row(NULL, "disk_full", NULL, NULL), GRADE_CALM);
}

START_TEST(settings_change_them)
{
	static const char row[] = "0 filesystem / mode=rw used_ratio=0.8 inodes_used_ratio=0.8";
	struct settings settings;

	settings_open(&settings);
	settings_set(&settings, "finding.disk_full_used", "80%", 0);
	ck_assert_int_eq(grade_of(&settings, "disk_full", "filesystem", row), GRADE_ALARM);
	ck_assert_int_eq(grade_of(&settings, "inodes_full", "filesystem", row), GRADE_CALM);
	settings_set(&settings, "finding.disk_full", "off", 0);
	ck_assert_int_eq(grade_of(&settings, "disk_full", "filesystem", row), GRADE_CALM);
	settings_close(&settings);
}
