/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines in columns of fixed width, as names of limits and units hold blanks. */
#include <config.h>

#include "kernel/pid/pid_limits.h"

#define NAME_CELLS 26 /* the kernel pads names to 25 and a blank */

static bool parse_value(struct span *line, uint64_t *value)
{
	struct span word;

	if (!span_word(line, &word))
		return false;
	if (span_is(word, "unlimited")) {
		*value = PID_UNLIMITED;
		return true;
	}
	return span_is_u64(word, value) && *value < PID_UNLIMITED;
}

/* Names contain blanks: the numbers begin in a fixed column. */
static bool parse_line(struct span line, struct pid_limit *limit)
{
	struct span rest;

	if (span_length(line) <= NAME_CELLS)
		return false;
	limit->name = span_trimmed(span_of(line.at, NAME_CELLS));
	rest = span_of(line.at + NAME_CELLS, span_length(line) - NAME_CELLS);
	if (span_length(limit->name) == 0 || !parse_value(&rest, &limit->soft) ||
	    !parse_value(&rest, &limit->hard))
		return false;
	if (!span_word(&rest, &limit->unit))
		limit->unit = span_text("");
	return true;
}

bool pid_limits_next(struct span *text, struct pid_limit *limit)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_line(line, limit))
			return true;
	return false;
}
