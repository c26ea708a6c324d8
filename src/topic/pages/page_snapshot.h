/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One map of a process: its regions and cells with the counts of their pages, filled by a scan. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_SNAPSHOT_H
#define PANETOP_TOPIC_PAGES_PAGE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "kernel/pid/maps.h"
#include "sys/pids.h"

struct page_region {
	uint64_t start, end;    /* addresses */
	uint64_t offset, inode; /* of the file that is mapped */
	size_t path;            /* offset in the texts of the snapshot */
	char permissions[5];
	bool special; /* mapped by the kernel, not memory of the process */
	struct page_counts counts;
	uint64_t proportional_bytes; /* U64_UNKNOWN unless requested */
};

struct page_cell {
	uint64_t start, end; /* addresses; gaps between regions do not count as pages */
	struct page_counts counts;
};

/* Which cells are wanted. All zero except most: the whole, in at most that many cells. */
struct cell_layout {
	uint64_t cell_pages; /* 0: as few as fit into most cells */
	uint64_t from, to;   /* only these addresses; to 0: no limit */
	uint64_t fold_pages; /* larger regions are mostly absent and get few cells; 0: no such regions */
	uint64_t anchor;    /* with cell_pages: address of a cell … */
	size_t before;      /* … and the cells wanted before it */
	size_t most;        /* cells wanted, from the anchor on if there is one */
};

bool cell_layout_is_same(const struct cell_layout *one, const struct cell_layout *other);

/*
 * Each cell lies in one region and has at most *cell_pages pages, except that with many small regions cells
 * span several. Where large regions are folded, a region without access permissions is a single cell. *cells
 * is resized as needed; returns the number of cells.
 */
size_t cell_layout_cut(const struct cell_layout *layout, const struct page_region *regions, size_t n_regions,
		       uint64_t page_bytes, struct page_cell **cells, size_t *capacity, uint64_t *cell_pages);

/* Position of a walk in ascending order of addresses. */
struct page_walk {
	size_t region, cell;
};

struct page_snapshot {
	uint32_t pid;
	uint64_t generation; /* of the target */
	uint64_t mono_ns;    /* start of its scan */
	uint64_t page_bytes;
	struct page_region *regions; /* by address; owned, like all below */
	size_t n_regions, region_capacity;
	struct buffer texts; /* paths of the regions, NUL after each */
	struct cell_layout layout;
	struct page_cell *cells; /* by address */
	uint64_t cell_pages;     /* per cell outside of folded regions */
	size_t n_cells, cell_capacity;
	struct page_counts total;
	bool complete;
	uint64_t next;                                 /* lower addresses are counted */
	int pagemap_error;                             /* -errno: why pages are not known */
	bool knows_soft_dirty, knows_kinds, knows_ksm; /* kinds: huge and zero pages */
	uint64_t cpu_ns;                               /* CPU time of the scan */
};

void page_snapshot_free(struct page_snapshot *snapshot);

/* Parses the contents of /proc/PID/maps and clears all counts. */
void page_snapshot_parse(struct page_snapshot *snapshot, struct span maps);

/* Divides its regions into cells. */
void page_snapshot_cut(struct page_snapshot *snapshot, const struct cell_layout *layout);

const char *page_snapshot_path(const struct page_snapshot *snapshot, const struct page_region *region);

/* The region that starts there, or NULL. */
struct page_region *page_snapshot_find(const struct page_snapshot *snapshot, uint64_t start);

/* Counts n entries of pagemap from address on; walk continues from call to call. */
void page_snapshot_count(struct page_snapshot *snapshot, struct page_walk *walk, uint64_t address,
			 const uint64_t *entries, size_t n);

#define PAGE_SCAN_KSM (UINT64_C(1) << 63) /* of page_range.what; PAGEMAP_SCAN does not have it */

/*
 * Counts the huge, zero and KSM pages of a range; absent pages of hugetlb are huge, too, and are not counted.
 */
void page_snapshot_count_range(struct page_snapshot *snapshot, struct page_walk *walk,
			       const struct page_range *range);

#endif
