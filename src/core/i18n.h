/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks of text that a person reads: _() translates, N_() only marks a constant for a later _(). */
#ifndef PANETOP_CORE_I18N_H
#define PANETOP_CORE_I18N_H

#ifdef ENABLE_NLS
#include <libintl.h>
#define _(text) gettext(text)
#define P_(one, many, count) ngettext(one, many, count)
#else
#define _(text) (text)
#define P_(one, many, count) ((count) == 1 ? (one) : (many))
#endif
#define N_(text) text

#endif
