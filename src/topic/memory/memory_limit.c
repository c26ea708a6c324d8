/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "memory_limit": memory and swap limits of the cgroup of panetop and its ancestors. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "topic/cgroup.h"

struct limit_row {
	const char *resource, *cgroup;
	uint64_t limit_bytes, used_bytes, free_bytes, caches_bytes;
};

#define SIZE(field, ...)                                                                                     \
	COLUMN(struct limit_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct limit_row, resource, .kind = COLUMN_KEY, .title = N_("resource"), .width = 9,
	       .help = N_("memory or swap"), .source = "memory, swap"),
	SIZE(limit_bytes, .title = N_("limit"), .width = 9, .rank = 1,
	     .help = N_("limit of the cgroup, at most the total of the machine"),
	     .source = "v2 memory.max, memory.swap.max; v1 memory.limit_in_bytes, "
		       "memory.memsw.limit_in_bytes - memory.limit_in_bytes"),
	SIZE(used_bytes, .title = N_("used"), .width = 9, .rank = 1,
	     .help = N_("memory that the cgroup uses, page cache included"),
	     .source = "v2 memory.current, memory.swap.current; v1 memory.usage_in_bytes, "
		       "memory.memsw.usage_in_bytes - memory.usage_in_bytes"),
	SIZE(free_bytes, .title = N_("free"), .width = 9, .rank = 1,
	     .help = N_("what it can still allocate before its caches must shrink; never below 0"),
	     .source = "limit - used"),
	SIZE(caches_bytes, .title = N_("cache"), .width = 9, .rank = 2,
	     .help = N_("page cache of the cgroup that can be dropped"),
	     .source = "memory.stat active_file + inactive_file (v1: total_...)"),
	COLUMN(struct limit_row, cgroup, .kind = COLUMN_KEY, .title = N_("cgroup"), .width = 10, .rank = 3,
	       .help = N_("limited cgroup: that of panetop or an ancestor"),
	       .source = "/proc/self/cgroup, /proc/self/mountinfo"),
};

static double percent_base(const void *row)
{
	const struct limit_row *limit = row;

	return u64_number(limit->limit_bytes);
}

static const struct schema schema = {
	.name = "memory_limit", .is_public = true,
	.help = N_("memory and swap limits of the cgroup of panetop and its ancestors; empty without limits"),
	.one_unit = true, .percent_base = percent_base, .percent_column = 1,
	SCHEMA_ROWS(struct limit_row, columns),
};

/* File names by cgroup version. */
static const struct files {
	const char *limit, *usage, *swap_limit, *swap_usage;
	bool swap_with_memory; /* the swap files count memory and swap together */
} versions[] = {
	[1] = { "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.memsw.limit_in_bytes",
		"memory.memsw.usage_in_bytes", true },
	[2] = { "memory.max", "memory.current", "memory.swap.max", "memory.swap.current", false },
};

static int test_cgroup(struct env *env)
{
	return cgroup_test(env, "memory");
}

static const struct source_spec sources[] = {
	CGROUP_SOURCE("memory cgroup", test_cgroup,
			  N_("no cgroup hierarchy with the memory controller is mounted")),
	{ 0 },
};

static int open_limit(struct sample *sample)
{
	sample->state = cgroup_open(sample->env, "memory");
	return 0;
}

/* U64_UNKNOWN: no such file. CGROUP_NO_LIMIT has the same value: neither is a limit. */
static uint64_t read_bytes(struct env *env, const struct cgroup_place *place, const char *name)
{
	struct span text;
	uint64_t bytes;

	if (cgroup_read(env, place, name, &text) < 0 || !cgroup_limit_parse(text, &bytes))
		return U64_UNKNOWN;
	return bytes;
}

static uint64_t read_caches(struct env *env, const struct cgroup_place *place)
{
	struct cgroup_memory_stat stat;
	struct span text;

	if (cgroup_read(env, place, "memory.stat", &text) < 0)
		return U64_UNKNOWN;
	cgroup_memory_stat_parse(text, place->version, &stat);
	return u64_sum_known(stat.active_file, stat.inactive_file);
}

static struct limit_row *add_row(struct frame *frame, struct table *table, const struct cgroup_place *place,
				 const char *resource, uint64_t limit, uint64_t used, uint64_t machine)
{
	struct limit_row *row = table_add(table);

	row->resource = resource;
	row->cgroup = arena_print(&frame->arena, "/%s", place->group);
	row->limit_bytes = limit < machine ? limit : machine;
	row->used_bytes = used;
	if (used != U64_UNKNOWN)
		row->free_bytes = row->limit_bytes > used ? row->limit_bytes - used : 0;
	return row;
}

static void add_limits(struct env *env, struct frame *frame, struct table *table,
		       const struct cgroup_place *place, const struct meminfo *meminfo)
{
	const struct files *files = &versions[place->version];
	uint64_t limit = read_bytes(env, place, files->limit), used = U64_UNKNOWN;
	uint64_t swap_limit = read_bytes(env, place, files->swap_limit), swap_used;

	if (limit < meminfo->total) {
		used = read_bytes(env, place, files->usage);
		add_row(frame, table, place, "memory", limit, used, meminfo->total)->caches_bytes =
			read_caches(env, place);
	}
	if (swap_limit == U64_UNKNOWN || (files->swap_with_memory && limit == U64_UNKNOWN))
		return;
	swap_used = read_bytes(env, place, files->swap_usage);
	if (files->swap_with_memory) {
		used = used == U64_UNKNOWN ? read_bytes(env, place, files->usage) : used;
		swap_limit = swap_limit > limit ? swap_limit - limit : 0;
		if (swap_used != U64_UNKNOWN && used != U64_UNKNOWN)
			swap_used = swap_used > used ? swap_used - used : 0;
	}
	if (swap_limit < meminfo_or_zero(meminfo->swap_total))
		add_row(frame, table, place, "swap", swap_limit, swap_used, meminfo->swap_total)
			->caches_bytes = U64_BLANK;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	const struct own_cgroup *own = sample->state;
	struct cgroup_place place = own->place;
	struct meminfo meminfo;
	struct span text;
	int error;

	if (!own->found)
		return 0;
	error = env_read(env, env_file(env, "proc/meminfo"), &text);
	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	do {
		add_limits(env, sample->frame, sample->table, &place, &meminfo);
	} while (cgroup_up(&place));
	return 0;
}

const struct topic topic_memory_limit = {
	.schema = &schema, .sources = sources, .open = open_limit, .sample = sample, .close = cgroup_close,
};
