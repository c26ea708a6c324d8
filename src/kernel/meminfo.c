/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/meminfo. */
#include <config.h>

#include "kernel/meminfo.h"

#include <stddef.h>
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

static const struct {
	const char *key;
	size_t offset;
} fields[] = {
	{ "MemTotal", offsetof(struct meminfo, total) },
	{ "MemFree", offsetof(struct meminfo, free) },
	{ "MemAvailable", offsetof(struct meminfo, available) },
	{ "Buffers", offsetof(struct meminfo, buffers) },
	{ "Cached", offsetof(struct meminfo, cached) },
	{ "SwapCached", offsetof(struct meminfo, swap_cached) },
	{ "Active", offsetof(struct meminfo, active) },
	{ "Inactive", offsetof(struct meminfo, inactive) },
	{ "Active(anon)", offsetof(struct meminfo, active_anon) },
	{ "Inactive(anon)", offsetof(struct meminfo, inactive_anon) },
	{ "Active(file)", offsetof(struct meminfo, active_file) },
	{ "Inactive(file)", offsetof(struct meminfo, inactive_file) },
	{ "Unevictable", offsetof(struct meminfo, unevictable) },
	{ "SwapTotal", offsetof(struct meminfo, swap_total) },
	{ "SwapFree", offsetof(struct meminfo, swap_free) },
	{ "Zswap", offsetof(struct meminfo, zswap) },
	{ "AnonPages", offsetof(struct meminfo, anon_pages) },
	{ "Shmem", offsetof(struct meminfo, shmem) },
	{ "KReclaimable", offsetof(struct meminfo, kernel_reclaimable) },
	{ "Slab", offsetof(struct meminfo, slab) },
	{ "SReclaimable", offsetof(struct meminfo, reclaimable_slab) },
	{ "SUnreclaim", offsetof(struct meminfo, unreclaimable_slab) },
	{ "KernelStack", offsetof(struct meminfo, kernel_stack) },
	{ "PageTables", offsetof(struct meminfo, page_tables) },
	{ "SecPageTables", offsetof(struct meminfo, secondary_page_tables) },
	{ "Bounce", offsetof(struct meminfo, bounce) },
	{ "VmallocUsed", offsetof(struct meminfo, vmalloc_used) },
	{ "Percpu", offsetof(struct meminfo, percpu) },
	{ "Hugetlb", offsetof(struct meminfo, hugetlb) },
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
