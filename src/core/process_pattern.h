/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes --pid matches. */
#ifndef PANETOP_CORE_PROCESS_PATTERN_H
#define PANETOP_CORE_PROCESS_PATTERN_H

#include "core/span.h"

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
