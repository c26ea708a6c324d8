/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --keys: the keys of the screen, the views of each pane, the rules of findings. The manual is made of it. */
#include <config.h>

#include "app/key_list.h"

#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/panes.h"
#include "screen/action.h"
#include "topic/finding/finding_rules.h"

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
