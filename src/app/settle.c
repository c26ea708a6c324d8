/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the panes when to measure. */
#include <config.h>

#include "app/settle.h"

#include <math.h>

#include "core/i18n.h"
#include "sys/error_message.h"

double settle_wait(struct settle *settle, const struct run_plan *run, const struct frame *frame)
{
	double seconds = 0;

	for (unsigned i = 0; !settle->asked && i < run->print.n_panes; i++)
		if (run->panes[i]->settle_seconds)
			seconds = fmax(seconds, run->panes[i]->settle_seconds(run->settings, frame));
	settle->asked = true;
	settle->waiting = seconds > 0;
	if (settle->waiting)
		error_message(PACKAGE, _("waiting %.0f s before the first sample"), seconds);
	return seconds;
}

bool settle_begins(struct settle *settle, const struct source *source)
{
	bool waited = settle->waiting;

	settle->waiting = false;
	if (waited && source->restart)
		source->restart(source->state, NULL);
	return waited;
}

bool settle_refuses(struct settle *settle, const struct run_plan *run, const struct frame *frame)
{
	for (unsigned i = 0; i < run->print.n_panes; i++) {
		const struct pane *pane = run->panes[i];
		const char *why = pane->rejects ? pane->rejects(run->settings, frame) : NULL;

		if (!why)
			continue;
		if (settle->refused++ == 0)
			error_message(pane->name, _("%s: such samples are repeated"), why);
		return true;
	}
	return false;
}

void settle_report(const struct settle *settle)
{
	if (settle->refused > 0)
		error_message(PACKAGE,
			      P_("%lu sample was repeated", "%lu samples were repeated", settle->refused),
			      settle->refused);
}
