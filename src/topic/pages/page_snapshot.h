/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One map of a process: its regions, and the counts of its pages in regions and cells as a scan adds them. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_SNAPSHOT_H
#define PANETOP_TOPIC_PAGES_PAGE_SNAPSHOT_H

#include "core/buffer.h"
#include "sys/page_file.h"
#include "topic/pages/page_layout.h"

/* Where in regions and cells a walk with growing addresses is. */
struct page_walk {
	size_t region, cell;
};

struct page_snapshot {
	uint32_t pid;
	uint64_t generation; /* of the target */
	uint64_t mono_ns;    /* when its scan began */
	uint64_t page_bytes;
	struct page_region *regions; /* by address; owned, as all below */
	size_t n_regions, region_capacity;
	struct buffer texts; /* paths of the regions, NUL after each */
	struct cell_layout layout;
	struct page_cell *cells; /* by address */
	uint64_t cell_pages;     /* of a cell that is not folded */
	size_t n_cells, cell_capacity;
	struct page_counts total;
	bool complete;
	uint64_t next;                                 /* addresses below are counted */
	int pagemap_error;                             /* -errno: why nothing is known of the pages */
	bool knows_soft_dirty, knows_kinds, knows_ksm; /* kinds: huge and zero pages */
	uint64_t cpu_ns;                               /* that the scan took */
};

void page_snapshot_free(struct page_snapshot *snapshot);

/* Makes it a map without counts of these maps, as read from /proc/PID/maps. */
void page_snapshot_parse(struct page_snapshot *snapshot, struct span maps);

/* Cuts its regions into cells. */
void page_snapshot_cut(struct page_snapshot *snapshot, const struct cell_layout *layout);

const char *page_snapshot_path(const struct page_snapshot *snapshot, const struct page_region *region);

/* The region that begins there; NULL when none does. */
struct page_region *page_snapshot_find(const struct page_snapshot *snapshot, uint64_t start);

/* Adds what n entries of pagemap say of the pages from address on; walk goes on from call to call. */
void page_snapshot_count(struct page_snapshot *snapshot, struct page_walk *walk, uint64_t address,
			 const uint64_t *entries, size_t n);

/* Adds what is known of a range beyond its entries: huge pages, zero pages. */
void page_snapshot_count_range(struct page_snapshot *snapshot, struct page_walk *walk,
			       const struct page_range *range);

/* Adds n pages at address that are merged by KSM. */
void page_snapshot_count_ksm(struct page_snapshot *snapshot, struct page_walk *walk, uint64_t address,
			     uint64_t n);

#endif
