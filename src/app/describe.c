/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: topics, and which panes show them. --keys: keys, views and rules; the manual is made of it. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/runs.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "output/describe.h"
#include "pane/panes.h"
#include "screen/keys.h"
#include "sys/descriptor.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static struct described describe_topic(const struct schema *schema)
{
	struct described topic = { .schema = schema };
	unsigned n = 0;

	for (unsigned i = 0; i < n_panes && n < DESCRIBED_PANES_MAX; i++)
		if (pane_has_table(panes[i], schema->name))
			topic.panes[n++] = panes[i]->name;
	return topic;
}

void describe_topics(const struct options *options, bool json, struct buffer *out)
{
	unsigned n_chosen;
	const struct topic **chosen = options_topics(options, &n_chosen);
	struct described *described = alloc_zeroed(n_chosen, sizeof(*described));

	for (unsigned i = 0; i < n_chosen; i++)
		described[i] = describe_topic(chosen[i]->schema);
	if (json)
		describe_json(out, described, n_chosen);
	else
		describe_text(out, described, n_chosen);
	free(described);
	free(chosen);
}

int describe_run(const struct options *options)
{
	struct buffer out = { 0 };
	int error;

	if (options->format != &sink_json && options->format != &sink_text) {
		error_message("--describe", _("supports only the formats text and json"));
		return 2;
	}
	describe_topics(options, options->format == &sink_json, &out);
	error = buffer_write(&out, STDOUT_FILENO, -1);
	buffer_free(&out);
	if (!error || error == -EPIPE)
		return 0;
	error_message(_("standard output"), "%s", strerror(-error));
	return 1;
}

#define KEYS_CELLS 14

static void print_line(const char *keys, const char *help, const char *view)
{
	int gap = KEYS_CELLS - utf8_cells(keys, false);

	printf("  %s%*s%s", keys, gap > 2 ? gap : 2, "", help);
	if (view)
		printf(" (%s)", view);
	printf("\n");
}

static void print_bound(const struct pane_action *bound, const char *view)
{
	char keys[ACTION_KEYS_TEXT_MAX];

	for (; bound && bound->act; bound++)
		print_line(action_keys_text(keys, bound->action),
			   _(bound->help ? bound->help : actions[bound->action].help), view);
}

static void print_pane(const struct pane *pane)
{
	printf("\n");
	printf(_("Views of the pane %s:"), pane->name);
	printf("\n");
	for (const struct pane_view *view = pane->views; view && view->name; view++)
		print_line(_(view->title), _(view->help), NULL);
	printf("\n");
	printf(_("Keys of the pane %s:"), pane->name);
	printf("\n");
	print_bound(pane->actions, NULL);
	for (const struct pane_view *view = pane->views; view && view->name; view++)
		print_bound(view->actions, _(view->title));
}

/* "  memory_stalled  15%: share of 10 s in which some task waited for memory". */
static void print_limit(const struct finding_limit *limit)
{
	char number[VALUE_TEXT_MAX], help[TEXT_MAX];

	if (!limit->setting)
		return;
	snprintf(help, sizeof(help), "%s: %s", finding_limit_text(number, limit, limit->number),
		 _(limit->help));
	print_line(limit->setting, help, NULL);
}

static void print_findings(void)
{
	printf("\n%s\n", _("Findings: rules, and their limits:"));
	for (unsigned i = 0; i < n_finding_rules; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		if (i > 0 && strcmp(rule->name, finding_rules[i - 1].name) == 0)
			continue;
		print_line(rule->name, _(rule->help), NULL);
		print_limit(&rule->hold);
		for (unsigned v = 0; v < FINDING_VALUES_MAX && rule->values[v].name; v++)
			print_limit(&rule->values[v].at_least);
		if (rule->unless_setting)
			print_line(rule->unless_setting, _("names of more commands that it is silent about"),
				   NULL);
	}
}

void print_keys(void)
{
	char keys[ACTION_KEYS_TEXT_MAX];

	printf("%s\n", _("Keys:"));
	for (unsigned i = 0; i < N_ACTIONS; i++)
		print_line(action_keys_text(keys, (enum action)i), _(actions[i].help), NULL);
	for (const struct other_keys *other = other_keys; other->keys; other++)
		print_line(_(other->keys), _(other->help), NULL);
	for (unsigned i = 0; i < n_panes; i++)
		print_pane(panes[i]);
	print_findings();
}
