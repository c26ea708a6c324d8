/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the words of --pid with a process. */
#include <config.h>

#include "core/process_pattern.h"

#include <string.h>

static bool is_same(struct span one, struct span other)
{
	return span_length(one) > 0 && span_same(one, other);
}

static struct span without_directories(struct span program)
{
	const char *slash = span_length(program) > 0 ? memrchr(program.at, '/', span_length(program)) : NULL;

	if (slash)
		program.at = slash + 1;
	return program;
}

static struct span as_kept(struct span word, struct span name)
{
	if (span_length(word) > PROCESS_PATTERN_NAME_MAX && span_length(name) == PROCESS_PATTERN_NAME_MAX)
		word.end = word.at + PROCESS_PATTERN_NAME_MAX;
	return word;
}

bool process_pattern_matches(struct span list, uint64_t pid, struct span name, struct span program)
{
	struct span base = without_directories(program), word;
	uint64_t number;

	while (span_item(&list, &word))
		if (span_is_u64(word, &number) ? number == pid
					       : is_same(as_kept(word, name), name) || is_same(word, base))
			return true;
	return false;
}

bool process_pattern_has_name(struct span list)
{
	struct span word;
	uint64_t number;

	while (span_item(&list, &word))
		if (!span_is_u64(word, &number))
			return true;
	return false;
}
