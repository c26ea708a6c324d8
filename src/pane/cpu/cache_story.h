/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the groups of resctrl mean for each other, and what this machine does not count of them. */
#ifndef PANETOP_PANE_CPU_CACHE_STORY_H
#define PANETOP_PANE_CPU_CACHE_STORY_H

#include "core/i18n.h"
#include "model/frame.h"

#define CACHE_STORY_MAX 6

struct cache_sentence {
	bool warns; /* a group disturbs others */
	char text[TEXT_MAX];
};

/* Sentences about a table of the topic cache_group, the most important first: their number. */
unsigned cache_story(const struct table *table, struct cache_sentence sentences[CACHE_STORY_MAX]);

#endif
