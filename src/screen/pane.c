/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about any pane. */
#include <config.h>

#include "screen/pane.h"

#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"

bool pane_has_tab(const struct pane *pane, const struct sample_request *request)
{
	return pane->digit || !(pane->of_process || (pane->of_hosts && request->n_hosts < 2));
}

bool pane_has_table(const struct pane *pane, const char *topic)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++)
		if (strcmp(table->topic, topic) == 0)
			return true;
	return false;
}

void pane_notice_scope(const struct pane *pane, const struct scope *scope, struct frame *frame)
{
	if (scope_is_set(scope) && pane->unscoped && !(pane->takes_groups && scope_needs_groups(scope)))
		frame_notice(frame, "scope", NULL, "%s", _(pane->unscoped));
}
