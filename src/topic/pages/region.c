/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "region": the mappings of the selected process, and how much of each is present. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/pages/page_map.h"

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
#define PAGEMAP "/proc/PID/pagemap"
#define MAPS "/proc/PID/maps"

static const struct column columns[] = {
	COLUMN(struct region_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .hidden = true, .help = N_("process"), .source = "/proc"),
	COLUMN(struct region_row, start_address, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_ADDRESS,
	       .title = N_("start"), .width = 12, .help = N_("address of its first byte"), .source = MAPS),
	COLUMN(struct region_row, end_address, .kind = COLUMN_LABEL, .unit = UNIT_ADDRESS, .title = N_("end"),
	       .width = 12, .rank = 5, .help = N_("address after its last byte"), .source = MAPS),
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
	COLUMN(struct region_row, permissions, .kind = COLUMN_LABEL, .title = N_("perm"), .width = 4,
	       .rank = 3, .help = N_("r read, w write, x execute, p private, s shared"), .source = MAPS),
	COLUMN(struct region_row, offset_bytes, .kind = COLUMN_LABEL, .unit = UNIT_BYTES,
	       .title = N_("offset"), .width = 7, .hidden = true,
	       .help = N_("offset of its first byte in the file"), .source = MAPS),
	COLUMN(struct region_row, inode, .kind = COLUMN_LABEL, .title = N_("inode"), .width = 8,
	       .hidden = true, .help = N_("inode of the file; 0: none"), .source = MAPS),
	COLUMN(struct region_row, path, .kind = COLUMN_LABEL, .title = N_("path"), .width = 16, .rank = 0,
	       .help = N_("path of the file, or the kernel's name; empty: anonymous memory"), .source = MAPS),
};

static const struct schema schema = {
	.name = "region",
	.help = N_("mappings of the selected process"),
	.row_size = sizeof(struct region_row),
	SCHEMA_COLUMNS(columns),
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
	row->path = arena_copy(&frame->arena, path, strlen(path));
	fill_counts(row, snapshot, region);
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
	for (size_t i = 0; i < map->shown->n_regions; i++)
		add_region(sample->frame, sample->table, map->shown, &map->shown->regions[i]);
	return 0;
}

const struct topic topic_region = {
	.schema = &schema,
	.sources = page_map_sources,
	.uses = PAGE_MAP_USES,
	.reads = page_map_reads,
	.sample = sample,
};
