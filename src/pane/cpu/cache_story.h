/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the groups of resctrl mean for each other, and what this machine does not count of them. */
#ifndef PANETOP_PANE_CPU_CACHE_STORY_H
#define PANETOP_PANE_CPU_CACHE_STORY_H

#include "model/sentence.h"

/*
 * Adds lines about a table of the topic cache_group, the most important first. Returns how many of them warn:
 * there a group disturbs others.
 */
unsigned cache_story(struct buffer *out, const struct table *table);

#endif
