/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of the statistics of the ZFS cache: lines of "name type value". */
#include <config.h>

#include "kernel/arcstats.h"

bool arcstats_parse(struct span text, struct arcstats *arcstats)
{
	bool has_size = false, has_minimum = false;
	struct span line, name, type;
	uint64_t value;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &name) || !span_word(&line, &type) || !span_u64(&line, &value))
			continue;
		if (span_is(name, "size")) {
			arcstats->size_bytes = value;
			has_size = true;
		} else if (span_is(name, "c_min")) {
			arcstats->minimum_bytes = value;
			has_minimum = true;
		}
	}
	return has_size && has_minimum;
}

uint64_t arcstats_reclaimable(const struct arcstats *arcstats)
{
	return arcstats->size_bytes > arcstats->minimum_bytes ? arcstats->size_bytes - arcstats->minimum_bytes
							      : 0;
}
