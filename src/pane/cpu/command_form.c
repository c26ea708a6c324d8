/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The five columns for the command of a process, and the options that choose one. */
#include <config.h>

#include "pane/cpu/command_form.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

#define NAME_BYTES 64

static void setting_name(char *name, const char *pane, const char *what)
{
	snprintf(name, NAME_BYTES, "%s.%s", pane, what);
}

void command_form_apply(const struct settings *settings, const char *pane, struct view *view)
{
	static const char *const commands[] = { "command",      "command_base", "program",
						"program_base", "name",         NULL };
	char form[NAME_BYTES], directories[NAME_BYTES];
	bool base;

	setting_name(form, pane, "command");
	setting_name(directories, pane, "directories");
	base = settings_is(settings, directories, "no");
	if (settings_is(settings, form, "name"))
		view_choose_form(view, commands, "name");
	else if (settings_is(settings, form, "program"))
		view_choose_form(view, commands, base ? "program_base" : "program");
	else
		view_choose_form(view, commands, base ? "command_base" : "command");
}

const char *const command_form_values[] = { "line", "program", "name", NULL };
const char *const command_form_labels[] = { N_("full command line"), N_("program only"), N_("name only") };
const char *const command_directory_values[] = { "yes", "no", NULL };
const char *const command_directory_labels[] = { N_("shown"), N_("hidden") };
