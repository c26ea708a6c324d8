/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/PID/maps and smaps. */
#include <config.h>

#include "kernel/pid/maps.h"

/* "00400000-00452000 r-xp 00000000 08:02 173521  /usr/bin/dbus-daemon" */
static bool parse_line(struct span line, struct maps_region *region)
{
	uint64_t major, minor;

	if (!span_hex(&line, &region->start) || !span_char(&line, '-') || !span_hex(&line, &region->end) ||
	    region->start >= region->end || !span_word(&line, &region->permissions) ||
	    span_length(region->permissions) != MAPS_PERMISSIONS || !span_hex(&line, &region->offset) ||
	    !span_hex(&line, &major) || !span_char(&line, ':') || !span_hex(&line, &minor) ||
	    !span_u64(&line, &region->inode))
		return false;
	region->device = major << 32 | (minor & UINT32_MAX);
	while (line.at < line.end && *line.at == ' ')
		line.at++;
	region->path = line;
	return true;
}

bool maps_next(struct span *text, struct maps_region *region)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_line(line, region))
			return true;
	return false;
}

bool maps_is_special(const struct maps_region *region)
{
	return span_starts(region->path, "[vvar") || span_is(region->path, "[vsyscall]");
}

static void add_huge(struct smaps_sizes *sizes, uint64_t bytes)
{
	uint64_t before = sizes->huge_bytes == U64_UNKNOWN ? 0 : sizes->huge_bytes;

	if (bytes < U64_UNKNOWN - before)
		sizes->huge_bytes = before + bytes;
}

static void take_size(struct smaps_sizes *sizes, struct span name, uint64_t kib)
{
	uint64_t bytes = kib <= UINT64_MAX / 1024 ? kib * 1024 : U64_UNKNOWN;

	if (span_is(name, "Rss"))
		sizes->resident_bytes = bytes;
	else if (span_is(name, "Pss"))
		sizes->proportional_bytes = bytes;
	else if (span_is(name, "SwapPss"))
		sizes->swap_proportional_bytes = bytes;
	else if (span_is(name, "Referenced"))
		sizes->referenced_bytes = bytes;
	else if (span_is(name, "AnonHugePages") || span_is(name, "ShmemPmdMapped") ||
		 span_is(name, "FilePmdMapped"))
		add_huge(sizes, bytes);
}

bool smaps_next(struct span *text, struct maps_region *region, struct smaps_sizes *sizes)
{
	struct maps_region following;
	struct span rest, line, name, unit;
	uint64_t kib;

	*sizes = (struct smaps_sizes){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	if (!maps_next(text, region))
		return false;
	for (rest = *text; span_line(&rest, &line); *text = rest) {
		if (parse_line(line, &following))
			return true;
		if (span_pair_u64(line, &name, &kib, &unit))
			take_size(sizes, name, kib);
	}
	return true;
}
