/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of the lines "7f0c2a001000 1a0 LazyCompile:*work /srv/app.js:7". */
#include <config.h>

#include "kernel/code/perf_map.h"

/* Some write 0x before it. */
static bool eat_hex(struct span *line, uint64_t *value)
{
	struct span rest = *line;

	while (span_char(&rest, ' '))
		;
	if (span_char(&rest, '0') && (span_char(&rest, 'x') || span_char(&rest, 'X')))
		*line = rest;
	return span_hex(line, value);
}

size_t perf_map_functions(struct span text, struct symbols *symbols)
{
	struct span rest = text, line;
	uint64_t address, bytes;

	symbols->later_wins = true;
	while (span_until(&rest, '\n', &line))
		if (eat_hex(&line, &address) && span_char(&line, ' ') && eat_hex(&line, &bytes) &&
		    span_char(&line, ' ') && bytes > 0)
			symbols_add(symbols, address, bytes, line, false);
	return (size_t)(rest.at - text.at);
}
