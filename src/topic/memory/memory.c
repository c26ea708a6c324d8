/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "memory": the memory of the machine in parts that add up, available memory, and swap. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/memory/arc.h"
#include "topic/topic.h"

struct memory_row {
	const char *name;
	uint64_t total_bytes, used_bytes, free_bytes;
	uint64_t anonymous_bytes, kernel_bytes, caches_bytes, others_bytes;
	uint64_t used_procps_bytes, used_htop_bytes, page_cache_bytes;
	const char *note;
};

#define SIZE(field, ...)                                                                                     \
	COLUMN(struct memory_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct memory_row, name, .kind = COLUMN_KEY, .title = "", .width = 9, .words = true,
	       .help = N_("mem: all memory; available: what programs can still allocate; swap"),
	       .source = "mem, available, swap"),
	SIZE(total_bytes, .title = N_("total"), .width = 9, .rank = 1,
	     .help = N_("memory managed by the kernel; size of all swap areas"),
	     .source = "/proc/meminfo MemTotal; SwapTotal"),
	SIZE(used_bytes, .title = N_("used"), .width = 9, .rank = 1,
	     .help = N_("not free, caches included; in the row available: total - available"),
	     .source = "total - free; available: total - available"),
	SIZE(free_bytes, .title = N_("free"), .width = 9, .rank = 1,
	     .help = N_("unused; in the row available: available to programs without swapping"),
	     .source = "/proc/meminfo MemFree; MemAvailable; SwapFree"),
	SIZE(anonymous_bytes, .title = N_("anonymous"), .width = 9, .rank = 2,
	     .help = N_("heaps, stacks and private data of programs, shared memory and tmpfs; can only be "
			"swapped out"),
	     .source = "/proc/meminfo Active(anon) + Inactive(anon)"),
	SIZE(kernel_bytes, .title = N_("kernel"), .width = 9, .rank = 3,
	     .help = N_("kernel data that cannot be reclaimed"),
	     .source = "/proc/meminfo SUnreclaim + PageTables + KernelStack"),
	SIZE(caches_bytes, .title = N_("cache"), .width = 9, .rank = 2,
	     .help = N_("file contents and kernel objects that can be dropped and read again"),
	     .source = "/proc/meminfo Active(file) + Inactive(file) + SReclaimable, "
		       "+ ZFS ARC above its minimum (arcstats size - c_min)"),
	SIZE(others_bytes, .title = N_("other"), .width = 9, .rank = 3,
	     .help = N_("the rest: locked pages, drivers, per-CPU data, huge pages, vmalloc; never below 0"),
	     .source = "total - free - anonymous - kernel - caches"),
	SIZE(used_procps_bytes, .title = N_("used*"), .width = 9, .rank = 1, .hidden = true,
	     .mark = N_("used* = total - available (free, top)"),
	     .help = N_("used as in free(1) and top(1) of procps 4"), .source = "MemTotal - MemAvailable"),
	SIZE(used_htop_bytes, .title = N_("used*"), .width = 9, .rank = 1, .hidden = true,
	     .mark = N_("used* = total - free - buffers - cached - reclaimable (htop)"),
	     .help = N_("used as in htop(1): without buffers, page cache and reclaimable slab"),
	     .source = "MemTotal - MemFree - Buffers - Cached - SReclaimable"),
	SIZE(page_cache_bytes, .title = N_("page cache"), .width = 10, .rank = 3, .hidden = true,
	     .help = N_("page cache of files, without shared memory and tmpfs"),
	     .source = "/proc/meminfo Cached - Shmem"),
	COLUMN(struct memory_row, note, .kind = COLUMN_LABEL, .title = "", .rank = 4, .optional = true,
	       .words = true, .help = N_("remarks about this row: estimated, clamped, with ZFS ARC"),
	       .source = "panetop"),
};

static double percent_base(const void *row)
{
	const struct memory_row *memory = row;
	uint64_t bytes = u64_sum(memory->used_bytes, memory->free_bytes);

	return u64_number(bytes);
}

static const struct schema schema = {
	.name = "memory",
	.is_public = true,
	.help = N_("memory of the machine in parts that add up to its total"),
	.one_unit = true,
	.percent_base = percent_base,
	.percent_column = 1,
	SCHEMA_ROWS(struct memory_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") },
	{ .path = "proc/zoneinfo", .gives = N_("available memory on kernels before 3.14"), .optional = true },
	{ .path = ARC_PATH, .gives = N_("the cache of ZFS"), .optional = true,
	  .remedies = { { ENOENT, N_("not used here (no ZFS)"), .unused = true } } },
	{ 0 },
};

static uint64_t sum(uint64_t one, uint64_t two, uint64_t three)
{
	return u64_sum(u64_sum(one, two), three);
}

/*
 * The same as si_mem_available() in the kernel, which is MemAvailable since 3.14: free pages above the
 * reserves, plus caches without half of them or the low watermark, whichever is smaller.
 */
static uint64_t estimate_available(const struct meminfo *meminfo, const struct zoneinfo *zones,
				   uint64_t page_bytes)
{
	uint64_t low = zones->low_pages * page_bytes, reserve = zones->reserve_pages * page_bytes;
	uint64_t file = sum(meminfo->active_file, meminfo->inactive_file, 0);
	uint64_t slab = meminfo->kernel_reclaimable == U64_UNKNOWN ? meminfo->reclaimable_slab
								       : meminfo->kernel_reclaimable;
	uint64_t available;

	if (zones->zones == 0 || file == U64_UNKNOWN || slab == U64_UNKNOWN || meminfo->free == U64_UNKNOWN)
		return U64_UNKNOWN;
	file -= file / 2 < low ? file / 2 : low;
	slab -= slab / 2 < low ? slab / 2 : low;
	available = sum(meminfo->free, file, slab);
	return available == U64_UNKNOWN ? U64_UNKNOWN : available > reserve ? available - reserve : 0;
}

static uint64_t read_estimate(struct env *env, struct frame *frame, const struct meminfo *meminfo)
{
	struct zoneinfo zones;
	struct span text;
	int error = env_read(env, env_file(env, "proc/zoneinfo"), &text);

	if (error) {
		frame_notice(frame, schema.name, NULL,
			     _("this kernel has no MemAvailable, and /proc/zoneinfo cannot be read: %s"),
			     strerror(-error));
		return U64_UNKNOWN;
	}
	zoneinfo_parse(text, &zones);
	frame_notice(frame, schema.name, NULL,
		     _("this kernel has no MemAvailable; it is estimated from /proc/zoneinfo"));
	return estimate_available(meminfo, &zones, env->page_bytes);
}

static uint64_t used_bytes(const struct meminfo *meminfo)
{
	return u64_less(meminfo->total, meminfo->free);
}

static void fill_mem(struct memory_row *row, const struct meminfo *meminfo, uint64_t arc)
{
	uint64_t parts;

	row->name = N_("mem");
	row->total_bytes = meminfo->total;
	row->free_bytes = meminfo->free;
	row->used_bytes = used_bytes(meminfo);
	row->anonymous_bytes = sum(meminfo->active_anon, meminfo->inactive_anon, 0);
	row->kernel_bytes = sum(meminfo->unreclaimable_slab, meminfo->page_tables, meminfo->kernel_stack);
	row->caches_bytes = sum(meminfo->active_file, meminfo->inactive_file, meminfo->reclaimable_slab);
	row->caches_bytes = u64_sum(row->caches_bytes, arc);
	parts = sum(row->anonymous_bytes, row->kernel_bytes, row->caches_bytes);
	if (parts != U64_UNKNOWN && row->used_bytes != U64_UNKNOWN)
		row->others_bytes = row->used_bytes > parts ? row->used_bytes - parts : 0;
	row->used_htop_bytes = u64_less(row->used_bytes, sum(meminfo->buffers, meminfo->cached,
							  meminfo->reclaimable_slab));
	row->page_cache_bytes = u64_less(meminfo->cached, meminfo->shmem);
	row->note = arc > 0 ? N_("with ZFS ARC") : "";
}

static void leave_parts_blank(struct memory_row *row)
{
	row->anonymous_bytes = row->kernel_bytes = row->caches_bytes = row->others_bytes = U64_BLANK;
	row->used_procps_bytes = row->used_htop_bytes = row->page_cache_bytes = U64_BLANK;
}

/* Some containers show more available memory than their total: it is clamped, with a note. */
static void fill_available(struct memory_row *row, uint64_t available, uint64_t arc, uint64_t total)
{
	row->name = N_("available");
	row->note = "";
	row->total_bytes = U64_BLANK;
	leave_parts_blank(row);
	if (available == U64_UNKNOWN || total == U64_UNKNOWN)
		return;
	available = u64_sum(available, arc);
	if (available > total) {
		available = total;
		row->note = N_("clamped to the total");
	}
	row->free_bytes = available;
	row->used_bytes = total - available;
}

static void fill_swap(struct memory_row *row, const struct meminfo *meminfo)
{
	row->name = N_("swap");
	row->note = "";
	row->total_bytes = meminfo->swap_total;
	row->free_bytes = meminfo->swap_free;
	row->used_bytes = u64_less(meminfo->swap_total, meminfo->swap_free);
	leave_parts_blank(row);
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct table *table = sample->table;
	struct memory_row *row;
	struct meminfo meminfo;
	uint64_t arc = 0, available;
	struct arcstats arcstats;
	bool of_host = false;
	struct span text;
	int error = env_read(env, env_file(env, "proc/meminfo"), &text);

	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	if (meminfo.total == U64_UNKNOWN)
		return -ENODATA;
	if (arc_read(env, &arcstats)) {
		of_host = !arc_is_in(env, &arcstats, used_bytes(&meminfo));
		arc = of_host ? 0 : arcstats_reclaimable(&arcstats);
	}
	available = meminfo.available;
	if (available == U64_UNKNOWN)
		available = read_estimate(env, sample->frame, &meminfo);
	row = table_add(table);
	fill_mem(row, &meminfo, arc);
	if (of_host)
		row->note = N_("without the host's ZFS ARC");
	row->used_procps_bytes = u64_less(meminfo.total, available);
	row = table_add(table);
	fill_available(row, available, arc, meminfo.total);
	if (meminfo.available == U64_UNKNOWN && available != U64_UNKNOWN)
		row->note = N_("estimated");
	fill_swap(table_add(table), &meminfo);
	return 0;
}

const struct topic topic_memory = { .schema = &schema, .sources = sources, .sample = sample };
