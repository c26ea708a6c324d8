/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the regions of a process are cut into the cells of a map. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_LAYOUT_H
#define PANETOP_TOPIC_PAGES_PAGE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/pagemap.h"

struct page_region {
	uint64_t start, end;    /* addresses */
	uint64_t offset, inode; /* of the file that is mapped */
	size_t path;            /* where its text begins in the texts of the map */
	char permissions[5];
	bool special; /* mapped by the kernel itself, and no memory of the process */
	struct page_counts counts;
	uint64_t proportional_bytes; /* U64_UNKNOWN unless asked for */
};

struct page_cell {
	uint64_t start, end; /* addresses; what lies between regions is none of its pages */
	struct page_counts counts;
};

/* Which cells are wanted. All zero but most: as many as there is room for, of the whole. */
struct cell_layout {
	uint64_t cell_pages; /* 0: as few as it takes for all to fit into most */
	uint64_t from, to;   /* only what lies between; to 0: no end */
	uint64_t
		fold_pages; /* a region of more pages is mostly absent: it gets few cells; 0: all are alike */
	uint64_t anchor;    /* with cell_pages: address of a cell … */
	size_t before;      /* … before which so many are wanted */
	size_t most;        /* cells; from the anchor on, if there is one */
};

bool cell_layout_is_same(const struct cell_layout *one, const struct cell_layout *other);

/*
 * Cuts the regions: every cell lies in one region and holds at most *cell_pages pages, unless there are so
 * many small regions that cells have to hold several. Where regions are folded, one that nobody may access is
 * a single cell. *cells is resized as needed; returns their number.
 */
size_t cell_layout_cut(const struct cell_layout *layout, const struct page_region *regions, size_t n_regions,
		       uint64_t page_bytes, struct page_cell **cells, size_t *capacity, uint64_t *cell_pages);

#endif
