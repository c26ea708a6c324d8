/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The five columns for the command of a process, and the keys that choose one. */
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

void command_form_lines(struct pane_context *context)
{
	screen_set(context, "command", NULL, _("full command lines"));
}

void command_form_programs(struct pane_context *context)
{
	screen_set(context, "command", "program", _("first words of the command lines"));
}

void command_form_names(struct pane_context *context)
{
	screen_set(context, "command", "name", _("names of the processes"));
}

void command_form_directories(struct pane_context *context)
{
	char name[NAME_BYTES];
	bool without;

	setting_name(name, context->pane->name, "directories");
	without = !settings_is(context->settings, name, "no");
	screen_set(context, "directories", without ? "no" : NULL,
		   without ? _("programs without their directories") : _("programs with their directories"));
}
