/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of memory mean, in sentences that hold only where their condition does. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_STORY_H
#define PANETOP_PANE_MEMORY_MEMORY_STORY_H

#include "model/sentence.h"

/* What no row has; NaN: unknown. */
struct memory_seen {
	double killed;           /* processes, by the OOM killer, in the time of the graph … */
	double killed_at_limits; /* … of these, at limits of groups, as far as they were watched */
	double stalls;           /* allocations that had to reclaim memory of the machine themselves, then */
	const char *unwatched;   /* why it is not known whether tasks wait; NULL: it is known */
};

#define MEMORY_FACTS 8

/* The columns of the topic paging, those of the frame, and what is made of them. */
struct memory_facts {
	struct row_facts of;
	struct made_fact made[MEMORY_FACTS];
};

void memory_facts_make(struct memory_facts *facts, const struct frame *frame, const struct memory_seen *seen);

/* The nearest limit of the control groups: the row with the least left of this resource; NULL: none. */
const void *memory_nearest_limit(const struct table *table, const char *resource);

enum memory_level { MEMORY_UNKNOWN, MEMORY_OK, MEMORY_HIGH, MEMORY_BAD };

/* Is there enough? Adds a translated sentence, if it is known. */
enum memory_level memory_verdict(struct buffer *out, const struct memory_facts *facts);

/* Was anything reclaimed that is needed, and by what? The same. */
void memory_story(struct buffer *out, const struct memory_facts *facts);

#endif
