/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: _() translates, P_() chooses by number, N_() and PN_() mark constants for later. */
#ifndef PANETOP_CORE_I18N_H
#define PANETOP_CORE_I18N_H

#include <stdbool.h>

#define _(text) i18n_text(text)
#define P_(one, many, count) i18n_plural(one, many, count)
#define N_(text) text
#define PN_(one, many) one, many

#define TEXT_MAX 1024 /* bytes of a text for people, in any language: a letter may have four */

/* Does the locale use UTF-8? Otherwise text for people is ASCII. */
bool i18n_is_utf8(void);

/*
 * Takes the language from the environment, and catalogues from directory or from the snap in which the
 * program runs. Texts are UTF-8; numbers use the C locale in all languages.
 */
void i18n_open(const char *directory);

/* From now on texts are ASCII: letters are transliterated, or all texts stay English. */
void i18n_keep_to_ascii(void);

/* From now on all texts are English: what programs read does not depend on the user's language. */
void i18n_for_programs(void);

/*
 * Without a catalogue in the user's language these cost nothing, while gettext() would search for one and
 * allocate at every call.
 */
const char *i18n_text(const char *text) __attribute__((format_arg(1)));
const char *i18n_plural(const char *one, const char *many, unsigned long count)
	__attribute__((format_arg(1), format_arg(2)));

#endif
