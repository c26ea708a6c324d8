/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be asked of any pane. */
#include <config.h>

#include "screen/pane.h"

#include <string.h>

bool pane_has_table(const struct pane *pane, const char *topic)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++)
		if (strcmp(table->topic, topic) == 0)
			return true;
	return false;
}
