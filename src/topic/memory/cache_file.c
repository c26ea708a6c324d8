/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cache_file": the files that were asked of the page cache. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/memory/cache_list.h"
#include "topic/topic.h"

struct file_row {
	const char *device;
	uint64_t inode;
	double asked_pages_per_second, hit_ratio, added_pages_per_second;
	uint64_t asked_pages, hit_pages, missed_pages, added_pages, last_pid;
	const char *path;
};

#define ROW(field, ...) COLUMN(struct file_row, field, __VA_ARGS__)

#define TOTAL(field, heading, what, from)                                                                    \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .hidden = true, .title = heading,             \
	    .width = 10, .help = what, .source = from)

static const struct column columns[] = {
	ROW(asked_pages_per_second, A_RATE(PER_SECOND, N_("asked/s"), 9), .additive = true, .trend = true,
	    .rate_of = offsetof(struct file_row, asked_pages), .help = N_("pages of it that reads asked for"),
	    .source = "growth of asked_pages / time"),
	ROW(hit_ratio, A_RATE(RATIO, N_("%hit"), 6), .rate_of = offsetof(struct file_row, hit_pages),
	    .rate_over = offsetof(struct file_row, asked_pages),
	    .help = N_("pages that were in the cache, as a share of those that reads asked for"),
	    .source = "growth of hit_pages / growth of asked_pages"),
	ROW(added_pages_per_second, A_RATE(PER_SECOND, N_("added/s"), 9), .additive = true,
	    .rate_of = offsetof(struct file_row, added_pages),
	    .help = N_("pages that reads brought into the cache, also ahead"),
	    .source = "growth of added_pages / time"),
	ROW(device, A_KEY(N_("device"), 7), .rank = 2,
	    .help = N_("major and minor number of its file system"), .source = "BPF super_block.s_dev"),
	ROW(inode, A_KEY(N_("inode"), 9), .fleeting = true, .rank = 1,
	    .help = N_("its number in the file system"), .source = "BPF inode.i_ino"),
	ROW(last_pid, A_LABEL(N_("PID"), 7), .rank = 1, .fleeting = true,
	    .help = N_("the process that used it last"), .source = "BPF"),
	TOTAL(asked_pages, N_("asked"), N_("pages asked for by reads since counting began"),
	      "BPF at mm_filemap_get_pages"),
	TOTAL(hit_pages, N_("hits"), N_("pages of them that were in the cache"),
	      "asked_pages - missed_pages"),
	TOTAL(missed_pages, N_("missed"), N_("pages of them that were not"),
	      "BPF at mm_filemap_add_to_page_cache, as far as asked for"),
	TOTAL(added_pages, N_("added"), N_("pages that reads brought into the cache since counting began"),
	      "BPF at mm_filemap_add_to_page_cache"),
	ROW(path, A_LABEL(N_("path"), 24),
	    .help = N_("where the process that used it has it open; empty: it was closed too soon, or this "
		       "is not permitted"),
	    .source = "/proc/PID/fd, fdinfo, mountinfo"),
};

static const struct schema schema = {
	.name = "cache_file",
	.help = N_("what reads found in the page cache, by file"),
	.none = N_("no file was read"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct file_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE, .gives = CACHE_GIVES, .test = trace_test, .remedies = { CACHE_REMEDIES } },
	{ 0 },
};

static int sample_files(struct sample *sample)
{
	struct cache_list *list = sample->state;
	struct arena *arena = &sample->frame->arena;

	if (!list->counts) {
		if (list->trace.error == -ENOTSUP)
			return 0;
		env_note_failure(sample->env, TRACE_SOURCE, list->trace.error);
		return list->trace.error;
	}
	cache_list_find_paths(list);
	for (size_t i = 0; i < list->n_files; i++) {
		const struct cache_file *file = &list->files[i];
		struct file_row *row;

		if (file->total.asked == 0 && file->total.added == 0)
			continue;
		row = table_add(sample->table);
		row->device =
			arena_print(arena, "%u:%u", (unsigned)(file->device >> 32), (unsigned)file->device);
		row->inode = file->inode;
		row->last_pid = file->pid;
		row->asked_pages = file->total.asked;
		row->missed_pages = file->total.missed;
		row->hit_pages = file->total.asked - file->total.missed;
		row->added_pages = file->total.added;
		row->path = file->path ? arena_copy(arena, file->path, strlen(file->path)) : "";
	}
	return 0;
}

const struct topic topic_cache_file = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.reads = READING_ONE(&cache_reader),
	.sample = sample_files,
};
