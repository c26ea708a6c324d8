/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: functions of programs and libraries that are counted, and the questions about their costs.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/calls/calls.h"
#include "screen/context.h"

static bool add_typed(struct pane_context *context, const char *text, char *error, size_t room)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || strchr(colon, '/')) {
		snprintf(error, room, "%s", _("FILE:FUNCTION, as in libc.so.6:malloc"));
		return false;
	}
	probes_add(context, CALLS_TABLE_PROBE, text, 0);
	return true;
}

static const char *selected_probe(const struct pane_context *context)
{
	return table_selected_text(&context->tables[CALLS_TABLE_PROBE], "probe");
}

static void ask_about(struct pane_context *context, const char *probe)
{
	struct calls_state *state = context_state(context);

	probes_ask_about(context, &state->probes, probe);
}

static void act(struct pane_context *context, unsigned index)
{
	const char *probe = selected_probe(context);

	if (index == 0)
		screen_prompt(context, _("Count calls of FILE:FUNCTION"), "", add_typed);
	else if (probe && index == 1)
		ask_about(context, probe);
	else if (probe)
		probes_remove(context, probe);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Count"), _("a function, by its name and that of its file; Enter in the view Functions "
				"of a process chooses one") },
		{ _("Nevertheless"), _("count the selected one, whatever it costs; asks first") },
		{ _("Take off"), _("count the selected one no longer") },
	};

	screen_menu(context, _("Actions"), items, selected_probe(context) ? 3 : 1, 0, act);
}

static void ask_about_selected(struct pane_context *context)
{
	if (selected_probe(context))
		ask_about(context, selected_probe(context));
}

const struct pane_action functions_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("count another function, or one no longer") },
	{ ACTION_OPEN, ask_about_selected, N_("Nevertheless"),
	  N_("count the selected function although it costs more than --probe-cost; asks first") },
	{ 0 },
};

const char *functions_refuse(const struct pane_context *context, enum action action)
{
	if (context->view != CALLS_VIEW_FUNCTIONS || (action != ACTION_ACT && action != ACTION_OPEN))
		return NULL;
	if (screen_replays(context))
		return _("nothing can be counted in a recording");
	return action == ACTION_OPEN && !selected_probe(context) ? _("select a function first") : NULL;
}

void functions_open(struct pane_context *context)
{
	context->requested[CALLS_TABLE_PROBE] |= probes_any(context->request);
}

void functions_sampled(struct pane_context *context, const struct frame *frame)
{
	struct calls_state *state = context_state(context);

	probes_ask(context, &state->probes, frame);
}
