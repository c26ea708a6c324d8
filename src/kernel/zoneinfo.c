/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/zoneinfo. */
#include <config.h>

#include "kernel/zoneinfo.h"

#include <stdbool.h>

struct zone {
	bool open;
	uint64_t low, high, managed, protection;
};

static uint64_t add(uint64_t sum, uint64_t more)
{
	return more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

static void end_zone(struct zone *zone, struct zoneinfo *zoneinfo)
{
	uint64_t wanted = add(zone->protection, zone->high);

	if (zone->open && zone->managed > 0) {
		zoneinfo->zones++;
		zoneinfo->low_pages = add(zoneinfo->low_pages, zone->low);
		zoneinfo->reserve_pages =
			add(zoneinfo->reserve_pages, wanted < zone->managed ? wanted : zone->managed);
	}
	*zone = (struct zone){ 0 };
}

/* "(0, 3502, 7034)" */
static uint64_t largest_protection(struct span rest)
{
	uint64_t largest = 0, value;

	span_until(&rest, '(', &(struct span){ 0 });
	while (span_u64(&rest, &value)) {
		if (value > largest)
			largest = value;
		span_char(&rest, ',');
	}
	return largest;
}

/* Before Linux 3.9 "present" is used for "managed"; kernels with both print it first. */
static void zone_line(struct zone *zone, struct span key, struct span rest)
{
	uint64_t value;

	if (span_is(key, "protection:"))
		zone->protection = largest_protection(rest);
	else if (!span_u64(&rest, &value))
		return;
	else if (span_is(key, "low"))
		zone->low = value;
	else if (span_is(key, "high") && zone->high == 0)
		zone->high = value;
	else if (span_is(key, "present") || span_is(key, "managed"))
		zone->managed = value;
}

void zoneinfo_parse(struct span text, struct zoneinfo *zoneinfo)
{
	struct zone zone = { 0 };
	struct span line, word;

	*zoneinfo = (struct zoneinfo){ 0 };
	while (span_line(&text, &line)) {
		if (span_starts(line, "Node")) {
			end_zone(&zone, zoneinfo);
			zone.open = true;
		} else if (zone.open && span_word(&line, &word)) {
			zone_line(&zone, word, line);
		}
	}
	end_zone(&zone, zoneinfo);
}
