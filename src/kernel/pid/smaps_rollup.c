/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads its lines, which are in KiB. */
#include <config.h>

#include "kernel/pid/smaps_rollup.h"

bool smaps_rollup_next(struct span *text, struct span *name, uint64_t *bytes)
{
	struct span line, unit;
	uint64_t kib;

	while (span_line(text, &line)) {
		if (!span_pair_u64(line, name, &kib, &unit) || !span_is(unit, " kB") ||
		    kib > UINT64_MAX / 1024)
			continue;
		*bytes = kib * 1024;
		return true;
	}
	return false;
}

bool smaps_rollup_parse(struct span text, uint64_t *proportional_bytes)
{
	struct span name;
	uint64_t bytes;

	while (smaps_rollup_next(&text, &name, &bytes)) {
		if (!span_is(name, "Pss"))
			continue;
		*proportional_bytes = bytes;
		return true;
	}
	return false;
}
