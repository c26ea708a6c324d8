/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page": details of the page at request->page_address of the selected process. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "kernel/pid/maps.h"
#include "sys/pids.h"
#include "topic/pages/page_map.h"

#define COUNTS "proc/kpagecount"
#define KSM (UINT64_C(1) << PAGE_FLAGS_KSM)

struct page_row {
	uint64_t pid, page_address;
	const char *bits;
	uint64_t frame, swap_area, swap_page, mappings, node;
	const char *flags;
};

#define PAGEMAP "/proc/PID/pagemap"

static const struct column columns[] = {
	COLUMN(struct page_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .help = N_("process"), .source = "/proc"),
	COLUMN(struct page_row, page_address, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_ADDRESS,
	       .title = N_("page"), .width = 12, .help = N_("address of its first byte"),
	       .source = "panetop"),
	COLUMN(struct page_row, bits, .kind = COLUMN_LABEL, .title = N_("bits"), .width = 24,
	       .help = N_("present or swapped or absent, file or anonymous, exclusive, written ..."),
	       .source = PAGEMAP " bits 55 to 63"),
	COLUMN(struct page_row, frame, .kind = COLUMN_LABEL, .title = N_("frame"), .width = 9, .rank = 1,
	       .help = N_("page frame number (PFN)"), .source = PAGEMAP " bits 0 to 54"),
	COLUMN(struct page_row, node, .kind = COLUMN_LABEL, .title = N_("node"), .width = 4, .rank = 2,
	       .help = N_("NUMA node of the frame"), .source = "move_pages(2)"),
	COLUMN(struct page_row, mappings, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("mapped"),
	       .width = 6, .rank = 1, .help = N_("number of mappings of the frame, by all processes"),
	       .source = "/" COUNTS),
	COLUMN(struct page_row, swap_area, .kind = COLUMN_LABEL, .title = N_("swap"), .width = 4, .rank = 2,
	       .optional = true, .help = N_("number of the swap area"), .source = PAGEMAP " bits 0 to 4"),
	COLUMN(struct page_row, swap_page, .kind = COLUMN_LABEL, .title = N_("at page"), .width = 9,
	       .rank = 2, .optional = true, .help = N_("page in the swap area"),
	       .source = PAGEMAP " bits 5 to 54"),
	COLUMN(struct page_row, flags, .kind = COLUMN_LABEL, .title = N_("flags"), .width = 24, .rank = 1,
	       .help = N_("flags of the page frame"), .source = "/" PAGE_MAP_FLAGS),
};

static const struct schema schema = {
	.name = "page",
	.help = N_("details of one page of the selected process"),
	.row_size = sizeof(struct page_row),
	SCHEMA_COLUMNS(columns),
};

static bool read_frame(struct env *env, const char *path, uint64_t frame, uint64_t *value)
{
	int fd = page_file_open(env, path);
	bool got = fd >= 0 && page_file_read(env, fd, frame, value, 1) == 1;

	if (fd >= 0)
		close(fd);
	return got;
}

static const char *bits_text(struct frame *frame, const struct pagemap_entry *page, bool knows_soft_dirty)
{
	return arena_print(&frame->arena, "%s%s%s%s%s%s",
			   page->present   ? "present"
			   : page->swapped ? "swapped"
					   : "absent",
			   !page->present && !page->swapped ? ""
			   : page->file                     ? " file or shared"
							    : " anonymous",
			   page->exclusive && page->present ? " exclusive" : "",
			   page->soft_dirty && knows_soft_dirty ? " written" : "",
			   page->write_watched ? " write-watched" : "", page->guard ? " guard" : "");
}

static void fill(struct page_row *row, struct env *env, struct frame *frame, const struct page_map *map,
		 uint64_t entry)
{
	char text[PAGE_FLAGS_TEXT_MAX];
	struct pagemap_entry page;
	uint64_t value;
	int node;

	pagemap_decode(entry, &page);
	row->bits = bits_text(frame, &page, map->soft_dirty);
	if (page.present && page.frame > 0) {
		row->frame = page.frame;
		if (read_frame(env, PAGE_MAP_FLAGS, page.frame, &value))
			row->flags = arena_print(&frame->arena, "%s",
						 page_flags_text(text, map->ksm_flag ? value : value & ~KSM));
		if (read_frame(env, COUNTS, page.frame, &value))
			row->mappings = value;
	}
	if (page.swapped && page.swap_offset > 0) {
		row->swap_area = page.swap_type;
		row->swap_page = page.swap_offset;
	}
	node = page.present && env->live && !env->foreign_pids
		       ? page_file_node(map->target->memory_pid, row->page_address)
		       : -ENOENT;
	if (node >= 0)
		row->node = (uint64_t)node;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct page_map *map = sample->state;
	uint64_t address, entry;
	struct page_row *row;

	if (!page_map_select(sample, &address, &entry))
		return 0;
	row = table_add(sample->table);
	row->pid = map->target->pid;
	row->page_address = address;
	fill(row, env, sample->frame, map, entry);
	return 0;
}

static int test_counts(struct env *env)
{
	return page_file_try(env, COUNTS);
}

static const struct source_spec sources[] = {
	{ .path = COUNTS,
	  .gives = N_("number of mappings of a page frame"),
	  .optional = true,
	  .test = test_counts },
	{ 0 },
};

const struct topic topic_page = {
	.schema = &schema,
	.sources = sources,
	.uses = PAGE_MAP_USES | PRIVILEGE_BIT(PRIVILEGE_NODE),
	.reads = page_map_reads,
	.sample = sample,
};
