/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/pagemap: a number of 64 bits for each page, and what many of them say together. */
#ifndef PANETOP_KERNEL_PAGEMAP_H
#define PANETOP_KERNEL_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_FILE (UINT64_C(1) << 61)          /* of a file, or shared memory */
#define PAGEMAP_GUARD (UINT64_C(1) << 58)         /* Linux 6.15 */
#define PAGEMAP_WRITE_WATCHED (UINT64_C(1) << 57) /* userfaultfd, Linux 5.13 */
#define PAGEMAP_EXCLUSIVE (UINT64_C(1) << 56)     /* mapped once */
#define PAGEMAP_SOFT_DIRTY (UINT64_C(1) << 55)    /* written since clear_refs, where the kernel is built so */

#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)   /* of a present page; of a swapped one its place */

/* Numbers of pages; of those that are present unless it says otherwise. */
struct page_counts {
	uint64_t pages; /* all that were looked at */
	uint64_t present;
	uint64_t swapped;    /* not present, their contents are in swap */
	uint64_t file;       /* of a file or shared */
	uint64_t soft_dirty; /* swapped ones, too */
	uint64_t exclusive;
	uint64_t huge, zero, ksm; /* pagemap does not tell these */
};

/* Adds n entries to counts. */
void pagemap_count(const uint64_t *entries, size_t n, struct page_counts *counts);
void page_counts_add(struct page_counts *sum, const struct page_counts *more);

/* What one entry says. */
struct pagemap_entry {
	bool present, swapped, file, guard, write_watched, exclusive, soft_dirty;
	uint64_t frame;       /* PFN of a present page; 0: absent, or hidden from those who may not know */
	unsigned swap_type;   /* of a swapped page: number of the swap area */
	uint64_t swap_offset; /* … and the page in it; 0 where it is hidden */
};

void pagemap_decode(uint64_t entry, struct pagemap_entry *page);

#endif
