/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cell": the page map of the selected process, one row per cell. */
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

static const struct column columns[] = {
	COLUMN(struct cell_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .hidden = true, .help = N_("process"), .source = "/proc"),
	COLUMN(struct cell_row, start_address, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_ADDRESS,
	       .title = N_("start"), .width = 12, .help = N_("address of its first page"),
	       .source = "/proc/PID/maps"),
	COLUMN(struct cell_row, end_address, .kind = COLUMN_LABEL, .unit = UNIT_ADDRESS, .title = N_("end"),
	       .width = 12, .rank = 3, .help = N_("address after its last page"), .source = "/proc/PID/maps"),
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
	COLUMN(struct cell_row, cell_pages, .kind = COLUMN_LABEL, .unit = UNIT_COUNT, .title = N_("most"),
	       .width = 8, .hidden = true,
	       .help = N_(
		       "pages per cell of this map; on the screen, mostly absent regions have larger cells"),
	       .source = "panetop"),
	COLUMN(struct cell_row, hole_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("hole"),
	       .width = 7, .hidden = true, .help = N_("addresses before it where nothing is mapped"),
	       .source = "start_address - end_address of the previous cell"),
	COLUMN(struct cell_row, offset_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("offset"),
	       .width = 9, .hidden = true, .help = N_("offset of its first byte in the mapped file"),
	       .source = "/proc/PID/maps"),
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
	.row_size = sizeof(struct cell_row),
	SCHEMA_COLUMNS(columns),
};

/* Offset of address in the mapped file; U64_BLANK where region does not map a file. */
static uint64_t offset_in_file(const struct page_snapshot *snapshot, const struct page_region *region,
			       uint64_t address)
{
	return *page_snapshot_path(snapshot, region) == '/' ? region->offset + (address - region->start)
							    : U64_BLANK;
}

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
	row->offset_bytes = offset_in_file(snapshot, region, cell->start);
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

static int sample(struct sample *sample)
{
	struct page_map *map = sample->state;
	int error = reader_update(&page_map_reader, sample);

	if (error)
		return error;
	page_map_notices(map, sample->frame, sample->topic);
	if (!map->shown)
		return 0;
	sample->table->mono_ns = map->shown->mono_ns;
	add_cells(sample->table, map->shown);
	return 0;
}

const struct topic topic_cell = {
	.schema = &schema,
	.sources = page_map_sources,
	.uses = PAGE_MAP_USES,
	.reads = page_map_reads,
	.sample = sample,
};
