/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of panes: what they say in words, and the names of columns in their descriptors. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pane/panes.h"
#include "pane/power/power_story.h"
#include "pane/text.h"
#include "suite.h"
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
		for (const struct series *series = pane->why_series; series && series->topic; series++)
			assert_number(pane, series);
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

static const struct power_facts laptop = {
	.watts = 9.09, .mean_watts = 10.26, .min_watts = 5.24, .max_watts = 18.98, .run_seconds = 300,
	.sensor = "package", .celsius = 47, .high_celsius = NAN, .critical_celsius = 100,
	.throttle_known = true, .interval_seconds = 2, .charge_ratio = NAN
};

static void assert_verdict(struct power_facts facts, enum power_level level, const char *expected)
{
	char text[TEXT_MAX];
	const char *word;

	ck_assert_int_eq(power_verdict(&facts, &word, text, sizeof(text)), level);
	ck_assert_str_eq(textf("%s%s%s", word, *word ? "  " : "", text), expected);
}

START_TEST(the_verdict_of_power_is_of_its_numbers)
{
	struct power_facts facts = laptop;

	assert_verdict(facts, POWER_OK,
		       "OK  9.09 W, 5.24 W to 18.98 W in 5 min. 47 °C at package, critical is 100 °C. Not "
		       "throttled.");
	facts.watts = 18.9;
	assert_verdict(facts, POWER_HIGH,
		       "HIGH  18.90 W, near its maximum of 18.98 W. 47 °C at package, critical is 100 °C. "
		       "Not throttled.");
	facts.throttled = 4;
	assert_verdict(facts, POWER_BAD,
		       "THROTTLED  4 CPUs were slowed down for heat in the last 2 s. 18.90 W, near its "
		       "maximum of 18.98 W. "
		       "47 °C at package, critical is 100 °C.");
	facts = laptop;
	facts.celsius = 95;
	assert_verdict(facts, POWER_HIGH,
		       "HOT  9.09 W, 5.24 W to 18.98 W in 5 min. 95 °C at package, critical is 100 °C. Not "
		       "throttled.");
	facts.celsius = 100;
	assert_verdict(facts, POWER_BAD,
		       "TOO HOT  9.09 W, 5.24 W to 18.98 W in 5 min. 100 °C at package, critical "
		       "is 100 °C. Not throttled.");
	facts = laptop;
	facts.battery = "BAT0";
	facts.charge_ratio = 0.07;
	assert_verdict(facts, POWER_HIGH,
		       "LOW  BAT0 has 7 % left. 9.09 W, 5.24 W to 18.98 W in 5 min. 47 °C at package, "
		       "critical is 100 °C. "
		       "Not throttled.");
}

/* What must not alarm: a steady draw, a maximum of the first seconds, a charge that suffices, a warm sensor.
 */
START_TEST(the_verdict_of_power_does_not_cry_wolf)
{
	struct power_facts steady = laptop, young = laptop, warm = laptop, fed;
	const char *word;
	char text[TEXT_MAX];

	steady.watts = steady.max_watts = 5.3;
	steady.mean_watts = 5.2;
	ck_assert_int_eq(power_verdict(&steady, &word, text, sizeof(text)), POWER_OK);
	young.watts = 18.9;
	young.run_seconds = 10;
	ck_assert_int_eq(power_verdict(&young, &word, text, sizeof(text)), POWER_OK);
	check_has(text, "18.90 W. 47");
	warm.watts = 17.9;
	warm.celsius = 94;
	warm.battery = "BAT0";
	warm.charge_ratio = 0.11;
	ck_assert_int_eq(power_verdict(&warm, &word, text, sizeof(text)), POWER_OK);
	fed = warm;
	fed.battery = NULL;
	fed.charge_ratio = 0.01; /* it does not discharge */
	fed.throttle_known = false;
	ck_assert_int_eq(power_verdict(&fed, &word, text, sizeof(text)), POWER_OK);
	check_lacks(text, "hrottled");
}

START_TEST(the_verdict_of_power_names_what_is_missing)
{
	struct power_facts facts = {
		.watts = NAN, .mean_watts = NAN, .min_watts = NAN, .max_watts = NAN, .run_seconds = NAN,
		.celsius = NAN, .high_celsius = NAN, .critical_celsius = NAN, .charge_ratio = NAN
	};

	assert_verdict(facts, POWER_UNKNOWN,
		       "No power or temperature sensors (usual in a VM). Load and clock speed below.");
	facts.refused = true;
	assert_verdict(facts, POWER_UNKNOWN, "Watts may not be read.");
	facts.sensor = "package";
	facts.celsius = 47;
	assert_verdict(facts, POWER_OK, "OK  Watts may not be read. 47 °C at package.");
	facts.refused = false;
	facts.high_celsius = 90;
	assert_verdict(facts, POWER_OK,
		       "OK  Nothing measures watts here. "
		       "47 °C at package, high is 90 °C.");
}

static void assert_related(const struct power_relation *relations, unsigned n, double load_range,
			   const char *expected)
{
	char text[TEXT_MAX];

	power_relations(relations, n, load_range, text, sizeof(text));
	ck_assert_str_eq(text, expected);
}

/* Not a weak or missing correlation, one that precedes the load, and a load that hardly changed. */
START_TEST(what_follows_the_load_is_told)
{
	struct power_relation list[] = { { RELATION_WATTS, "watts", 1, 0 },
					 { RELATION_CLOCK, "clock", 0.99, 0 },
					 { RELATION_HEAT, "package", 0.99, 10 },
					 { RELATION_HEAT, "acpitz", 0.7, 32 } };
	struct power_relation weak[] = { { RELATION_WATTS, "watts", 0.69, 0 },
					 { RELATION_CLOCK, "clock", -0.69, 36 },
					 { RELATION_HEAT, "package", NAN, 0 },
					 { RELATION_HEAT, "acpitz", 0.9, -4 } };

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
