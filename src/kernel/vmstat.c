/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/vmstat. */
#include <config.h>

#include "kernel/vmstat.h"

#include <stdbool.h>
#include <string.h>

static bool is_zone(struct span name)
{
	static const char *const zones[] = { "dma", "dma32", "normal", "high", "movable", "device" };

	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		if (span_is(name, zones[i]))
			return true;
	return false;
}

/* Is found the counter name, or its part of one zone? */
static bool counts_for(struct span found, const char *name)
{
	struct span rest = found;

	if (!span_starts(found, name))
		return false;
	rest.at += strlen(name);
	return rest.at == rest.end || (span_char(&rest, '_') && is_zone(rest));
}

void vmstat_parse(struct span text, const char *const *names, size_t n_names, uint64_t *values)
{
	struct span line, name, rest;
	uint64_t value;

	for (size_t i = 0; i < n_names; i++)
		values[i] = U64_UNKNOWN;
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &value, &rest))
			continue;
		for (size_t i = 0; i < n_names; i++) {
			if (!counts_for(name, names[i]))
				continue;
			if (values[i] == U64_UNKNOWN)
				values[i] = 0;
			if (value < U64_UNKNOWN - values[i] - 1)
				values[i] += value;
			break;
		}
	}
}
