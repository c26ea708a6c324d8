/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the view of touched memory says in words. */
#ifndef PANETOP_PANE_PAGES_TOUCHED_STORY_H
#define PANETOP_PANE_PAGES_TOUCHED_STORY_H

#include "model/sentence.h"

/* "2.1 GiB resident, 180 MiB used in 30 s; the rest, 1.9 GiB, was not": of the row "all" of the topic. */
void touched_sentence(struct buffer *out, const struct table *table, const void *row);

/* CPU time in seconds that clearing and reading take, of 4 KiB pages. */
double touched_cost_seconds(double resident_bytes);

#endif
