/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps, smaps, numa_maps, pagemap and /proc/kpageflags: the memory of a process. */
#ifndef PANETOP_KERNEL_PID_MAPS_H
#define PANETOP_KERNEL_PID_MAPS_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/PID/maps and smaps: the regions of a process, and the sizes in smaps. */
#define MAPS_PERMISSIONS 4

struct maps_region {
	uint64_t start, end;     /* addresses; start < end */
	struct span permissions; /* "rw-p": MAPS_PERMISSIONS bytes */
	uint64_t offset;         /* of the first byte in the file */
	uint64_t device;         /* of the file system: major << 32 | minor, as in mountinfo */
	uint64_t inode;          /* 0: none */
	struct span path;        /* or "[heap]"; empty: anonymous memory. A newline is "\012" */
};

/* The next region; skips other lines, such as those of smaps. */
bool maps_next(struct span *text, struct maps_region *region);

/* Mapped by the kernel into every process, and not counted: [vvar], [vsyscall] … */
bool maps_is_special(const struct maps_region *region);

/* One region in smaps; U64_UNKNOWN where the kernel does not print a value. */
struct smaps_sizes {
	uint64_t resident_bytes, proportional_bytes, swap_proportional_bytes;
	uint64_t referenced_bytes; /* in pages that were accessed since the accessed bits were cleared */
	uint64_t huge_bytes;       /* mapped in whole as huge pages: of anonymous memory, of files, shared */
};

/* The next region of smaps with its values. */
bool smaps_next(struct span *text, struct maps_region *region, struct smaps_sizes *sizes);

/* /proc/PID/smaps_rollup: sums over all mappings of a process, for which the kernel walks its pages. */

/* The next line "Name:   123 kB"; skips others. */
bool smaps_rollup_next(struct span *text, struct span *name, uint64_t *bytes);

/* The line Pss, in bytes; false when missing. */
bool smaps_rollup_parse(struct span text, uint64_t *proportional_bytes);

/* /proc/PID/numa_maps: on which NUMA nodes the pages of each region are. */

/* A line: "7f2c80000000 default anon=513 dirty=513 N0=256 N1=257 kernelpagesize_kB=4". */
struct numa_region {
	uint64_t start;      /* address */
	uint64_t page_bytes; /* in which its pages are counted; 0: not in the line */
	struct span rest;    /* for numa_region_next() */
};

/* The next region; skips other lines. */
bool numa_maps_next(struct span *text, struct numa_region *region);

/* The next node that has pages of it; false after the last. */
bool numa_region_next(struct numa_region *region, uint64_t *node, uint64_t *pages);

/* /proc/PID/pagemap: 64 bits per page, decoded and counted. */
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

/* /proc/kpageflags: 64 bits per page frame of the machine, and their names. */
#define PAGE_FLAGS_HUGE 17
#define PAGE_FLAGS_KSM 21
#define PAGE_FLAGS_THP 22
#define PAGE_FLAGS_ZERO 24

#define PAGE_FLAGS_TEXT_MAX 512

/*
 * "uptodate lru anon": the names of the bits that are set, or their numbers; returns out, which has
 * PAGE_FLAGS_TEXT_MAX bytes.
 */
char *page_flags_text(char *out, uint64_t flags);

#endif
