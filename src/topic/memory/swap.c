/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "swap": the devices and files that are used as swap, and the memory that compressed ones take. */
#include <config.h>

#include <errno.h>
#include <stdio.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "kernel/mounts.h"
#include "topic/topic.h"

#define SWAPS "proc/swaps"
#define ZSWAP "sys/module/zswap/parameters/"
#define ZSWAP_NAME "zswap" /* of its row */
#define PATH_MAX_ZRAM 64

struct swap_row {
	const char *device, *kind;
	uint64_t size_bytes, used_bytes, stored_bytes, memory_bytes, memory_limit_bytes;
	double used_ratio, priority, compression_ratio;
};

#define COL(field, ...) COLUMN_OF(struct swap_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(device, KEY, NONE, N_("device"), 12,
	    N_("device or file; zswap: a compressed cache of pages that have a place on the others"),
	    "/proc/swaps Filename"),
	COL(kind, LABEL, NONE, N_("kind"), 9,
	    N_("partition, file, zram (compressed memory), zswap, or what else the kernel calls it"),
	    "/proc/swaps Type, the name of the device", .rank = 1),
	COL(size_bytes, GAUGE, BYTES, N_("size"), 7, N_("its size; of zswap the most memory it may take"),
	    "/proc/swaps Size; MemTotal * max_pool_percent of zswap", .additive = true),
	COL(used_bytes, GAUGE, BYTES, N_("used"), 7,
	    N_("used part of it; zswap is in no sum: its pages count as used on the others, too"),
	    "/proc/swaps Used; /proc/meminfo Zswap", .additive = true),
	COL(used_ratio, GAUGE, RATIO, N_("%use"), 5, N_("used share of it"), "used_bytes / size_bytes"),
	COL(priority, GAUGE, COUNT, N_("prio"), 4, N_("the highest is used first, equal ones in turn"),
	    "/proc/swaps Priority", .rank = 2),
	COL(stored_bytes, GAUGE, BYTES, N_("stored"), 7,
	    N_("what is compressed, before that: of zram and zswap"),
	    "/sys/block/zramN/mm_stat orig_data_size; /proc/meminfo Zswapped", .rank = 1, .optional = true),
	COL(memory_bytes, GAUGE, BYTES, N_("memory"), 7,
	    N_("memory that it takes compressed; memory.other includes it"),
	    "/sys/block/zramN/mm_stat mem_used_total; /proc/meminfo Zswap", .rank = 1, .optional = true),
	COL(compression_ratio, GAUGE, NONE, N_("ratio"), 5,
	    N_("how many times as much is stored as memory is taken"), "stored_bytes / memory_bytes",
	    .rank = 1, .optional = true),
	COL(memory_limit_bytes, GAUGE, BYTES, N_("limit"), 7, N_("the most memory that zram may take"),
	    "/sys/block/zramN/mm_stat mem_limit", .rank = 3, .hidden = true),
};

static const struct schema schema = {
	.name = "swap", .is_public = true,
	.help = N_("devices and files used as swap, and what compressed swap takes of memory"),
	.none = N_("no swap: no device or file is used as swap"), .twice_row = ZSWAP_NAME,
	SCHEMA_ROWS(struct swap_row, columns),
};

static void fill_ratios(struct swap_row *row)
{
	if (row->size_bytes > 0)
		row->used_ratio = u64_number(row->used_bytes) / u64_number(row->size_bytes);
	if (row->memory_bytes > 0)
		row->compression_ratio = u64_number(row->stored_bytes) / u64_number(row->memory_bytes);
}

static const char *copy_path(struct arena *arena, struct span escaped)
{
	char *path = arena_take(arena, span_length(escaped) + 1), *to = path;

	while (escaped.at < escaped.end)
		*to++ = mountinfo_byte(&escaped);
	*to = '\0';
	return path;
}

static void fill_zram(struct swap_row *row, struct env *env, struct span name)
{
	char device[PATH_MAX_ZRAM / 2], path[PATH_MAX_ZRAM];
	struct zram_memory memory;
	struct span text;

	row->kind = "zram";
	row->stored_bytes = row->memory_bytes = row->memory_limit_bytes = U64_UNKNOWN;
	span_copy(device, sizeof(device), name);
	snprintf(path, sizeof(path), "sys/block/%s/mm_stat", device);
	if (env_read(env, env_file(env, path), &text) || !zram_memory_parse(text, &memory))
		return;
	row->stored_bytes = memory.stored_bytes;
	row->memory_bytes = memory.memory_bytes;
	row->memory_limit_bytes = memory.limit_bytes > 0 ? memory.limit_bytes : U64_BLANK;
}

static void add_device(struct sample *sample, const struct swap_line *line)
{
	struct swap_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;
	struct span name;

	row->device = copy_path(arena, line->name);
	row->kind = arena_copy(arena, line->type.at, span_length(line->type));
	row->size_bytes = line->size_bytes;
	row->used_bytes = line->used_bytes;
	row->priority = (double)line->priority;
	row->stored_bytes = row->memory_bytes = row->memory_limit_bytes = U64_BLANK;
	if (swap_is_zram(line, &name))
		fill_zram(row, sample->env, name);
	fill_ratios(row);
}

static bool zswap_parameter(struct env *env, const char *path, struct span *text)
{
	return env_read(env, env_file(env, path), text) == 0;
}

/* Where it is turned off, it may still hold pages from before. */
static void add_zswap(struct sample *sample)
{
	struct env *env = sample->env;
	struct meminfo meminfo;
	struct swap_row *row;
	struct span text;
	uint64_t percent;

	if (env_read(env, env_file(env, "proc/meminfo"), &text))
		return;
	meminfo_parse(text, &meminfo);
	if (meminfo_or_zero(meminfo.zswapped) == 0 &&
	    (!zswap_parameter(env, ZSWAP "enabled", &text) || !span_starts(text, "Y")))
		return;
	row = table_add(sample->table);
	row->device = row->kind = ZSWAP_NAME;
	if (zswap_parameter(env, ZSWAP "max_pool_percent", &text) && span_u64(&text, &percent) &&
	    percent <= 100 && meminfo.total < U64_BLANK)
		row->size_bytes = meminfo.total / 100 * percent;
	row->used_bytes = row->memory_bytes = meminfo.zswap;
	row->stored_bytes = meminfo.zswapped;
	row->memory_limit_bytes = U64_BLANK;
	fill_ratios(row);
}

static int sample_swap(struct sample *sample)
{
	struct swap_line line;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, SWAPS), &text);

	if (error)
		return error;
	if (!swaps_heading(&text))
		return -ENODATA;
	while (swaps_next(&text, &line))
		add_device(sample, &line);
	add_zswap(sample);
	return 0;
}

static const char no_file[] =
	N_("this kernel was built without CONFIG_SWAP, or a container hides it: run panetop on the host");

const struct topic topic_swap = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = SWAPS, .gives = N_("devices and files used as swap"),
		  .remedies = { { ENOENT, no_file },
				{ ENODATA, N_("a container hides it: run panetop on the host") } } },
		{ .path = ZSWAP "enabled", .gives = N_("whether zswap compresses what is swapped out"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_ZSWAP"),
				  .unused = true } } }),
	.sample = sample_swap,
};
