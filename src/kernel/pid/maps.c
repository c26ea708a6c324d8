/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions of a process, their sizes, nodes and pages. */
#include <config.h>

#include "kernel/pid/maps.h"

#include <stdio.h>

/* "00400000-00452000 r-xp 00000000 08:02 173521  /usr/bin/dbus-daemon" */
static bool parse_region(struct span line, struct maps_region *region)
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
		if (parse_region(line, region))
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
		if (parse_region(line, &following))
			return true;
		if (span_pair_u64(line, &name, &kib, &unit))
			take_size(sizes, name, kib);
	}
	return true;
}

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

static uint64_t page_bytes_of(struct span rest)
{
	struct span word, name;
	uint64_t kib;

	while (span_word(&rest, &word))
		if (span_until(&word, '=', &name) && span_is(name, "kernelpagesize_kB") &&
		    span_is_u64(word, &kib))
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

#define SWAP_TYPE_BITS 5
#define LANE_BITS 10
#define LANE_MASK ((UINT64_C(1) << LANE_BITS) - 1)
#define BITS_FROM 55 /* the lower bits are the frame */
#define EQUAL 8      /* entries compared at once: most neighbours are equal */

/* Each bit of the entry in its own lane: one addition counts all. */
static uint64_t lanes_of(uint64_t entry)
{
	uint64_t present = entry >> 63, any = present | (entry >> 62 & 1);
	uint64_t file = entry >> 61 & present, exclusive = entry >> 56 & present;

	return present | (entry >> 62 & ~present & 1) << LANE_BITS | file << (2 * LANE_BITS) |
	       (entry >> 55 & any) << (3 * LANE_BITS) | exclusive << (4 * LANE_BITS) |
	       (present & ~file & ~exclusive) << (5 * LANE_BITS);
}

static bool are_alike(const uint64_t *entries)
{
	uint64_t differs = 0;

	for (size_t i = 1; i < EQUAL; i++)
		differs |= entries[i] ^ entries[0];
	return differs >> BITS_FROM == 0;
}

/* Counts at most LANE_MASK entries. */
static uint64_t sum_of_lanes(const uint64_t *entries, size_t n)
{
	uint64_t sum = 0;
	size_t i = 0;

	for (; i + EQUAL <= n; i += EQUAL) {
		if (are_alike(entries + i)) {
			sum += EQUAL * lanes_of(entries[i]);
			continue;
		}
		for (size_t k = 0; k < EQUAL; k++)
			sum += lanes_of(entries[i + k]);
	}
	for (; i < n; i++)
		sum += lanes_of(entries[i]);
	return sum;
}

void pagemap_count(const uint64_t *entries, size_t n, struct page_counts *counts)
{
	counts->pages += n;
	while (n > 0) {
		size_t part = n < LANE_MASK ? n : LANE_MASK;
		uint64_t sum;

		sum = sum_of_lanes(entries, part);
		counts->present += sum & LANE_MASK;
		counts->swapped += sum >> LANE_BITS & LANE_MASK;
		counts->file += sum >> (2 * LANE_BITS) & LANE_MASK;
		counts->soft_dirty += sum >> (3 * LANE_BITS) & LANE_MASK;
		counts->exclusive += sum >> (4 * LANE_BITS) & LANE_MASK;
		counts->maybe_zero += sum >> (5 * LANE_BITS);
		entries += part;
		n -= part;
	}
}

void page_counts_add(struct page_counts *sum, const struct page_counts *more)
{
	sum->pages += more->pages;
	sum->present += more->present;
	sum->swapped += more->swapped;
	sum->file += more->file;
	sum->soft_dirty += more->soft_dirty;
	sum->exclusive += more->exclusive;
	sum->maybe_zero += more->maybe_zero;
	sum->huge += more->huge;
	sum->zero += more->zero;
	sum->ksm += more->ksm;
}

void pagemap_decode(uint64_t entry, struct pagemap_entry *page)
{
	*page = (struct pagemap_entry){
		.present = entry & PAGEMAP_PRESENT,
		.swapped = (entry & PAGEMAP_SWAPPED) && !(entry & PAGEMAP_PRESENT),
		.file = entry & PAGEMAP_FILE,
		.guard = entry & PAGEMAP_GUARD,
		.write_watched = entry & PAGEMAP_WRITE_WATCHED,
		.exclusive = entry & PAGEMAP_EXCLUSIVE,
		.soft_dirty = entry & PAGEMAP_SOFT_DIRTY,
	};
	if (page->present) {
		page->frame = entry & PAGEMAP_FRAME;
	} else if (page->swapped) {
		page->swap_type = (unsigned)(entry & ((1U << SWAP_TYPE_BITS) - 1));
		page->swap_offset = (entry & PAGEMAP_FRAME) >> SWAP_TYPE_BITS;
	}
}

#define LONGEST 16 /* name, blank, NUL */

/* Names of the bits of /proc/kpageflags, as in include/uapi/linux/kernel-page-flags.h of Linux. */
static const char *const names[] = {
	"locked",     "error",     "referenced", "uptodate", "dirty",       "lru",      "active",
	"slab",       "writeback", "reclaim",    "buddy",    "mmap",        "anon",     "swapcache",
	"swapbacked", "head",      "tail",       "huge",     "unevictable", "hwpoison", "nopage",
	"ksm",        "thp",       "offline",    "zero",     "idle",        "pgtable",
};

char *page_flags_text(char *out, uint64_t flags)
{
	int used = 0;

	out[0] = '\0';
	for (unsigned bit = 0; bit < 64 && used < PAGE_FLAGS_TEXT_MAX - LONGEST; bit++) {
		size_t room = PAGE_FLAGS_TEXT_MAX - (size_t)used;

		if (!(flags >> bit & 1))
			continue;
		if (bit < sizeof(names) / sizeof(names[0]))
			used += snprintf(out + used, room, "%s%s", used > 0 ? " " : "", names[bit]);
		else
			used += snprintf(out + used, room, "%sbit%u", used > 0 ? " " : "", bit);
	}
	return out;
}
