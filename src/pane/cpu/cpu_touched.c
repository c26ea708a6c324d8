/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the touched memory of the tagged or selected processes, for the column of that name. */
#include <config.h>

#include <errno.h>
#include <stdio.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/cpu/cpu.h"
#include "pane/text.h"

static void ignore(struct pane_context *context, int error)
{
	(void)context;
	(void)error;
}

/* Without yes it only checks whether it is possible. */
static int look_at(struct pane_context *context, const struct cpu_target *target, bool yes,
		   const char **remedy)
{
	char action[96];

	snprintf(action, sizeof(action), "look %.3f %.0f %.6f",
		 context->settings->pages.touched_window_seconds, target->pid, target->start_seconds);
	return screen_act(context, "touched", action, yes ? ignore : NULL, remedy);
}

/* False, with a message: it is not possible. */
static bool look(struct pane_context *context, const struct cpu_target *target, bool yes)
{
	char why[TEXT_MAX];
	const char *remedy;
	int error = look_at(context, target, yes, &remedy);

	if (error == -EAGAIN)
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("show the column touched first (c): it has what is measured"));
	else if (error)
		screen_warn(context->screen, MESSAGE_PANE, "%s (%.0f): %s", target->name, target->pid,
			    failure_text(why, error, remedy));
	return !error;
}

static void start(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char window[VALUE_TEXT_MAX];
	bool any = false;

	for (size_t i = 0; i < cpu->n_targets; i++)
		any |= look(context, &cpu->targets[i], true);
	if (any)
		screen_message(context->screen, MESSAGE_PANE, _("touched is known in %s"),
			       stretch_text(window, context->settings->pages.touched_window_seconds));
}

void cpu_ask_touched(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char question[2 * TEXT_MAX], text[TEXT_MAX], window[VALUE_TEXT_MAX];

	if (!look(context, &cpu->targets[0], false))
		return;
	snprintf(question, sizeof(question),
		 _("Clear the accessed bits of %s (40 ms of CPU time for each GiB) and read them %s later? "
		   "Reclaim sees the pages as idle meanwhile"),
		 cpu_targets_text(cpu, text),
		 stretch_text(window, context->settings->pages.touched_window_seconds));
	screen_ask(context, question, start);
}
