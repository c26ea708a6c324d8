/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/pagemap: 64 bits per page, decoded and counted. */
#ifndef PANETOP_KERNEL_PAGEMAP_H
#define PANETOP_KERNEL_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_FILE (UINT64_C(1) << 61)          /* file or shared memory */
#define PAGEMAP_GUARD (UINT64_C(1) << 58)         /* Linux 6.15 */
#define PAGEMAP_WRITE_WATCHED (UINT64_C(1) << 57) /* userfaultfd, Linux 5.13 */
#define PAGEMAP_EXCLUSIVE (UINT64_C(1) << 56)     /* mapped once */
#define PAGEMAP_SOFT_DIRTY (UINT64_C(1) << 55)    /* written since clear_refs; needs CONFIG_MEM_SOFT_DIRTY */

#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)   /* of a present page; of a swapped page its place */

/* Numbers of pages, present ones unless noted. */
struct page_counts {
	uint64_t pages; /* all, also absent ones */
	uint64_t present;
	uint64_t swapped;    /* absent, contents in swap */
	uint64_t file;       /* file or shared memory */
	uint64_t soft_dirty; /* including swapped pages */
	uint64_t exclusive;
	uint64_t maybe_zero;      /* neither of a file nor exclusive: the zero page, or shared */
	uint64_t huge, zero, ksm; /* unknown to pagemap */
};

/* Adds n entries to counts. */
void pagemap_count(const uint64_t *entries, size_t n, struct page_counts *counts);
void page_counts_add(struct page_counts *sum, const struct page_counts *more);

/* One decoded entry. */
struct pagemap_entry {
	bool present, swapped, file, guard, write_watched, exclusive, soft_dirty;
	uint64_t frame;       /* PFN of a present page; 0: absent, or hidden for lack of privileges */
	unsigned swap_type;   /* of a swapped page: swap area number */
	uint64_t swap_offset; /* … and the page in it; 0 where hidden */
};

void pagemap_decode(uint64_t entry, struct pagemap_entry *page);

#endif
