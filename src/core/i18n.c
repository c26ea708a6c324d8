/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translation by gettext, when there is a catalogue. */
#include <config.h>

#include "core/i18n.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/typed_name.h"

bool i18n_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool wants_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && (!name || !*name); i++)
		name = secure_getenv(variables[i]);
	name = name ? strrchr(name, '.') : NULL;
	return name && (typed_is(span_text(name), ".UTF-8") || typed_is(span_text(name), ".utf8"));
}

/* Of a locale that is not installed, as with ssh or in a snap, the character set remains. */
static void set_locale(void)
{
	if (!setlocale(LC_ALL, "")) {
		setlocale(LC_MESSAGES, "");
		if (!setlocale(LC_CTYPE, "") && wants_utf8())
			setlocale(LC_CTYPE, "C.UTF-8");
	}
	setlocale(LC_NUMERIC, "C");
}

#ifdef ENABLE_NLS
#include <libintl.h>
#include <stdio.h>

static bool has_catalogue; /* set before threads start */

static bool find_catalogue(const char *directory)
{
	bindtextdomain(PACKAGE, directory);
	return *gettext("") != '\0'; /* the header of the catalogue */
}

/* A snap has its catalogues below its mount point. */
static bool find_in_snap(void)
{
	const char *snap = secure_getenv("SNAP");
	char directory[4096];

	if (!snap || *snap != '/' ||
	    snprintf(directory, sizeof(directory), "%s/usr/share/locale", snap) >= (int)sizeof(directory))
		return false;
	return find_catalogue(directory);
}

void i18n_open(const char *directory)
{
	set_locale();
	textdomain(PACKAGE);
	bind_textdomain_codeset(PACKAGE, "UTF-8");
	has_catalogue = find_in_snap() || find_catalogue(directory);
	if (!i18n_is_utf8())
		i18n_keep_to_ascii();
}

/* A question mark in a word without one replaces letters that ASCII cannot express. */
void i18n_keep_to_ascii(void)
{
	if (!has_catalogue)
		return;
	bind_textdomain_codeset(PACKAGE, "ASCII//TRANSLIT");
	has_catalogue = !strchr(gettext("Memory"), '?');
}

void i18n_for_programs(void)
{
	has_catalogue = false;
	setlocale(LC_MESSAGES, "C");
}

const char *i18n_text(const char *text)
{
	return has_catalogue && *text ? gettext(text) : text;
}

const char *i18n_plural(const char *one, const char *many, unsigned long count)
{
	if (has_catalogue)
		return ngettext(one, many, count);
	return count == 1 ? one : many;
}
#else
void i18n_open(const char *directory)
{
	(void)directory;
	set_locale();
}

void i18n_keep_to_ascii(void)
{
}

void i18n_for_programs(void)
{
	setlocale(LC_MESSAGES, "C");
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
