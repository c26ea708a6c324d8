/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panes.def as arrays, and how a typed name finds its pane. */
#include <config.h>

#include "pane/panes.h"

#include <string.h>

#include "core/typed_name.h"

#define PANE(name) extern const struct pane pane_##name;
#include "pane/panes.def"
#undef PANE

#define PANE(name) &pane_##name,
const struct pane *const panes[] = {
#include "pane/panes.def"
};
#undef PANE

const unsigned n_panes = sizeof(panes) / sizeof(panes[0]);

const char *const batch_panes[] = { "memory", "cpu", NULL };

const char *const recorded_panes[] = { "overview", "cpu", "memory", "disks", "network", NULL };

const char hosts_pane[] = "fleet";

const struct pane *pane_find(const char *typed)
{
	const struct pane *found = NULL;
	unsigned n_found = 0;

	for (unsigned i = 0; i < n_panes; i++) {
		if (typed_is(span_text(typed), panes[i]->name))
			return panes[i];
		if (!typed_begins(span_text(typed), panes[i]->name))
			continue;
		found = panes[i];
		n_found++;
	}
	return n_found == 1 ? found : NULL;
}
