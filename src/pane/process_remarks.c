/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Zombies and those who left them, and programs whose name tells little. */
#include <config.h>

#include "pane/process_remarks.h"

#include <string.h>

#include "core/i18n.h"

static const void *process_with(const struct table *table, double pid)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == pid)
			return table_row(table, i);
	return NULL;
}

static void add_zombie(const struct table *table, const void *row, struct buffer *out)
{
	double pid = table_number(table, row, "ppid");
	const void *parent = process_with(table, pid);

	if (strcmp(table_text(table, row, "state"), "Z") != 0 || !(pid > 0))
		return;
	if (parent)
		buffer_print(out,
			     _("It is a zombie: it exited, but its parent %s (%.0f) has not waited for it."),
			     table_text(table, parent, "name"), pid);
	else
		buffer_print(out,
			     _("It is a zombie: it exited, but its parent (%.0f) has not waited for it."),
			     pid);
	buffer_char(out, '\n');
	buffer_print(out, "%s\n",
		     _("It uses nothing but its PID, and no signal ends it; it goes when its parent waits or "
		       "exits."));
}

static bool begins_with(const char *text, const char *name)
{
	return strncmp(text, name, strlen(name)) == 0;
}

/* Without the dash of "-bash" and the directory of "/usr/sbin/sshd". */
static const char *base_name(const char *program)
{
	const char *slash = strrchr(program, '/');

	if (slash && slash[1] != '\0')
		return slash + 1;
	return *program == '-' ? program + 1 : program;
}

static void add_names(const struct table *table, const void *row, struct buffer *out)
{
	const char *name = table_text(table, row, "name"), *program = table_text(table, row, "program");

	if (*name == '\0' || *program == '\0' || *program == '[' || begins_with(base_name(program), name) ||
	    begins_with(program, name))
		return;
	buffer_print(out, _("Its name is %s, its command line begins with %s."), name, program);
	buffer_char(out, '\n');
	buffer_print(out, "%s\n",
		     _("The name is that of the executed file or script, or one that it chose (prctl); the "
		       "command "
		       "line is what its parent passed, or what it wrote over it."));
}

void process_remarks(const struct table *table, const void *row, struct buffer *out)
{
	add_zombie(table, row, out);
	add_names(table, row, out);
}
