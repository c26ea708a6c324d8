/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of node_meminfo.h: behind "Node N" a line is one of /proc/meminfo. */
#include <config.h>

#include "kernel/node_meminfo.h"

#include "kernel/meminfo.h"

void node_meminfo_parse(struct span text, struct node_meminfo *meminfo)
{
	struct span line, word;
	uint64_t number;

	*meminfo = (struct node_meminfo){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	while (span_line(&text, &line)) {
		struct meminfo_line found;

		if (!span_word(&line, &word) || !span_is(word, "Node") || !span_u64(&line, &number) ||
		    !span_char(&line, ' ') || !meminfo_next(&line, &found) || !found.in_bytes)
			continue;
		if (span_is(found.key, "MemTotal"))
			meminfo->total = found.value;
		else if (span_is(found.key, "MemFree"))
			meminfo->free = found.value;
		else if (span_is(found.key, "AnonPages"))
			meminfo->anonymous = found.value;
		else if (span_is(found.key, "FilePages"))
			meminfo->file = found.value;
	}
}
