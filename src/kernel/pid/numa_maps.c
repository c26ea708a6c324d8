/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of numa_maps: the kernel escapes blanks and "=" in the names of files, so that words are words. */
#include <config.h>

#include "kernel/pid/numa_maps.h"

/* The number behind this name, where it is all of the word. */
static bool number_of(struct span word, const char *name, uint64_t *value)
{
	struct span found;

	return span_until(&word, '=', &found) && span_is(found, name) && span_is_u64(word, value);
}

static uint64_t page_bytes_of(struct span rest)
{
	struct span word;
	uint64_t kib;

	while (span_word(&rest, &word))
		if (number_of(word, "kernelpagesize_kB", &kib))
			return kib <= UINT64_MAX / 1024 ? kib * 1024 : 0;
	return 0;
}

bool numa_maps_next(struct span *text, struct numa_region *region)
{
	struct span policy;

	while (span_line(text, &region->rest)) {
		if (!span_hex(&region->rest, &region->start) || !span_char(&region->rest, ' ') ||
		    !span_word(&region->rest, &policy))
			continue;
		region->page_bytes = page_bytes_of(region->rest);
		return true;
	}
	return false;
}

bool numa_region_next(struct numa_region *region, uint64_t *node, uint64_t *pages)
{
	struct span word, name;

	while (span_word(&region->rest, &word))
		if (span_char(&word, 'N') && span_until(&word, '=', &name) && span_is_u64(name, node) &&
		    span_is_u64(word, pages))
			return true;
	return false;
}
