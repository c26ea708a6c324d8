/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The five columns for the command of a process, and the options that choose one. */
#include <config.h>

#include "pane/cpu/command_form.h"

#include "core/i18n.h"

void command_form_apply(const struct command_settings *settings, struct view *view)
{
	static const char *const commands[] = { "command",      "command_base", "program",
						"program_base", "name",         NULL };
	bool base = settings->directories == 1;

	if (settings->shown == COMMAND_NAME)
		view_choose_form(view, commands, "name");
	else if (settings->shown == COMMAND_PROGRAM)
		view_choose_form(view, commands, base ? "program_base" : "program");
	else
		view_choose_form(view, commands, base ? "command_base" : "command");
}

const char *const command_form_labels[] = { N_("full command line"), N_("program only"), N_("name only") };
const char *const command_directory_labels[] = { N_("shown"), N_("hidden") };
