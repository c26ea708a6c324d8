/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of the machine, in lines of a name and a number. */
#include <config.h>

#include "kernel/meminfo.h"

#include <string.h>

bool meminfo_next(struct span *text, struct meminfo_line *line)
{
	struct span row, rest, unit;

	while (span_line(text, &row)) {
		if (!span_pair_u64(row, &line->key, &line->value, &rest) || line->key.end[0] != ':')
			continue;
		line->in_bytes = span_word(&rest, &unit) && span_is(unit, "kB");
		if (!line->in_bytes)
			return true;
		if (line->value > U64_UNKNOWN / 1024 - 1)
			continue;
		line->value *= 1024;
		return true;
	}
	return false;
}

#define FIELD(name, field) { name, offsetof(struct meminfo, field) }

static const struct {
	const char *key;
	size_t offset;
} fields[] = {
	FIELD("MemTotal", total), FIELD("MemFree", free), FIELD("MemAvailable", available),
	FIELD("Buffers", buffers), FIELD("Cached", cached), FIELD("SwapCached", swap_cached),
	FIELD("Active", active), FIELD("Inactive", inactive), FIELD("Active(anon)", active_anon),
	FIELD("Inactive(anon)", inactive_anon), FIELD("Active(file)", active_file),
	FIELD("Inactive(file)", inactive_file), FIELD("Unevictable", unevictable),
	FIELD("SwapTotal", swap_total), FIELD("SwapFree", swap_free), FIELD("Zswap", zswap),
	FIELD("Zswapped", zswapped), FIELD("AnonPages", anon_pages), FIELD("Shmem", shmem),
	FIELD("KReclaimable", kernel_reclaimable), FIELD("Slab", slab),
	FIELD("SReclaimable", reclaimable_slab), FIELD("SUnreclaim", unreclaimable_slab),
	FIELD("KernelStack", kernel_stack), FIELD("PageTables", page_tables),
	FIELD("SecPageTables", secondary_page_tables), FIELD("Bounce", bounce),
	FIELD("VmallocUsed", vmalloc_used), FIELD("Percpu", percpu), FIELD("Hugetlb", hugetlb),
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void set_field(struct meminfo *meminfo, size_t index, uint64_t value)
{
	memcpy((char *)meminfo + fields[index].offset, &value, sizeof(value));
}

/* All kernels print the keys in the order of the table: the search starts after the last hit. */
static bool find_field(struct span key, size_t *at)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		size_t index = (*at + i) % N_FIELDS;

		if (span_is(key, fields[index].key)) {
			*at = index;
			return true;
		}
	}
	return false;
}

void meminfo_parse(struct span text, struct meminfo *meminfo)
{
	uint64_t huge_pages = U64_UNKNOWN, huge_page_size = U64_UNKNOWN;
	struct meminfo_line line;
	size_t at = 0;

	for (size_t i = 0; i < N_FIELDS; i++)
		set_field(meminfo, i, U64_UNKNOWN);
	while (meminfo_next(&text, &line)) {
		if (!line.in_bytes && span_is(line.key, "HugePages_Total"))
			huge_pages = line.value;
		else if (line.in_bytes && span_is(line.key, "Hugepagesize"))
			huge_page_size = line.value;
		else if (line.in_bytes && find_field(line.key, &at))
			set_field(meminfo, at, line.value);
	}
	if (meminfo->hugetlb == U64_UNKNOWN && huge_pages != U64_UNKNOWN &&
	    huge_page_size != U64_UNKNOWN && huge_page_size > 0 &&
	    huge_pages < U64_UNKNOWN / huge_page_size)
		meminfo->hugetlb = huge_pages * huge_page_size;
}

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

struct zone {
	bool open;
	uint64_t low, high, managed, protection;
};

static uint64_t add_pages(uint64_t sum, uint64_t more)
{
	return more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

static void end_zone(struct zone *zone, struct zoneinfo *zoneinfo)
{
	uint64_t wanted = add_pages(zone->protection, zone->high);

	if (zone->open && zone->managed > 0) {
		zoneinfo->zones++;
		zoneinfo->low_pages = add_pages(zoneinfo->low_pages, zone->low);
		zoneinfo->reserve_pages =
			add_pages(zoneinfo->reserve_pages, wanted < zone->managed ? wanted : zone->managed);
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
	return span_take_start(&found, name) &&
	       (found.at == found.end || (span_char(&found, '_') && is_zone(found)));
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

/* The number in the next word, and no more in that word. */
static bool take(struct span *rest, uint64_t *number)
{
	struct span word;

	return span_word(rest, &word) && span_is_u64(word, number);
}

/* "… : slabdata <active_slabs> <num_slabs> <sharedavail>" */
static bool take_slabs(struct span rest, uint64_t *slabs)
{
	uint64_t active;
	struct span word;

	while (span_word(&rest, &word))
		if (span_is(word, "slabdata"))
			return take(&rest, &active) && take(&rest, slabs) && active <= *slabs;
	return false;
}

static bool parse_slab(struct span rest, struct slabinfo_line *line)
{
	uint64_t per_slab, pages_per_slab, slabs;

	return span_word(&rest, &line->name) && *line->name.at != '#' && take(&rest, &line->active) &&
	       take(&rest, &line->objects) && take(&rest, &line->object_bytes) && take(&rest, &per_slab) &&
	       take(&rest, &pages_per_slab) && take_slabs(rest, &slabs) &&
	       !__builtin_mul_overflow(pages_per_slab, slabs, &line->pages);
}

bool slabinfo_next(struct span *text, struct slabinfo_line *line)
{
	struct span rest;

	while (span_line(text, &rest))
		if (parse_slab(rest, line))
			return true;
	return false;
}

bool swaps_heading(struct span *text)
{
	struct span line;

	return span_starts(*text, "Filename") && span_line(text, &line);
}

bool swaps_next(struct span *text, struct swap_line *line)
{
	uint64_t size, used;
	struct span rest;

	while (span_line(text, &rest))
		if (span_word(&rest, &line->name) && span_word(&rest, &line->type) && take(&rest, &size) &&
		    take(&rest, &used) && used <= size && span_i64(&rest, &line->priority) &&
		    !__builtin_mul_overflow(size, 1024, &line->size_bytes)) {
			line->used_bytes = used * 1024;
			return true;
		}
	return false;
}

bool swap_is_zram(const struct swap_line *line, struct span *name)
{
	struct span part, rest = line->name, number;
	uint64_t index;

	while (span_until(&rest, '/', &part))
		;
	*name = number = rest;
	return span_is(line->type, "partition") && span_take_start(&number, "zram") &&
	       span_is_u64(number, &index);
}

bool zram_memory_parse(struct span text, struct zram_memory *memory)
{
	struct zram_memory found;
	uint64_t compressed;

	if (!take(&text, &found.stored_bytes) || !take(&text, &compressed) ||
	    !take(&text, &found.memory_bytes) || !take(&text, &found.limit_bytes))
		return false;
	*memory = found;
	return true;
}

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

bool damon_percentiles_parse(struct span text, int64_t milliseconds[DAMON_PERCENTILES])
{
	struct span line, item;
	unsigned n = 0;

	if (!span_line(&text, &line))
		return false;
	while (n < DAMON_PERCENTILES && span_item(&line, &item)) {
		if (!span_i64(&item, &milliseconds[n]) || span_length(item) > 0)
			return false;
		if (n > 0 && milliseconds[n] < milliseconds[n - 1])
			return false;
		n++;
	}
	return n == DAMON_PERCENTILES && span_length(line) == 0;
}

bool damon_percentiles_are_new(const int64_t milliseconds[DAMON_PERCENTILES])
{
	for (unsigned i = 0; i < DAMON_PERCENTILES; i++)
		if (milliseconds[i] != 0)
			return false;
	return true;
}
