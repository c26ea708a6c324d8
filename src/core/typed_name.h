/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people type them: in any case (of ASCII), shortened, or misspelt; and those of --pid. */
#ifndef PANETOP_CORE_TYPED_NAME_H
#define PANETOP_CORE_TYPED_NAME_H

#include "core/span.h"

/* Names as people type them: in any case (of ASCII), shortened, or misspelt. */
bool typed_is(struct span typed, const char *name);
bool typed_begins(struct span typed, const char *name); /* is it the beginning of name? An empty one is not */

/* The name that it is, or begins with, but for a few letters, among those tried: set typed, try all. */
struct near_name {
	struct span typed;
	const char *name; /* borrowed; NULL: none is near */
	unsigned distance;
};

void near_name_try(struct near_name *near, const char *name);

/* Which processes --pid matches. */
#define PROCESS_PATTERN_NAME_MAX 15 /* bytes of a name that the kernel keeps */

/*
 * Does the process match a comma-separated list of words? Digits are a pid. Any other word is its name, of
 * which the kernel keeps 15 bytes, also of longer words; or the program of its command line, without
 * directories. Unknown properties are empty.
 */
bool process_pattern_matches(struct span list, uint64_t pid, struct span name, struct span program);

/* Does the list contain a word other than a pid? */
bool process_pattern_has_name(struct span list);

#endif
