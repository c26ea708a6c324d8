/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translation by gettext, when there is a catalogue. */
#include <config.h>

#include "core/i18n.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

bool i18n_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

#ifdef ENABLE_NLS
#include <libintl.h>

static bool has_catalogue; /* set once, before anything is shown */

void i18n_open(const char *package, const char *directory)
{
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	bindtextdomain(package, directory);
	textdomain(package);
	has_catalogue = *gettext("") != '\0'; /* the header of the catalogue */
}

const char *i18n_text(const char *text)
{
	return has_catalogue ? gettext(text) : text;
}

const char *i18n_plural(const char *one, const char *many, unsigned long count)
{
	if (has_catalogue)
		return ngettext(one, many, count);
	return count == 1 ? one : many;
}
#else
void i18n_open(const char *package, const char *directory)
{
	(void)package;
	(void)directory;
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
}

const char *i18n_text(const char *text)
{
	return text;
}

const char *i18n_plural(const char *one, const char *many, unsigned long count)
{
	return count == 1 ? one : many;
}
#endif
