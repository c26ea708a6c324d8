/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting and decoding of the entries of /proc/PID/pagemap. */
#include <config.h>

#include "kernel/pid/pagemap.h"

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
