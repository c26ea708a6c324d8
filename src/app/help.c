/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of --help and --version. */
#include <config.h>

#include <stdio.h>

#include "app/option_table.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "pane/panes.h"

#define HELP_COLUMN 28

static void print_entry(char letter, const char *name, const char *argument, const char *help)
{
	char text[TEXT_MAX];
	int cells;

	snprintf(text, sizeof(text), "  %c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		 letter ? ", " : "  ", name, argument ? "=" : "", argument ? argument : "");
	cells = utf8_cells(text, false);
	if (cells >= HELP_COLUMN)
		printf("%s\n%*s%s\n", text, HELP_COLUMN, "", help);
	else
		printf("%s%*s%s\n", text, HELP_COLUMN - cells, "", help);
}

static void print_panes(void)
{
	printf("\n%s\n", _("Panes (any unique beginning of a name will do):"));
	for (unsigned i = 0; i < n_panes; i++)
		printf("  %-10s %s\n", panes[i]->name, _(panes[i]->question));
}

static void print_pane_options(void)
{
	for (unsigned i = 0; i < n_panes; i++) {
		const struct pane_option *option = panes[i]->options;

		if (!option)
			continue;
		printf("\n");
		printf(_("Options of the pane %s:"), panes[i]->name);
		printf("\n");
		for (; option->name; option++)
			print_entry(0, option->name, option->argument ? _(option->argument) : NULL,
				    _(option->help));
	}
}

/* --pid and --user are listed when some pane takes them. */
static bool is_listed(const struct option_entry *entry)
{
	bool listed = entry->letter != 'p' && entry->letter != 'u';

	for (unsigned i = 0; i < n_panes; i++)
		listed |= entry->letter == 'p' ? panes[i]->takes_pid : panes[i]->takes_user;
	return listed;
}

void print_help(void)
{
	printf(_("Usage: %s [OPTION]... [PANE]... [-- COMMAND...]\n"), PACKAGE);
	printf("%s\n", _("Show what this machine is doing: on the screen, or with -b on standard output."));
	print_panes();
	printf("\n%s\n", _("Options:"));
	for (unsigned i = 0; i < n_option_entries; i++) {
		const struct option_entry *entry = &option_entries[i];

		if (is_listed(entry))
			print_entry(entry->letter, entry->name, entry->argument ? _(entry->argument) : NULL,
				    _(entry->help));
	}
	print_entry('h', "help", NULL, _("show this help"));
	print_entry('V', "version", NULL, _("show the version"));
	print_pane_options();
	printf("\n%s\n",
	       _("Exit status: 0 success, 1 failure at run time, 2 wrong usage, 3 --assert is broken."));
	printf("\n%s\n", _("Examples:"));
	printf("  %s\n  %s\n  %s\n", "panetop", "panetop -b -n 1 --unit=MiB memory",
	       "panetop -o json -d 5 memory | jq .tables.memory");
}

void print_version(void)
{
	printf("%s %s\n", PACKAGE, PACKAGE_VERSION);
	printf("%s\n", _("Copyright (C) 2026 the panetop authors"));
	printf("%s\n",
	       _("License GPL-2.0-or-later: GNU GPL version 2 or later <https://gnu.org/licenses/gpl.html>.\n"
		 "This is free software: you are free to change and redistribute it.\n"
		 "There is NO WARRANTY, to the extent permitted by law."));
}
