/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sentence on whether the page cache earns its keep, and the numbers it rests on. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_STORY_H
#define PANETOP_PANE_MEMORY_MEMORY_STORY_H

#include <stddef.h>

/* All over the same stretch of time; NaN for what is not known. */
struct memory_facts {
	double seconds;         /* how long was watched; 0: not at all */
	double calm_seconds;    /* of these, since the last refault */
	double refaulted_pages; /* dropped or swapped out, and wanted again */
	double evicted_pages;   /* taken back by the kernel */
	double swapped_in_pages;
	double caches_bytes;    /* now */
	double stalled_ratio;   /* share of the last 10 s in which some task waited for memory */
};

/* Writes the sentence, translated; empty when nothing is known. Returns text. */
char *memory_story(const struct memory_facts *facts, char *text, size_t room);

#endif
