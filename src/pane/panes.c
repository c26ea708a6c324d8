/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all panes; panes that draw nothing special are defined here in full. */
#include <config.h>

#include "pane/panes.h"

#include <string.h>

#include "core/i18n.h"

extern const struct pane pane_memory, pane_events, pane_cpu, pane_pages, pane_power, pane_latency;

const struct pane *const panes[] = {
	&pane_memory,
	&pane_events,
	&pane_cpu,
	&pane_pages,
	&pane_power,
	&pane_latency,
};

const unsigned n_panes = sizeof(panes) / sizeof(panes[0]);

const struct pane *pane_find(const char *prefix)
{
	const struct pane *found = NULL;

	for (unsigned i = 0; i < n_panes; i++) {
		if (strcmp(panes[i]->name, prefix) == 0)
			return panes[i];
		if (strncmp(panes[i]->name, prefix, strlen(prefix)) != 0)
			continue;
		if (found)
			return NULL;
		found = panes[i];
	}
	return *prefix ? found : NULL;
}
