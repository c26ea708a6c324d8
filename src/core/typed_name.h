/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people type them: in any case (of ASCII), shortened, or misspelt. */
#ifndef PANETOP_CORE_TYPED_NAME_H
#define PANETOP_CORE_TYPED_NAME_H

#include "core/span.h"

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
