/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses regions, divides them into cells, and adds up pages in both. */
#include <config.h>

#include "topic/pages/page_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "kernel/pid/maps.h"

#define FOLDED_SHARE 8 /* a mostly absent region gets at most this fraction of the cells */

struct cutter {
	const struct cell_layout *layout;
	const struct page_region *regions;
	size_t n_regions;
	uint64_t page_bytes;
	uint64_t cell_pages;
	struct page_cell **cells;
	size_t *capacity;
	size_t n_cells;
};

bool cell_layout_is_same(const struct cell_layout *one, const struct cell_layout *other)
{
	return one->cell_pages == other->cell_pages && one->from == other->from && one->to == other->to &&
	       one->fold_pages == other->fold_pages && one->anchor == other->anchor &&
	       one->before == other->before && one->most == other->most;
}

/* The part of a region between from and to; false: none. */
static bool clip(const struct cutter *cutter, size_t index, uint64_t *start, uint64_t *end)
{
	const struct cell_layout *layout = cutter->layout;
	const struct page_region *region = &cutter->regions[index];

	*start = region->start > layout->from ? region->start : layout->from;
	*end = layout->to > 0 && layout->to < region->end ? layout->to : region->end;
	return !region->special && *start < *end;
}

/* Pages per cell in this region of pages pages, if cells have cell_pages elsewhere. */
static uint64_t cell_pages_in(const struct cutter *cutter, size_t index, uint64_t pages, uint64_t cell_pages)
{
	const struct cell_layout *layout = cutter->layout;
	uint64_t few = layout->most / FOLDED_SHARE > 0 ? layout->most / FOLDED_SHARE : 1;

	if (layout->fold_pages == 0)
		return cell_pages;
	if (memcmp(cutter->regions[index].permissions, "---", 3) == 0)
		return pages;
	if (layout->cell_pages == 0 && pages > layout->fold_pages && (pages + few - 1) / few > cell_pages)
		return (pages + few - 1) / few;
	return cell_pages;
}

static uint64_t cells_of(const struct cutter *cutter, size_t index, uint64_t pages, uint64_t cell_pages)
{
	uint64_t own = cell_pages_in(cutter, index, pages, cell_pages);

	return own > 0 ? (pages + own - 1) / own : 0;
}

static uint64_t count_cells(const struct cutter *cutter, uint64_t cell_pages)
{
	uint64_t start, end, count = 0;

	for (size_t i = 0; i < cutter->n_regions; i++)
		if (clip(cutter, i, &start, &end))
			count += cells_of(cutter, i, (end - start) / cutter->page_bytes, cell_pages);
	return count;
}

/* Would a cell per small region leave too few cells for large regions? */
static bool is_crowded(const struct cutter *cutter)
{
	return cutter->layout->cell_pages == 0 &&
	       count_cells(cutter, UINT64_C(1) << 52) > cutter->layout->most / 2;
}

/* Cells that continue across regions, except in folded ones. */
static uint64_t count_across(const struct cutter *cutter, uint64_t cell_pages)
{
	uint64_t start, end, room = 0, count = 0;

	for (size_t i = 0; i < cutter->n_regions; i++) {
		uint64_t pages, own, cells;

		if (!clip(cutter, i, &start, &end))
			continue;
		pages = (end - start) / cutter->page_bytes;
		own = cell_pages_in(cutter, i, pages, cell_pages);
		if (own > cell_pages) {
			count += (pages + own - 1) / own;
			room = 0;
		} else if (pages <= room) {
			room -= pages;
		} else {
			cells = (pages - room + cell_pages - 1) / cell_pages;
			count += cells;
			room = cells * cell_pages - (pages - room);
		}
	}
	return count;
}

/* The smallest pages per cell that need at most layout->most cells. */
static uint64_t fit(const struct cutter *cutter)
{
	uint64_t (*count)(const struct cutter *, uint64_t) = is_crowded(cutter) ? count_across : count_cells;
	uint64_t most = cutter->layout->most > 0 ? cutter->layout->most : 1, low = 1, high;

	for (high = 1; count(cutter, high) > most; high *= 2)
		low = high;
	while (low + 1 < high) {
		uint64_t middle = low + (high - low) / 2;

		if (count(cutter, middle) > most)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static struct page_cell *add_cell(struct cutter *cutter, uint64_t start, uint64_t end)
{
	struct page_cell *cell = VECTOR_ADD(*cutter->cells, cutter->n_cells, *cutter->capacity);

	*cell = (struct page_cell){ .start = start, .end = end };
	cell->counts.pages = (end - start) / cutter->page_bytes;
	return cell;
}

/* Adds pages from *start on to a cell until it is full. */
static void fill_cell(const struct cutter *cutter, struct page_cell *cell, uint64_t *start, uint64_t end,
		      uint64_t *room)
{
	uint64_t pages = (end - *start) / cutter->page_bytes;

	pages = pages < *room ? pages : *room;
	*start += pages * cutter->page_bytes;
	cell->end = *start;
	cell->counts.pages += pages;
	*room -= pages;
}

/* Makes the cells that count_across() counts. */
static void cut_across(struct cutter *cutter)
{
	struct page_cell *cell = NULL;
	uint64_t start, end, room = 0;

	for (size_t i = 0; i < cutter->n_regions; i++) {
		uint64_t own;
		bool folded;

		if (!clip(cutter, i, &start, &end))
			continue;
		own = cell_pages_in(cutter, i, (end - start) / cutter->page_bytes, cutter->cell_pages);
		folded = own > cutter->cell_pages;
		room = folded ? 0 : room;
		while (start < end) {
			if (room == 0) {
				cell = add_cell(cutter, start, start);
				room = folded ? own : cutter->cell_pages;
			}
			fill_cell(cutter, cell, &start, end, &room);
		}
		room = folded ? 0 : room;
	}
}

/* Number of the cell with the anchor, or of the first one after it. */
static uint64_t number_of_anchor(const struct cutter *cutter)
{
	uint64_t anchor = cutter->layout->anchor, start, end, number = 0;

	for (size_t i = 0; i < cutter->n_regions; i++) {
		uint64_t pages, own;

		if (!clip(cutter, i, &start, &end) || start >= anchor)
			continue;
		pages = (end - start) / cutter->page_bytes;
		own = cell_pages_in(cutter, i, pages, cutter->cell_pages);
		number += anchor < end ? (anchor - start) / cutter->page_bytes / (own > 0 ? own : 1)
				       : cells_of(cutter, i, pages, cutter->cell_pages);
	}
	return number;
}

/* Makes the cells with these numbers, each within a region. */
static void cut_regions(struct cutter *cutter, uint64_t first, uint64_t last)
{
	uint64_t start, end, number = 0;

	for (size_t i = 0; i < cutter->n_regions && number < last; i++) {
		uint64_t pages, count, skip, bytes;

		if (!clip(cutter, i, &start, &end))
			continue;
		pages = (end - start) / cutter->page_bytes;
		count = cells_of(cutter, i, pages, cutter->cell_pages);
		bytes = cell_pages_in(cutter, i, pages, cutter->cell_pages) * cutter->page_bytes;
		skip = number >= first ? 0 : first - number < count ? first - number : count;
		for (uint64_t n = skip; n < count && number + n < last; n++) {
			uint64_t at = start + n * bytes;

			add_cell(cutter, at, end - at > bytes ? at + bytes : end);
		}
		number += count;
	}
}

size_t cell_layout_cut(const struct cell_layout *layout, const struct page_region *regions, size_t n_regions,
		       uint64_t page_bytes, struct page_cell **cells, size_t *capacity, uint64_t *cell_pages)
{
	struct cutter cutter = {
		.layout = layout,
		.regions = regions,
		.n_regions = n_regions,
		.page_bytes = page_bytes,
		.cells = cells,
		.capacity = capacity,
	};
	uint64_t first = 0, last = UINT64_MAX;

	cutter.cell_pages = *cell_pages = layout->cell_pages > 0 ? layout->cell_pages : fit(&cutter);
	if (is_crowded(&cutter)) {
		cut_across(&cutter);
		return cutter.n_cells;
	}
	if (layout->cell_pages > 0) {
		uint64_t all = count_cells(&cutter, cutter.cell_pages), anchor = number_of_anchor(&cutter);

		/* near the end: the last layout->most cells */
		if (anchor + layout->most > all)
			anchor = all > layout->most ? all - layout->most : 0;
		first = anchor > layout->before ? anchor - layout->before : 0;
		last = anchor + layout->most;
	}
	cut_regions(&cutter, first, last);
	return cutter.n_cells;
}

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
