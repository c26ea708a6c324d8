/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes --pid means. */
#ifndef PANETOP_CORE_PROCESS_PATTERN_H
#define PANETOP_CORE_PROCESS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define PROCESS_PATTERN_NAME_MAX 15 /* bytes that the kernel keeps of a name */

/*
 * Is the process on the list of words with commas between? Digits are a pid. Any other word is its name as
 * the kernel keeps it, with which a longer word is compared as far as that goes, or the program that its
 * command line begins with, without directories. What is not known of it is empty.
 */
bool process_pattern_matches(struct span list, uint64_t pid, struct span name, struct span program);

/* Is there a word on the list that is no pid? */
bool process_pattern_has_name(struct span list);

#endif
