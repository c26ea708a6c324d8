/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/diskstats. */
#include <config.h>

#include "kernel/diskstats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/unknown.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_requests(struct span *line, struct disk_requests *requests)
{
	return span_u64(line, &requests->completed) && span_u64(line, &requests->merged) &&
	       span_u64(line, &requests->sectors) && span_u64(line, &requests->milliseconds);
}

/* What newer kernels append. */
static void parse_newer(struct span *line, struct disk_stats *stats)
{
	if (!parse_requests(line, &stats->discards))
		stats->discards =
			(struct disk_requests){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	if (!span_u64(line, &stats->flushes) || !span_u64(line, &stats->flush_ms))
		stats->flushes = stats->flush_ms = U64_UNKNOWN;
}

bool disk_stats_next(struct span *text, struct disk_stats *stats)
{
	struct span line;

	while (span_line(text, &line)) {
		if (span_u64(&line, &stats->major) && span_u64(&line, &stats->minor) &&
		    span_word(&line, &stats->name) && parse_requests(&line, &stats->reads) &&
		    parse_requests(&line, &stats->writes) && span_u64(&line, &stats->in_flight) &&
		    span_u64(&line, &stats->busy_ms) && span_u64(&line, &stats->queue_ms)) {
			parse_newer(&line, stats);
			return true;
		}
	}
	return false;
}

bool disk_is_partition(struct span disk, struct span name)
{
	size_t length = span_length(disk);
	struct span rest = name;
	uint64_t number;

	if (length == 0 || span_length(name) <= length || memcmp(disk.at, name.at, length) != 0)
		return false;
	rest.at += length;
	if (is_digit(disk.end[-1]) && !span_char(&rest, 'p'))
		return false;
	return rest.at < rest.end && is_digit(*rest.at) && span_u64(&rest, &number) && rest.at == rest.end;
}

bool disk_is_stacked(struct span name)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-", "md", "drbd", "bcache", "zd" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (span_starts(name, prefixes[i]))
			return true;
	return false;
}

bool disk_path_head(struct span name, char head[DISK_HEAD_MAX])
{
	uint64_t subsystem, controller, space;

	if (!span_starts(name, "nvme"))
		return false;
	name.at += strlen("nvme");
	if (!span_u64(&name, &subsystem) || !span_char(&name, 'c') || !span_u64(&name, &controller) ||
	    !span_char(&name, 'n') || !span_u64(&name, &space) || name.at < name.end)
		return false;
	snprintf(head, DISK_HEAD_MAX, "nvme%" PRIu64 "n%" PRIu64, subsystem, space);
	return true;
}
