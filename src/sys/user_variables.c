/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ncurses reads terminal types from where TERMINFO and HOME point; libpfm prints and reads as its variables
 * say. glibc ignores its own under AT_SECURE.
 */
#include <config.h>

#include "sys/user_variables.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/alloc.h"

static char **of_user; /* NULL: environ */

static bool is_distrusted(const char *variable)
{
	static const char *const beginnings[] = {
		"HOME=", "TERMINFO=", "TERMINFO_DIRS=", "TERMPATH=", "TERMCAP=", "LIBPFM_",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

void user_variables_open(void)
{
	size_t count = 0, kept = 0;
	char **trusted;

	if (!getauxval(AT_SECURE))
		return;
	while (environ[count])
		count++;
	trusted = alloc_zeroed(count + 1, sizeof(*trusted));
	for (size_t i = 0; i < count; i++)
		if (!is_distrusted(environ[i]))
			trusted[kept++] = environ[i];
	of_user = environ;
	environ = trusted;
}

char **user_variables(void)
{
	return of_user ? of_user : environ;
}
