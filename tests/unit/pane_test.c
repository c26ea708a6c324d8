/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of panes: what they say in words, and the names of columns in their descriptors. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pane/panes.h"
#include "pane/text.h"
#include "suite.h"
#include "topic/topic.h"

START_TEST(words_of_panes)
{
	char text[TEXT_MAX], stretch[STRETCH_MAX];

	ck_assert_str_eq(failure_text(text, -ESRCH, NULL), "the process has ended");
	ck_assert_str_eq(failure_text(text, -ENOTSUP, NULL), "this is not the live machine");
	ck_assert_str_eq(failure_text(text, -EPERM, "run it as root"),
			 "Operation not permitted; run it as root");
	ck_assert_str_eq(stretch_text(stretch, 119), "119 s");
	ck_assert_str_eq(stretch_text(stretch, 719), "11 min");
	ck_assert_str_eq(stretch_text(stretch, 12960), "3.6 h");
}
END_TEST

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
	for (const struct pane_option *option = pane->options; option && option->name; option++)
		if (strcmp(option->name, name) == 0)
			return true;
	return pane->assertion && strcmp(name, "command") == 0; /* a COMMAND sets it */
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
		for (const struct series *series = pane->explained; series && series->topic; series++)
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
END_TEST
