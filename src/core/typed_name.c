/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares typed names with known ones. */
#include <config.h>

#include "core/typed_name.h"

#include <string.h>

#define LENGTH_MAX 40

bool typed_begins(struct span typed, const char *name)
{
	if (span_length(typed) == 0)
		return false;
	for (const char *at = typed.at; at < typed.end; at++, name++)
		if (!*name || ascii_lower(*at) != ascii_lower(*name))
			return false;
	return true;
}

bool typed_is(struct span typed, const char *name)
{
	return typed_begins(typed, name) && name[span_length(typed)] == '\0';
}

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* Letters that are missing, added, exchanged for another, or swapped with their neighbour. */
static unsigned distance(struct span typed, struct span name_span)
{
	unsigned rows[3][LENGTH_MAX + 1];
	size_t length = span_length(typed), name_length = span_length(name_span);
	const char *name = name_span.at;

	if (length > LENGTH_MAX || name_length > LENGTH_MAX)
		return LENGTH_MAX;
	for (unsigned n = 0; n <= name_length; n++)
		rows[0][n] = n;
	for (size_t t = 1; t <= length; t++) {
		unsigned *row = rows[t % 3];
		const unsigned *before = rows[(t + 2) % 3], *second = rows[(t + 1) % 3];
		char letter = ascii_lower(typed.at[t - 1]);

		row[0] = (unsigned)t;
		for (size_t n = 1; n <= name_length; n++) {
			row[n] = least(least(before[n], row[n - 1]) + 1,
				       before[n - 1] + (letter != ascii_lower(name[n - 1])));
			if (t > 1 && n > 1 && letter == ascii_lower(name[n - 2]) &&
			    ascii_lower(typed.at[t - 2]) == ascii_lower(name[n - 1]))
				row[n] = least(row[n], second[n - 2] + 1);
		}
	}
	return rows[length % 3][name_length];
}

/* At most every third letter may be wrong, and a name that goes on is less near. */
void near_name_try(struct near_name *near, const char *name)
{
	size_t length = span_length(near->typed);
	unsigned away = distance(near->typed, span_text(name));

	if (length < strlen(name))
		away = least(away, distance(near->typed, span_of(name, length)) + 1);
	if (away > (length + 2) / 3 || away >= length || (near->name && away >= near->distance))
		return;
	near->name = name;
	near->distance = away;
}

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
