/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses regions, and adds up pages in regions and cells. */
#include <config.h>

#include "topic/pages/page_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "kernel/pid/maps.h"

void page_snapshot_free(struct page_snapshot *snapshot)
{
	free(snapshot->regions);
	free(snapshot->cells);
	buffer_free(&snapshot->texts);
}

const char *page_snapshot_path(const struct page_snapshot *snapshot, const struct page_region *region)
{
	return snapshot->texts.bytes + region->path;
}

static void add_region(struct page_snapshot *snapshot, const struct maps_region *found)
{
	struct page_region *region =
		VECTOR_ADD(snapshot->regions, snapshot->n_regions, snapshot->region_capacity);

	*region = (struct page_region){
		.start = found->start,
		.end = found->end,
		.offset = found->offset,
		.inode = found->inode,
		.path = snapshot->texts.length,
		.special = maps_is_special(found),
		.counts = { .pages = (found->end - found->start) / snapshot->page_bytes },
		.proportional_bytes = U64_UNKNOWN,
	};
	memcpy(region->permissions, found->permissions.at, MAPS_PERMISSIONS);
	buffer_add(&snapshot->texts, found->path.at, span_length(found->path));
	buffer_char(&snapshot->texts, '\0');
}

/* The list may change while it is read: skip regions that start before the previous one ends. */
void page_snapshot_parse(struct page_snapshot *snapshot, struct span maps)
{
	struct maps_region found;
	uint64_t last = 0;

	snapshot->n_regions = snapshot->n_cells = 0;
	snapshot->total = (struct page_counts){ 0 };
	snapshot->cpu_ns = snapshot->next = 0;
	snapshot->complete = false;
	buffer_empty(&snapshot->texts);
	while (maps_next(&maps, &found)) {
		if (found.start < last || found.start % snapshot->page_bytes != 0 ||
		    found.end % snapshot->page_bytes != 0)
			continue;
		last = found.end;
		add_region(snapshot, &found);
		if (!snapshot->regions[snapshot->n_regions - 1].special)
			snapshot->total.pages += snapshot->regions[snapshot->n_regions - 1].counts.pages;
	}
}

void page_snapshot_cut(struct page_snapshot *snapshot, const struct cell_layout *layout)
{
	snapshot->layout = *layout;
	snapshot->n_cells =
		cell_layout_cut(layout, snapshot->regions, snapshot->n_regions, snapshot->page_bytes,
				&snapshot->cells, &snapshot->cell_capacity, &snapshot->cell_pages);
}

struct page_region *page_snapshot_find(const struct page_snapshot *snapshot, uint64_t start)
{
	size_t at;

	VECTOR_BOUND(at, snapshot->n_regions, snapshot->regions[at].start < start);
	return at < snapshot->n_regions && snapshot->regions[at].start == start ? &snapshot->regions[at]
										: NULL;
}

/* A part of an address range within one region and one cell, or in none. */
struct piece {
	uint64_t end;
	struct page_region *region;
	struct page_cell *cell;
};

static struct piece next_piece(struct page_snapshot *snapshot, struct page_walk *walk, uint64_t address,
			       uint64_t end)
{
	struct piece piece = { .end = end };
	struct page_region *region;
	struct page_cell *cell;

	while (walk->region < snapshot->n_regions && snapshot->regions[walk->region].end <= address)
		walk->region++;
	while (walk->cell < snapshot->n_cells && snapshot->cells[walk->cell].end <= address)
		walk->cell++;
	region = walk->region < snapshot->n_regions ? &snapshot->regions[walk->region] : NULL;
	cell = walk->cell < snapshot->n_cells ? &snapshot->cells[walk->cell] : NULL;
	if (region && region->start <= address)
		piece.region = region;
	if (cell && cell->start <= address)
		piece.cell = cell;
	if (region) {
		uint64_t stop = piece.region ? region->end : region->start;

		piece.end = stop < piece.end ? stop : piece.end;
	}
	if (cell) {
		uint64_t stop = piece.cell ? cell->end : cell->start;

		piece.end = stop < piece.end ? stop : piece.end;
	}
	return piece;
}

static void add_counts(struct page_snapshot *snapshot, const struct piece *piece, struct page_counts *counts)
{
	if (!piece->region || piece->region->special)
		return;
	counts->pages = 0; /* already counted */
	page_counts_add(&piece->region->counts, counts);
	page_counts_add(&snapshot->total, counts);
	if (piece->cell)
		page_counts_add(&piece->cell->counts, counts);
}

void page_snapshot_count(struct page_snapshot *snapshot, struct page_walk *walk, uint64_t address,
			 const uint64_t *entries, size_t n)
{
	uint64_t end = address + n * snapshot->page_bytes;

	while (address < end) {
		struct piece piece = next_piece(snapshot, walk, address, end);
		size_t pages = (size_t)((piece.end - address) / snapshot->page_bytes);
		struct page_counts counts = { 0 };

		if (piece.region)
			pagemap_count(entries, pages, &counts);
		add_counts(snapshot, &piece, &counts);
		entries += pages;
		address = piece.end;
	}
}

void page_snapshot_count_range(struct page_snapshot *snapshot, struct page_walk *walk,
			       const struct page_range *range)
{
	uint64_t start = range->start;

	if (!(range->what & PAGE_SCAN_PRESENT) ||
	    !(range->what & (PAGE_SCAN_HUGE | PAGE_SCAN_ZERO | PAGE_SCAN_KSM)))
		return;
	while (start < range->end) {
		struct piece piece = next_piece(snapshot, walk, start, range->end);
		uint64_t pages = (piece.end - start) / snapshot->page_bytes;
		struct page_counts counts = { .huge = (range->what & PAGE_SCAN_HUGE) ? pages : 0,
					      .zero = (range->what & PAGE_SCAN_ZERO) ? pages : 0,
					      .ksm = (range->what & PAGE_SCAN_KSM) ? pages : 0 };

		add_counts(snapshot, &piece, &counts);
		start = piece.end;
	}
}
