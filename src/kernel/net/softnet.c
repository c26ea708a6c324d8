/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/net/softnet_stat. */
#include <config.h>

#include "kernel/net/softnet.h"

#define COLUMNS 13

static bool parse(struct span rest, struct softnet_line *line)
{
	uint64_t values[COLUMNS];
	struct span word;
	unsigned n = 0;

	for (; n < COLUMNS && span_word(&rest, &word); n++)
		if (!span_hex(&word, &values[n]) || span_length(word) > 0 || values[n] > UINT32_MAX)
			return false;
	if (n < 3)
		return false;
	*line = (struct softnet_line){
		.processed = (uint32_t)values[0],
		.dropped = (uint32_t)values[1],
		.squeezed = (uint32_t)values[2],
		.steered = n > 9 ? values[9] : U64_UNKNOWN,
		.limited = n > 10 ? values[10] : U64_UNKNOWN,
		.waiting = n > 12 ? values[11] : U64_UNKNOWN,
		.cpu = n > 12 ? values[12] : U64_UNKNOWN,
	};
	return true;
}

bool softnet_next(struct span *text, struct softnet_line *line)
{
	struct span rest;

	while (span_line(text, &rest))
		if (parse(rest, line))
			return true;
	return false;
}
