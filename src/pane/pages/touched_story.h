/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the view of touched memory says in words. */
#ifndef PANETOP_PANE_PAGES_TOUCHED_STORY_H
#define PANETOP_PANE_PAGES_TOUCHED_STORY_H

#include <stdbool.h>

#include "core/i18n.h"

/* Of the row "all" of the table touched; NaN: unknown. */
struct touched_facts {
	double resident_bytes, touched_bytes;
	double file_touched_bytes;           /* of these; it may be others that used them */
	double window_seconds, open_seconds; /* measured; so far */
	double windows;                      /* that are complete */
	const char *state;                   /* as in the table */
};

/* From 10 % and 16 MiB on it is worth a word that memory was not used. */
bool touched_rest_is_notable(const struct touched_facts *facts);

/* "2.1G resident, 180M used in 30s; the rest, 1.9G, was not" */
void touched_sentence(const struct touched_facts *facts, char text[TEXT_MAX], bool ascii);

/* CPU time in seconds that clearing and reading take, of 4 KiB pages. */
double touched_cost_seconds(double resident_bytes);

#endif
