/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/slabinfo, version 2.0 and 2.1. */
#include <config.h>

#include "kernel/slabinfo.h"

/* The number in the next word, and no more in that word. */
static bool take(struct span *rest, uint64_t *number)
{
	struct span word;

	return span_word(rest, &word) && span_u64(&word, number) && span_length(word) == 0;
}

/* "… : slabdata <active_slabs> <num_slabs> <sharedavail>" */
static bool take_slabs(struct span rest, uint64_t *slabs)
{
	uint64_t active;
	struct span word;

	while (span_word(&rest, &word))
		if (span_is(word, "slabdata"))
			return take(&rest, &active) && take(&rest, slabs) && active <= *slabs;
	return false;
}

static bool parse(struct span rest, struct slabinfo_line *line)
{
	uint64_t per_slab, pages_per_slab, slabs;

	return span_word(&rest, &line->name) && *line->name.at != '#' && take(&rest, &line->active) &&
	       take(&rest, &line->objects) && take(&rest, &line->object_bytes) && take(&rest, &per_slab) &&
	       take(&rest, &pages_per_slab) && take_slabs(rest, &slabs) &&
	       !__builtin_mul_overflow(pages_per_slab, slabs, &line->pages);
}

bool slabinfo_next(struct span *text, struct slabinfo_line *line)
{
	struct span rest;

	while (span_line(text, &rest))
		if (parse(rest, line))
			return true;
	return false;
}
