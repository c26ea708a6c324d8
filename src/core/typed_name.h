/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that protocols, options and people write: in any case (of ASCII), shortened, or misspelt. */
#ifndef PANETOP_CORE_TYPED_NAME_H
#define PANETOP_CORE_TYPED_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "core/span.h"

/* Letters of words that protocols and options fix: of ASCII, whatever the locale says of i and I. */
static inline char ascii_lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static inline char ascii_upper(char byte)
{
	return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

/* The first length bytes, or both texts if they are shorter, but for the case of letters. */
static inline bool ascii_same(const char *one, const char *other, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (ascii_lower(one[i]) != ascii_lower(other[i]))
			return false;
		if (one[i] == '\0')
			return true;
	}
	return true;
}

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

#endif
