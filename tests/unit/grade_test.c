/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grades: the limits of the rules, those of the settings, and columns that agree with them. */
#include <config.h>

#include <math.h>

#include "model/grade.h"
#include "suite.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static struct grades made(const struct settings *settings)
{
	struct grades grades;

	grades_make(&grades, finding_rules, n_finding_rules, settings);
	return grades;
}

START_TEST(everything_can_be_busy)
{
	struct grades grades = made(NULL);

	for (unsigned i = 0; i < N_GRADED; i++) {
		const struct grade_limits *limits = &grades.of[i];

		ck_assert_msg(limits->busy > 0, "%u: no rule has its limit", i);
		ck_assert_msg(isnan(limits->critical) || (limits->critical > limits->busy) != limits->falling,
			      "%u: critical before it is busy", i);
	}
}

START_TEST(the_limits_are_those_of_the_rules)
{
	static const struct {
		enum graded graded;
		double value;
		enum grade expected;
	} cases[] = {
		{ GRADED_FILESYSTEM, 0.949, GRADE_CALM },
		{ GRADED_FILESYSTEM, 0.95, GRADE_BUSY },
		{ GRADED_FILESYSTEM, 0.99, GRADE_CRITICAL },
		{ GRADED_MEMORY_PRESSURE, 0.1499, GRADE_CALM },
		{ GRADED_MEMORY_PRESSURE, FINDING_MEMORY_STALLED_RATIO, GRADE_BUSY },
		{ GRADED_MEMORY_PRESSURE, 0.6, GRADE_CRITICAL },
		{ GRADED_CPU, 0.9, GRADE_BUSY },
		{ GRADED_CPU, 1, GRADE_BUSY },
		{ GRADED_CPU, NAN, GRADE_CALM },
		{ GRADED_BATTERY, 0.11, GRADE_CALM }, /* less is worse */
		{ GRADED_BATTERY, 0.1, GRADE_BUSY },
		{ GRADED_BATTERY, 0.05, GRADE_CRITICAL },
		{ GRADED_BATTERY, NAN, GRADE_CALM },
	};
	struct grades grades = made(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(grade_of(&grades, cases[i].graded, cases[i].value) == cases[i].expected,
			      "%u: %g", cases[i].graded, cases[i].value);
	ck_assert_int_eq(grade_of(NULL, GRADED_CPU, 1), GRADE_CALM);
	ck_assert_int_eq(grade_by(NULL, 1), GRADE_CALM);
}

START_TEST(settings_change_them)
{
	struct settings settings;
	struct grades grades;

	settings_open(&settings);
	settings_set(&settings, "finding.disk_full_used", "80%", 0);
	grades = made(&settings);
	ck_assert_int_eq(grade_of(&grades, GRADED_FILESYSTEM, 0.79), GRADE_CALM);
	ck_assert_int_eq(grade_of(&grades, GRADED_FILESYSTEM, 0.8), GRADE_BUSY);
	ck_assert_int_eq(grade_of(&grades, GRADED_INODES, 0.8), GRADE_CALM);
	settings_close(&settings);
}

START_TEST(a_graph_has_them_in_its_unit)
{
	struct grades grades = made(NULL);
	struct grade_limits cpus = grade_limits_in(&grades, GRADED_CPU, 4);
	struct grade_limits none = grade_limits_in(NULL, GRADED_CPU, 4);

	ck_assert_int_eq(grade_by(&cpus, 3.5), GRADE_CALM);
	ck_assert_int_eq(grade_by(&cpus, 3.7), GRADE_BUSY);
	ck_assert_int_eq(grade_by(&none, 100), GRADE_CALM);
}

/* A number in a table is marked from where its sentence speaks. */
START_TEST(columns_agree_with_the_rules)
{
	for (unsigned r = 0; r < n_finding_rules; r++) {
		const struct finding_rule *rule = &finding_rules[r];

		for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
			const struct finding_value *value = &rule->values[i];
			int schema = schema_index(topic_schemas(), n_topics,
						  value->topic ? value->topic : rule->topic);
			const struct column *column =
				schema_known_column(topic_schemas()[schema], value->column);

			if (value->at_most || value->over || value->window_seconds > 0 ||
			    value->at_least.unit != UNIT_RATIO || !(column->alarming > 0))
				continue;
			ck_assert_msg(column->alarming == value->at_least.number, "%s: %s is marked from %g",
				      rule->name, column->key, column->alarming);
		}
	}
}
