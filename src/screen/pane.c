/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about any pane. */
#include <config.h>

#include "screen/pane.h"

#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"

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

bool pane_has_setting(const struct pane *pane, const char *name)
{
	size_t length = strlen(pane->name);

	if (strncmp(name, pane->name, length) != 0 || name[length] != '.')
		return false;
	name += length + 1;
	for (const struct pane_option *option = pane->options; option && option->name; option++)
		if (strcmp(option->name, name) == 0)
			return true;
	for (const char *const *setting = pane->settings; setting && *setting; setting++) {
		length = strlen(*setting);
		if (strncmp(*setting, name, length) == 0 &&
		    (name[length] == '\0' || (*setting)[length - 1] == '.'))
			return true;
	}
	return false;
}
