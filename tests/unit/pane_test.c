/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of panes: what they say in words, and the names of columns in their descriptors. */
#include "suite.h"

#include "given_facts.h"
#include "pane/common.h"
#include "pane/panes.h"
#include "pane/power/power.h"
#include "scene.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

START_TEST(words_of_panes)
{
	char text[TEXT_MAX];

	ck_assert_str_eq(failure_text(text, -ESRCH, NULL), "the process has ended");
	ck_assert_str_eq(failure_text(text, -ENOTSUP, NULL), "this is not the live machine");
	ck_assert_str_eq(failure_text(text, -EPERM, "run it as root"),
			 "Operation not permitted; run it as root");
}

START_TEST(no_two_panes_have_a_digit_or_a_name)
{
	for (unsigned i = 0; i < n_panes; i++) {
		for (unsigned j = 0; j < i; j++) {
			ck_assert_str_ne(panes[i]->name, panes[j]->name);
			ck_assert_msg(!panes[i]->digit || panes[i]->digit != panes[j]->digit, "%s and %s: %c",
				      panes[i]->name, panes[j]->name, panes[i]->digit);
		}
	}
}

static const struct schema *schema_of(const struct pane *pane, const char *topic)
{
	const struct topic *found = topic_find(topic);

	ck_assert_msg(found != NULL, "pane %s: unknown topic %s", pane->name, topic);
	return found->schema;
}

/* A number that a pane shows. */
static void assert_number(const struct pane *pane, const struct series *series)
{
	const struct column *column = schema_find(schema_of(pane, series->topic), series->column);

	ck_assert_msg(column != NULL, "pane %s: %s has no column %s", pane->name, series->topic,
		      series->column);
	ck_assert_msg(column->type != VALUE_TEXT, "pane %s: %s.%s is a text", pane->name, series->topic,
		      series->column);
}

static bool has_option(const struct pane *pane, const char *name)
{
	for (unsigned i = 0; i < n_all_settings; i++)
		if (setting_is_option_of(&all_settings[i], pane->name) &&
		    strcmp(setting_option(&all_settings[i]), name) == 0)
			return true;
	return false;
}

static void assert_table(const struct pane *pane, const struct pane_table *table)
{
	const struct schema *schema = schema_of(pane, table->topic);
	const char *wrong = "";
	struct view view;

	view_open(&view, schema);
	ck_assert_msg(!table->columns || view_choose_columns(&view, table->columns, &wrong) == 0,
		      "pane %s, table %s: wrong columns from '%s'", pane->name, table->topic, wrong);
	ck_assert_msg(!table->sort || view_choose_sort(&view, table->sort) == 0,
		      "pane %s, table %s: it cannot be sorted by '%s'", pane->name, table->topic,
		      table->sort);
	ck_assert_msg(!table->option || has_option(pane, table->option), "pane %s has no option --%s",
		      pane->name, table->option);
	view_close(&view);
}

/* A misspelt name would show "-" for ever. */
START_TEST(panes_name_only_what_topics_have)
{
	for (unsigned p = 0; p < n_panes; p++) {
		const struct pane *pane = panes[p];

		for (const struct pane_table *table = pane->tables; table->topic; table++)
			assert_table(pane, table);
		for (unsigned i = 0; i < pane->n_series; i++)
			assert_number(pane, &pane->series[i]);
		for (const struct summary_column *cell = pane->summary; cell && cell->series.topic; cell++) {
			assert_number(pane, &cell->series);
			ck_assert_msg(!cell->rows ||
					      schema_find(schema_of(pane, cell->series.topic), "label"),
				      "pane %s: rows of %s have no label", pane->name, cell->series.topic);
		}
		if (pane->assertion) {
			schema_of(pane, pane->assertion->topic);
			schema_of(pane, pane->assertion->phases);
		}
	}
	for (unsigned i = 0; headline_topics[i]; i++)
		ck_assert_ptr_nonnull(topic_find(headline_topics[i]));
}

/* Is it sampled whenever the pane is shown? topic NULL: nothing has to be. */
static bool samples(const struct pane *pane, const char *topic)
{
	bool found = !topic;

	for (const struct pane_table *table = pane->tables; table->topic && topic; table++)
		found |= !table->lazy && !table->on_request && strcmp(table->topic, topic) == 0;
	for (unsigned i = 0; i < pane->n_series && topic; i++)
		found |= strcmp(pane->series[i].topic, topic) == 0;
	for (unsigned i = 0; headline_topics[i] && topic; i++)
		found |= strcmp(headline_topics[i], topic) == 0;
	return found;
}

/* Else a colour would be there in some samples only: those that have the tables of the overview, too. */
START_TEST(rules_that_colour_a_pane_are_judged_in_all_its_samples)
{
	static const struct {
		const char *pane, *rules;
	} coloured[] = { { "cpu", RULES_OF_CPU "|cpu_limit" }, { "memory", RULES_OF_MEMORY_PANE },
			 { "memory", RULES_OF_GROUP_MEMORY }, { "disks", RULES_OF_DISKS },
			 { "network", RULES_OF_NETWORK },     { "groups", "group_cpu|group_io|group_memory" },
			 { "power", "heat|hot|battery_low" } };

	for (size_t i = 0; i < sizeof(coloured) / sizeof(coloured[0]); i++)
		for (unsigned r = 0; r < n_finding_rules; r++) {
			const struct finding_rule *rule = &finding_rules[r];
			const struct pane *pane = pane_find(coloured[i].pane);

			if (!text_is_one_of(rule->name, span_text(coloured[i].rules)))
				continue;
			ck_assert_msg(samples(pane, rule->topic), "%s: %s", pane->name, rule->name);
			for (const struct finding_value *value = rule->values;
			     value < rule->values + FINDING_VALUES_MAX && value->name; value++)
				ck_assert_msg(!value->at_least.setting || value->or_unknown ||
						      (samples(pane, value->topic) &&
						       samples(pane, value->less_topic) &&
						       samples(pane, value->over_topic)),
					      "%s: %s of %s", pane->name, value->name, rule->name);
		}
}

/* A verdict, and the facts in which it differs from a calm laptop. */
START_TEST(the_verdict_of_power_is_of_its_numbers)
{
	static const char laptop[] =
		"watts=9.09 mean_watts=10.26 min_watts=5.24 max_watts=18.98 run_seconds=300 sensor=package "
		"celsius=47 critical_celsius=100 throttled=0 step_seconds=2";
	static const char heat[] = "47 °C at package, critical is 100 °C.";
	static const char range[] = "9.09 W, 5.24 W to 18.98 W in 5 min.";
	static const char unknown[] = "watts=- celsius=- throttled=-";
	static const struct {
		const char *facts;
		enum power_level level;
		const char *expected[4]; /* with a blank between them */
	} cases[] = {
		{ "", POWER_OK, { "OK ", range, heat, "Not throttled." } },
		{ "watts=18.9", POWER_HIGH,
		  { "HIGH ", "18.90 W, near its maximum of 18.98 W.", heat, "Not throttled." } },
		{ "watts=18.9 throttled=4", POWER_THROTTLED,
		  { "THROTTLED  4 CPUs were slowed down for heat in the last 2 s.",
		    "18.90 W, near its maximum of 18.98 W.", heat } },
		{ "throttled=1", POWER_THROTTLED,
		  { "THROTTLED  1 CPU was slowed down for heat in the last 2 s.", range, heat } },
		{ "celsius=95", POWER_HOT,
		  { "HOT ", range, "95 °C at package, critical is 100 °C.", "Not throttled." } },
		{ "celsius=100", POWER_HOT,
		  { "TOO HOT ", range, "100 °C at package, critical is 100 °C.", "Not throttled." } },
		{ "critical_celsius=- high_celsius=47", POWER_HOT,
		  { "HOT ", range, "47 °C at package, high is 47 °C.", "Not throttled." } },
		{ "battery=BAT0 charge_ratio=0.07", POWER_LOW,
		  { "LOW  BAT0 has 7 % left.", range, heat, "Not throttled." } },
		/* a steady draw */
		{ "watts=5.3 max_watts=5.3 mean_watts=5.2", POWER_OK,
		  { "OK ", "5.30 W, 5.24 W to 5.30 W in 5 min.", heat, "Not throttled." } },
		{ "watts=5.3 max_watts=5.3 mean_watts=5.2 min_watts=5.3", POWER_OK,
		  { "OK ", "5.30 W.", heat, "Not throttled." } },
		/* a maximum of the first seconds */
		{ "watts=18.9 run_seconds=10", POWER_OK, { "OK ", "18.90 W.", heat, "Not throttled." } },
		/* a charge that suffices, a warm sensor */
		{ "watts=17.9 celsius=94", POWER_OK,
		  { "OK ", "17.90 W, 5.24 W to 18.98 W in 5 min.", "94 °C at package, critical is 100 °C.",
		    "Not throttled." } },
		/* a limit that is set higher */
		{ "watts=- celsius=- throttled=- battery=BAT0 charge_ratio=0.18", POWER_LOW,
		  { "LOW  BAT0 has 18 % left.", "Nothing measures watts here." } },
		/* no battery is low */
		{ "charge_ratio=0.01 throttled=-", POWER_OK, { "OK ", range, heat } },
		{ unknown, POWER_UNKNOWN,
		  { "No power or temperature sensors (usual in a VM). Load and clock speed below." } },
		{ "watts=- celsius=- no_watts=lost no_heat=late", POWER_UNKNOWN,
		  { "Watts: lost.", "Temperatures: late.", "Not throttled." } },
		{ "watts=- throttled=- critical_celsius=-", POWER_OK,
		  { "OK ", "Nothing measures watts here.", "47 °C at package." } },
		{ "watts=- throttled=- critical_celsius=- high_celsius=90", POWER_OK,
		  { "OK ", "Nothing measures watts here.", "47 °C at package, high is 90 °C." } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct given_facts facts = { { given_fact }, cases[i].facts, laptop };
		struct buffer out = { 0 }, expected = { 0 };

		ck_assert_int_eq(power_word(&out, &facts.facts), cases[i].level);
		buffer_text(&out, out.length > 0 ? "  " : "");
		power_verdict(&out, &facts.facts);
		buffer_char(&out, '\0');
		for (unsigned j = 0; j < 4 && cases[i].expected[j]; j++)
			buffer_print(&expected, "%s%s", j > 0 ? " " : "", cases[i].expected[j]);
		buffer_char(&expected, '\0');
		ck_assert_str_eq(out.bytes, expected.bytes);
		buffer_free(&out);
		buffer_free(&expected);
	}
}

/* As the finding of the same frame: whoever measures watts or not. */
START_TEST(a_battery_is_low_where_its_rule_says_so)
{
	static const struct {
		const char *rows, *limit, *expected;
	} cases[] = {
		{ "0 battery BAT0 status=Discharging charge_ratio=0.04 watts=9", NULL, "BAT0" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.04 watts=-", NULL, "BAT0" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.1 watts=9", NULL, "BAT0" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.11 watts=9", NULL, "" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.18 watts=9", "20%", "BAT0" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.08 watts=9", "6%", "" },
		{ "0 battery BAT0 status=Charging charge_ratio=0.04 watts=-9", NULL, "" },
		{ "0 battery BAT0 status=Discharging charge_ratio=- watts=9", NULL, "" },
		{ "0 battery BAT0 status=Discharging charge_ratio=0.08 watts=9;"
		  "0 battery BAT1 status=Discharging charge_ratio=0.05 watts=-", NULL, "BAT1" },
	};
	struct settings settings;
	struct frame frame;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene = { 0 };
		struct findings *findings;
		char text[256], *rows = text, *line;
		const struct table *table;

		settings_open(&settings);
		if (cases[i].limit)
			settings_set(&settings, "finding.battery_charge", cases[i].limit, 0);
		findings = findings_open(finding_rules, n_finding_rules, &settings);
		frame_open(&frame, topic_schemas(), n_topics);
		snprintf(text, sizeof(text), "%s", cases[i].rows);
		while ((line = strsep(&rows, ";")))
			scene_add(&scene, line);
		scene_fill(&scene, &frame, 0);
		table = frame_table(&frame, "battery");
		ck_assert_str_eq(table_text(table, power_low_battery(findings, table), "battery"),
				 cases[i].expected);
		scene_empty(&scene);
		frame_close(&frame);
		findings_close(findings);
		settings_close(&settings);
	}
}

static struct fact refused_fact(const struct facts *facts, struct span name)
{
	if (span_is(name, "source"))
		return text_fact(POWER_REFUSED);
	return given_fact(facts, name);
}

START_TEST(the_verdict_of_power_says_what_may_not_be_read)
{
	const struct given_facts facts = { { refused_fact }, "", "" };
	struct buffer out = { 0 };

	ck_assert_int_eq(power_word(&out, &facts.facts), POWER_UNKNOWN);
	power_verdict(&out, &facts.facts);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, "Watts may not be read.");
	buffer_free(&out);
}

static void assert_related(struct power_relation *relations, unsigned n, double load_range,
			   const char *expected)
{
	struct buffer out = { 0 };

	for (unsigned i = 0; i < n; i++)
		relations[i].load_range = load_range;
	power_relations(&out, relations, n);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, expected);
	buffer_free(&out);
}

/* Not a weak or missing correlation, one that precedes the load, and a load that hardly changed. */
START_TEST(what_follows_the_load_is_told)
{
	struct power_relation list[] = { { "watts", "watts", 1, 0, 0 },
					 { "clock", "clock", 0.99, 0, 0 },
					 { "heat", "package", 0.99, 10, 0 },
					 { "heat", "acpitz", 0.7, 32, 0 } };
	struct power_relation weak[] = { { "watts", "watts", 0.69, 0, 0 },
					 { "clock", "clock", -0.69, 36, 0 },
					 { "heat", "package", NAN, 0, 0 },
					 { "heat", "acpitz", 0.9, -4, 0 } };

	assert_related(list, 4, 0.9,
		       "Heat follows load: package after 10 s, acpitz after 32 s.\n"
		       "Watts and clock follow load at once.\n");
	list[0].lag_seconds = 3;
	list[1].correlation = -1;
	list[1].lag_seconds = 36;
	list[2].lag_seconds = 0;
	assert_related(
		list, 4, 0.9,
		"Heat follows load: package at once, acpitz after 32 s.\nWatts follow load after 3 s.\n"
		"Clock drops 36 s after load rises (r = -1.00).\n");
	assert_related(list, 4, 0.09, "");
	assert_related(list, 4, NAN, "");
	assert_related(weak, 4, 0.9, "");
}
