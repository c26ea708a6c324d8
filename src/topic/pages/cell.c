/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "cell" and "region": the page map of the selected process, one row per cell, and its mappings with
 * how much of each is present.
 */
#include <config.h>

#include "core/i18n.h"
#include "topic/pages/page_map.h"

struct cell_row {
	uint64_t pid, start_address, end_address;
	uint64_t offset_bytes, hole_bytes;
	uint64_t cell_pages, pages, present, swapped, file, soft_dirty, exclusive, huge, zero, ksm;
	double present_per_second, swapped_per_second, file_per_second, soft_dirty_per_second;
};

#define NUMBER(field, heading, what, from, ...)                                                              \
	COLUMN(struct cell_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = heading,           \
	       .width = 8, .help = what, .source = from, __VA_ARGS__)
#define CHANGE(field, heading, of, what, from)                                                               \
	COLUMN(struct cell_row, field, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = heading,       \
	       .width = 8, .hidden = true, .rate_of = offsetof(struct cell_row, of), .help = what,           \
	       .source = from)
#define PAGEMAP "/proc/PID/pagemap"
#define CELL_COL(field, ...) COLUMN_OF(struct cell_row, field, __VA_ARGS__)

static const struct column columns[] = {
	CELL_COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true, .hidden = true),
	CELL_COL(start_address, KEY, ADDRESS, N_("start"), 12, N_("address of its first page"),
		 "/proc/PID/maps", .fleeting = true),
	CELL_COL(end_address, LABEL, ADDRESS, N_("end"), 12, N_("address after its last page"),
		 "/proc/PID/maps", .rank = 3),
	NUMBER(pages, N_("pages"), N_("mapped pages, present or not"), "/proc/PID/maps", .rank = 0),
	NUMBER(present, N_("present"), N_("present in memory"), PAGEMAP " bit 63", .rank = 0),
	NUMBER(swapped, N_("swapped"), N_("in swap; shared memory there counts as absent"), PAGEMAP " bit 62",
	       .rank = 0),
	NUMBER(file, N_("file"), N_("present pages of files or shared memory"), PAGEMAP " bit 61", .rank = 1),
	NUMBER(soft_dirty, N_("written"), N_("written since the soft-dirty bits were cleared"),
	       PAGEMAP " bit 55", .rank = 2),
	NUMBER(exclusive, N_("excl"), N_("present pages that no other process maps"), PAGEMAP " bit 56",
	       .rank = 2),
	NUMBER(huge, N_("huge"), N_("present pages that are parts of huge pages"),
	       "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .rank = 1),
	NUMBER(zero, N_("zero"), N_("present pages that are the shared zero page"),
	       "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .rank = 1),
	NUMBER(ksm, N_("ksm"), N_("present pages that KSM has merged with equal ones"),
	       "/proc/kpageflags bit 21", .rank = 2),
	CELL_COL(cell_pages, LABEL, COUNT, N_("most"), 8,
		 N_("pages per cell of this map; on the screen, mostly absent regions have larger cells"),
		 "panetop", .hidden = true),
	CELL_COL(hole_bytes, GAUGE, BYTES, N_("hole"), 7, N_("addresses before it where nothing is mapped"),
		 "start_address - end_address of the previous cell", .hidden = true),
	CELL_COL(offset_bytes, GAUGE, BYTES, N_("offset"), 9,
		 N_("offset of its first byte in the mapped file"), "/proc/PID/maps", .hidden = true),
	CHANGE(present_per_second, N_("pres/s"), present, N_("change of present pages per second"),
	       "change of present / time"),
	CHANGE(swapped_per_second, N_("swap/s"), swapped, N_("change of swapped pages per second"),
	       "change of swapped / time"),
	CHANGE(file_per_second, N_("file/s"), file, N_("change of file pages per second"),
	       "change of file / time"),
	CHANGE(soft_dirty_per_second, N_("wrt/s"), soft_dirty, N_("change of written pages per second"),
	       "change of soft_dirty / time"),
};

static const struct schema schema = {
	.name = "cell",
	.help = N_("page map of the selected process, in --cells cells"),
	.from_zero = true,
	SCHEMA_ROWS(struct cell_row, columns),
};

/* region: where the cell starts. */
static void add_cell(struct table *table, const struct page_snapshot *snapshot,
		     const struct page_region *region, const struct page_cell *cell)
{
	struct cell_row *row = table_add(table);
	const struct page_counts *counts = &cell->counts;
	bool known = page_map_knows(snapshot, cell->end);

	row->pid = snapshot->pid;
	row->start_address = cell->start;
	row->end_address = cell->end;
	row->offset_bytes = *page_snapshot_path(snapshot, region) == '/'
				    ? region->offset + (cell->start - region->start)
				    : U64_BLANK;
	row->hole_bytes = cell > snapshot->cells ? cell->start - cell[-1].end : U64_BLANK;
	row->cell_pages = snapshot->cell_pages;
	row->pages = counts->pages;
	row->present = page_map_count(counts->present, known);
	row->swapped = page_map_count(counts->swapped, known);
	row->file = page_map_count(counts->file, known);
	row->exclusive = page_map_count(counts->exclusive, known);
	row->soft_dirty = page_map_count(counts->soft_dirty, known && snapshot->knows_soft_dirty);
	row->huge = page_map_count(counts->huge, known && snapshot->knows_kinds);
	row->zero = page_map_count(page_map_zero(snapshot, counts), known);
	row->ksm = page_map_count(counts->ksm, known && snapshot->knows_ksm);
}

static void add_cells(struct table *table, const struct page_snapshot *snapshot)
{
	const struct page_region *region = snapshot->regions;

	for (size_t i = 0; i < snapshot->n_cells; i++) {
		while (region->end <= snapshot->cells[i].start)
			region++;
		add_cell(table, snapshot, region, &snapshot->cells[i]);
	}
}

/* 0 or -errno; *shown becomes the pages to be shown, NULL: there are none yet. */
static int take_shown(struct sample *sample, const struct page_snapshot **shown)
{
	struct page_map *map = sample->state;
	int error = reader_update(&page_map_reader, sample);

	*shown = NULL;
	if (error)
		return error;
	page_map_notices(map, sample->frame, sample->topic);
	*shown = map->shown;
	if (*shown)
		sample->table->mono_ns = (*shown)->mono_ns;
	return 0;
}

static int sample_cells(struct sample *sample)
{
	const struct page_snapshot *shown;
	int error = take_shown(sample, &shown);

	if (shown)
		add_cells(sample->table, shown);
	return error;
}

const struct topic topic_cell = {
	.schema = &schema,
	.sources = page_map_sources,
	.uses = PAGE_MAP_USES,
	.reads = page_map_reads,
	.sample = sample_cells,
};

struct region_row {
	uint64_t pid, start_address, end_address;
	uint64_t size_bytes, present_bytes, swapped_bytes, file_bytes, anonymous_bytes, proportional_bytes;
	uint64_t soft_dirty_bytes, exclusive_bytes, huge_bytes, zero_bytes, ksm_bytes;
	const char *permissions;
	uint64_t offset_bytes, inode;
	const char *path;
};

#define PAGES(field, heading, what, from, ...)                                                               \
	COLUMN(struct region_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,         \
	       .width = 7, .help = what, .source = from, __VA_ARGS__)
#define MAPS "/proc/PID/maps"
#define REGION_COL(field, ...) COLUMN_OF(struct region_row, field, __VA_ARGS__)

static const struct column region_columns[] = {
	REGION_COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true, .hidden = true),
	REGION_COL(start_address, KEY, ADDRESS, N_("start"), 12, N_("address of its first byte"), MAPS,
		   .fleeting = true),
	REGION_COL(end_address, LABEL, ADDRESS, N_("end"), 12, N_("address after its last byte"), MAPS,
		   .rank = 5),
	PAGES(size_bytes, N_("size"), N_("mapped size, present or not"), MAPS, .rank = 0),
	PAGES(present_bytes, N_("present"), N_("present in memory"), PAGEMAP " bit 63", .rank = 0),
	PAGES(swapped_bytes, N_("swapped"), N_("in swap; shared memory there counts as absent"),
	      PAGEMAP " bit 62", .rank = 1),
	PAGES(file_bytes, N_("file"), N_("present pages of files or shared memory"), PAGEMAP " bit 61",
	      .rank = 2),
	PAGES(anonymous_bytes, N_("anon"), N_("present anonymous pages, without zero pages"),
	      "present - file - zero", .rank = 2),
	PAGES(proportional_bytes, N_("share"),
	      N_("proportional set size (PSS): shared pages divided by the number of sharers"),
	      "/proc/PID/smaps Pss, with --shares", .rank = 1, .optional = true),
	PAGES(soft_dirty_bytes, N_("written"), N_("written since the soft-dirty bits were cleared"),
	      PAGEMAP " bit 55", .rank = 4, .optional = true),
	PAGES(exclusive_bytes, N_("excl"), N_("present pages that no other process maps"), PAGEMAP " bit 56",
	      .hidden = true),
	PAGES(huge_bytes, N_("huge"), N_("present pages that are parts of huge pages"),
	      "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .rank = 4),
	PAGES(zero_bytes, N_("zero"), N_("present pages that are the shared zero page"),
	      "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .hidden = true),
	PAGES(ksm_bytes, N_("ksm"), N_("present pages that KSM has merged with equal ones"),
	      "/proc/kpageflags bit 21", .hidden = true),
	REGION_COL(permissions, LABEL, NONE, N_("perm"), 4,
		   N_("r read, w write, x execute, p private, s shared"), MAPS, .rank = 3),
	REGION_COL(offset_bytes, LABEL, BYTES, N_("offset"), 7, N_("offset of its first byte in the file"),
		   MAPS, .hidden = true),
	REGION_COL(inode, LABEL, NONE, N_("inode"), 8, N_("inode of the file; 0: none"), MAPS,
		   .hidden = true),
	REGION_COL(path, LABEL, NONE, N_("path"), 16,
		   N_("path of the file, or the kernel's name; empty: anonymous memory"), MAPS, .rank = 0),
};

static const struct schema region_schema = {
	.name = "region",
	.help = N_("mappings of the selected process"),
	SCHEMA_ROWS(struct region_row, region_columns),
};

static uint64_t bytes_of(const struct page_snapshot *snapshot, uint64_t pages)
{
	return pages == U64_UNKNOWN ? U64_UNKNOWN : pages * snapshot->page_bytes;
}

static void fill_counts(struct region_row *row, const struct page_snapshot *snapshot,
			const struct page_region *region)
{
	const struct page_counts *counts = &region->counts;
	bool known = page_map_knows(snapshot, region->end) && !region->special;
	uint64_t page = snapshot->page_bytes;

	row->present_bytes = page_map_count(counts->present * page, known);
	row->swapped_bytes = page_map_count(counts->swapped * page, known);
	row->file_bytes = page_map_count(counts->file * page, known);
	row->anonymous_bytes =
		page_map_count(bytes_of(snapshot, page_map_anonymous(snapshot, counts)), known);
	row->exclusive_bytes = page_map_count(counts->exclusive * page, known);
	row->soft_dirty_bytes =
		page_map_count(counts->soft_dirty * page, known && snapshot->knows_soft_dirty);
	row->huge_bytes = page_map_count(counts->huge * page, known && snapshot->knows_kinds);
	row->zero_bytes = page_map_count(bytes_of(snapshot, page_map_zero(snapshot, counts)), known);
	row->ksm_bytes = page_map_count(counts->ksm * page, known && snapshot->knows_ksm);
}

static void add_region(struct frame *frame, struct table *table, const struct page_snapshot *snapshot,
		       const struct page_region *region)
{
	struct region_row *row = table_add(table);
	const char *path = page_snapshot_path(snapshot, region);

	row->pid = snapshot->pid;
	row->start_address = region->start;
	row->end_address = region->end;
	row->size_bytes = region->end - region->start;
	row->proportional_bytes = region->proportional_bytes;
	row->permissions = arena_copy(&frame->arena, region->permissions, 4);
	row->offset_bytes = region->offset;
	row->inode = region->inode;
	row->path = frame_text(frame, path);
	fill_counts(row, snapshot, region);
}

static int sample_region(struct sample *sample)
{
	const struct page_snapshot *shown;
	int error = take_shown(sample, &shown);

	for (size_t i = 0; shown && i < shown->n_regions; i++)
		add_region(sample->frame, sample->table, shown, &shown->regions[i]);
	return error;
}

const struct topic topic_region = {
	.schema = &region_schema,
	.sources = page_map_sources,
	.uses = PAGE_MAP_USES,
	.reads = page_map_reads,
	.sample = sample_region,
};
