/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of memory mean, in sentences that hold only where their rule does. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_STORY_H
#define PANETOP_PANE_MEMORY_MEMORY_STORY_H

#include <stddef.h>

/* What the sentences follow from; NaN: unknown. */
struct memory_facts {
	double total_bytes, available_bytes, caches_bytes;
	double limit_bytes;       /* the nearest one of the control groups; 0 or NaN: none */
	double limit_left_bytes;  /* of it, with the cache that can be dropped */
	double stalled_ratio;     /* share of the last 10 s in which some task waited for memory */
	const char *unwatched;    /* why it is not known whether tasks wait; NULL: it is known */
	double stalled_limit;     /* of that: memory is short from here on */
	double killed;            /* processes, by the OOM killer, in the time of the graph … */
	double killed_at_limits;  /* … of these, at limits of groups, as far as they were watched */
	double stalls;            /* allocations that had to reclaim memory of the machine themselves, then */
	double seconds;           /* time observed; 0: none */
	double calm_seconds;      /* of these, since the last refault */
	double refaulted_pages;   /* evicted or swapped out, and needed again */
	double evicted_pages;     /* by reclaim of the machine; not what was paged out on purpose */
	double swapped_in_pages;
	const char *group;        /* of which a finding says that it refaults at its limit; NULL: none */
	const char *pager;        /* a running kdamond; NULL: none */
	double pager_ratio;       /* its share of a CPU */
};

/* What is left of the memory of the machine, or of the limit if that is less; NaN: unknown. */
double memory_left_ratio(const struct memory_facts *facts);

enum memory_level { MEMORY_UNKNOWN, MEMORY_OK, MEMORY_HIGH, MEMORY_BAD };

/* Is there enough? Writes a translated sentence, empty when it is not known. */
enum memory_level memory_verdict(const struct memory_facts *facts, char *text, size_t room);

/* Was anything reclaimed that is needed, and by what? The same; returns text. */
char *memory_story(const struct memory_facts *facts, char *text, size_t room);

#endif
