/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Divides the regions of a process into the cells of a map. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_LAYOUT_H
#define PANETOP_TOPIC_PAGES_PAGE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/pid/maps.h"

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

#endif
