/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explanations compare is there, and can be opened. What they say is in tests/scenes/explanation.txt. */
#include <config.h>

#include <string.h>

#include "pane/panes.h"
#include "suite.h"
#include "topic/topic.h"

static bool has_view(const struct pane *pane, const char *name)
{
	for (const struct pane_view *view = pane->views; view && view->name; view++)
		if (strcmp(view->name, name) == 0)
			return true;
	return *name == '\0';
}

START_TEST(series_have_columns_and_views)
{
	const struct schema *const *schemas = topic_schemas();

	for (const struct explained_series *series = explained_series; series->topic; series++) {
		const struct pane *pane = pane_find(series->pane);
		const struct schema *schema = NULL;

		for (unsigned i = 0; i < n_topics; i++)
			if (strcmp(schemas[i]->name, series->topic) == 0)
				schema = schemas[i];
		ck_assert_msg(schema && schema_find(schema, series->column), "%s.%s", series->topic,
			      series->column);
		ck_assert_msg(pane && has_view(pane, series->view), "%s %s", series->pane, series->view);
		ck_assert_msg(pane_has_table(pane, series->topic), "%s does not show %s", series->pane,
			      series->topic);
		ck_assert_double_gt(series->least, 0);
	}
}
