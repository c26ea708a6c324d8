/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all panes. */
#include <config.h>

#include "pane/panes.h"

#include <string.h>

#define PANE(name) extern const struct pane pane_##name;
#include "pane/panes.def"
#undef PANE

#define PANE(name) &pane_##name,
const struct pane *const panes[] = {
#include "pane/panes.def"
};
#undef PANE

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
