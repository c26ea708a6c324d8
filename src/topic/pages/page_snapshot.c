/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The regions and cells of one map, and the adding up of pages in them. */
#include <config.h>

#include "topic/pages/page_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "kernel/maps.h"

void page_view_free(struct page_view *view)
{
	free(view->regions);
	free(view->cells);
	buffer_free(&view->texts);
}

const char *page_view_path(const struct page_view *view, const struct page_region *region)
{
	return view->texts.bytes + region->path;
}

static void add_region(struct page_view *view, const struct maps_region *found)
{
	struct page_region *region = VECTOR_ADD(view->regions, view->n_regions, view->region_capacity);

	*region = (struct page_region){
		.start = found->start,
		.end = found->end,
		.offset = found->offset,
		.inode = found->inode,
		.path = view->texts.length,
		.special = maps_is_special(found),
		.counts = { .pages = (found->end - found->start) / view->page_bytes },
		.proportional_bytes = U64_UNKNOWN,
	};
	memcpy(region->permissions, found->permissions.at, MAPS_PERMISSIONS);
	buffer_add(&view->texts, found->path.at, span_length(found->path));
	buffer_char(&view->texts, '\0');
}

/* While it is read the list may change: a region that begins before the last one ends was told already. */
void page_view_take_maps(struct page_view *view, struct span maps)
{
	struct maps_region found;
	uint64_t last = 0;

	view->n_regions = view->n_cells = 0;
	view->total = (struct page_counts){ 0 };
	view->cpu_ns = view->next = 0;
	view->complete = false;
	buffer_empty(&view->texts);
	while (maps_next(&maps, &found)) {
		if (found.start < last || found.start % view->page_bytes != 0 ||
		    found.end % view->page_bytes != 0)
			continue;
		last = found.end;
		add_region(view, &found);
		if (!view->regions[view->n_regions - 1].special)
			view->total.pages += view->regions[view->n_regions - 1].counts.pages;
	}
}

void page_view_cut(struct page_view *view, const struct cell_layout *layout)
{
	view->layout = *layout;
	view->n_cells = cell_layout_cut(layout, view->regions, view->n_regions, view->page_bytes,
					&view->cells, &view->cell_capacity, &view->cell_pages);
}

struct page_region *page_view_find(const struct page_view *view, uint64_t start)
{
	size_t at;

	VECTOR_BOUND(at, view->n_regions, view->regions[at].start < start);
	return at < view->n_regions && view->regions[at].start == start ? &view->regions[at] : NULL;
}

/* A part of an address range that lies in one region and one cell, or in none of them. */
struct piece {
	uint64_t end;
	struct page_region *region;
	struct page_cell *cell;
};

static struct piece next_piece(struct page_view *view, struct page_walk *walk, uint64_t address, uint64_t end)
{
	struct piece piece = { .end = end };
	struct page_region *region;
	struct page_cell *cell;

	while (walk->region < view->n_regions && view->regions[walk->region].end <= address)
		walk->region++;
	while (walk->cell < view->n_cells && view->cells[walk->cell].end <= address)
		walk->cell++;
	region = walk->region < view->n_regions ? &view->regions[walk->region] : NULL;
	cell = walk->cell < view->n_cells ? &view->cells[walk->cell] : NULL;
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

static void add_counts(struct page_view *view, const struct piece *piece, struct page_counts *counts)
{
	if (!piece->region || piece->region->special)
		return;
	counts->pages = 0; /* known since it was cut */
	page_counts_add(&piece->region->counts, counts);
	page_counts_add(&view->total, counts);
	if (piece->cell)
		page_counts_add(&piece->cell->counts, counts);
}

void page_view_count(struct page_view *view, struct page_walk *walk, uint64_t address,
		     const uint64_t *entries, size_t n)
{
	uint64_t end = address + n * view->page_bytes;

	while (address < end) {
		struct piece piece = next_piece(view, walk, address, end);
		size_t pages = (size_t)((piece.end - address) / view->page_bytes);
		struct page_counts counts = { 0 };

		if (piece.region)
			pagemap_count(entries, pages, &counts);
		add_counts(view, &piece, &counts);
		entries += pages;
		address = piece.end;
	}
}

/* Adds the same to every piece of a range: its pages, in one or more fields. */
static void count_all(struct page_view *view, struct page_walk *walk, uint64_t start, uint64_t end, bool huge,
		      bool zero, bool ksm)
{
	while (start < end) {
		struct piece piece = next_piece(view, walk, start, end);
		uint64_t pages = (piece.end - start) / view->page_bytes;
		struct page_counts counts = { .huge = huge ? pages : 0,
					      .zero = zero ? pages : 0,
					      .ksm = ksm ? pages : 0 };

		add_counts(view, &piece, &counts);
		start = piece.end;
	}
}

void page_view_count_range(struct page_view *view, struct page_walk *walk, const struct page_range *range)
{
	bool huge = range->what & PAGE_SCAN_HUGE, zero = range->what & PAGE_SCAN_ZERO;

	if (huge || zero)
		count_all(view, walk, range->start, range->end, huge, zero, false);
}

void page_view_count_ksm(struct page_view *view, struct page_walk *walk, uint64_t address, uint64_t n)
{
	count_all(view, walk, address, address + n * view->page_bytes, false, false, true);
}
