/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "memory", "meminfo", "memory_check" and "memory_limit". The first: the memory of the machine in
 * parts that add up, available memory, and swap.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "topic/cgroup.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

/* The ARC, the cache of ZFS. */

#define ARC_PATH "proc/spl/kstat/zfs/arcstats"

/* False: no ZFS. */
static bool arc_read(struct env *env, struct arcstats *arc)
{
	struct span text;

	return env_read(env, env_file(env, ARC_PATH), &text) == 0 && arcstats_parse(text, arc);
}

/* Is it a part of the memory of which so much is in use? Else it is the host's, and that a container's. */
static bool arc_is_in(struct env *env, const struct arcstats *arc, uint64_t used_bytes)
{
	return arc->size_bytes <= used_bytes && !served_mounts_of_host(env, ARC_PATH);
}

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
	COLUMN(struct memory_row, name, A_KEY("", 9), .words = true,
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
	     .source = "/proc/meminfo Active(file) + Inactive(file) + SReclaimable, + ZFS ARC above its "
		       "minimum (arcstats size - c_min)"),
	SIZE(others_bytes, .title = N_("other"), .width = 9, .rank = 3,
	     .help = N_("the rest: locked pages, drivers, per-CPU data, huge pages, vmalloc, compressed "
			"swap; never below 0"),
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
	.name = "memory", .is_public = true,
	.help = N_("memory of the machine in parts that add up to its total"), .one_unit = true,
	.percent_base = percent_base, .percent_column = 1, SCHEMA_ROWS(struct memory_row, columns),
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

const struct topic topic_memory = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") },
		{ .path = "proc/zoneinfo", .gives = N_("available memory on kernels before 3.14"),
		  .optional = true },
		{ .path = ARC_PATH, .gives = N_("the cache of ZFS"), .optional = true,
		  .remedies = { { ENOENT, N_("not used here (no ZFS)"), .unused = true } } }),
	.sample = sample,
};

/* Topic "meminfo": every line of /proc/meminfo with its meaning. */

struct meminfo_row {
	const char *key;
	uint64_t value_bytes, count;
	const char *part_of, *meaning;
};

static const struct column meminfo_columns[] = {
	COLUMN(struct meminfo_row, key, A_KEY(N_("key"), 15), .help = N_("key as the kernel spells it"),
	       .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, value_bytes, A_GAUGE(BYTES, N_("size"), 6), .rank = 1,
	       .help = N_("size, for lines in kB"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, count, A_GAUGE(COUNT, N_("count"), 6), .rank = 3, .optional = true,
	       .help = N_("number, for lines without a unit (huge pages)"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, meaning, A_LABEL(N_("meaning"), 20), .words = true, .rank = 2,
	       .help = N_("what the line counts"), .source = "panetop"),
	COLUMN(struct meminfo_row, part_of, A_LABEL(N_("part of"), 8), .rank = 4,
	       .help = N_("lines that already include it"), .source = "panetop"),
};

static const struct schema meminfo_schema = {
	.name = "meminfo", .is_public = true, .help = N_("every line of /proc/meminfo, with its meaning"),
	SCHEMA_ROWS(struct meminfo_row, meminfo_columns),
};

struct meminfo_key {
	const char *key;
	const char *part_of; /* keys that include it; NULL: none */
	const char *meaning; /* N_() */
};

static const struct meminfo_key keys[] = {
	{ "MemTotal", NULL, N_("memory that the kernel manages: all except firmware and kernel code") },
	{ "MemFree", "MemTotal", N_("unused pages") },
	{ "MemAvailable", "MemTotal",
	  N_("available to programs without swapping, as estimated by the kernel") },
	{ "Buffers", "Active+Inactive", N_("page cache of block devices: file system metadata") },
	{ "Cached", "Active+Inactive", N_("page cache of files, and shared memory with tmpfs (Shmem)") },
	{ "SwapCached", "Active+Inactive", N_("anonymous pages that also have a copy in swap") },
	{ "Active", "MemTotal", N_("recently used: Active(anon) + Active(file)") },
	{ "Inactive", "MemTotal", N_("not recently used, reclaimed first: Inactive(anon) + Inactive(file)") },
	{ "Active(anon)", "Active", N_("recently used anonymous and shared memory") },
	{ "Inactive(anon)", "Inactive", N_("anonymous and shared memory not recently used") },
	{ "Active(file)", "Active", N_("page cache used more than once") },
	{ "Inactive(file)", "Inactive", N_("page cache used once or long ago: dropped first") },
	{ "Unevictable", "AnonPages, Cached", N_("pages that cannot be reclaimed: locked, or in ramfs") },
	{ "Mlocked", "Unevictable", N_("pages locked by mlock(2)") },
	{ "HighTotal", "MemTotal", N_("memory beyond the kernel's direct map (32 bit)") },
	{ "HighFree", "HighTotal", N_("free part of it") },
	{ "LowTotal", "MemTotal", N_("memory in the kernel's direct map (32 bit)") },
	{ "LowFree", "LowTotal", N_("free part of it") },
	{ "MmapCopy", "MemTotal", N_("copies of mapped files (machines without an MMU)") },
	{ "SwapTotal", NULL, N_("size of all swap areas") },
	{ "SwapFree", "SwapTotal", N_("unused swap") },
	{ "Zswap", "MemTotal", N_("memory used by compressed swap") },
	{ "Zswapped", NULL, N_("contents of compressed swap before compression") },
	{ "Dirty", "Cached, Buffers", N_("cache to be written to disk") },
	{ "Writeback", "Cached, Buffers", N_("cache being written to disk now") },
	{ "AnonPages", "Active(anon)+Inactive(anon)", N_("anonymous memory mapped by programs") },
	{ "Mapped", "Cached", N_("page cache and shared memory mapped by programs") },
	{ "Shmem", "Cached, Active(anon)+Inactive(anon)",
	  N_("shared memory and tmpfs: part of Cached, but cannot be dropped") },
	{ "KReclaimable", "MemTotal", N_("reclaimable kernel memory: slab and other") },
	{ "Slab", "MemTotal", N_("kernel objects: SReclaimable + SUnreclaim") },
	{ "SReclaimable", "Slab, KReclaimable",
	  N_("reclaimable kernel objects: dentries and inodes") },
	{ "SUnreclaim", "Slab", N_("kernel objects that cannot be reclaimed") },
	{ "KernelStack", "MemTotal, mostly VmallocUsed", N_("kernel stacks of all tasks") },
	{ "ShadowCallStack", "MemTotal", N_("shadow call stacks of all tasks") },
	{ "PageTables", "MemTotal", N_("page tables of all processes") },
	{ "SecPageTables", "MemTotal", N_("page tables of virtual machines and IOMMUs") },
	{ "NFS_Unstable", "Cached", N_("sent to an NFS server, not yet on its disk (0 on new kernels)") },
	{ "Bounce", "MemTotal", N_("bounce buffers for devices that cannot address all memory") },
	{ "WritebackTmp", "MemTotal", N_("writeback buffers of FUSE") },
	{ "CommitLimit", NULL, N_("limit of allocations under strict overcommit") },
	{ "Committed_AS", NULL, N_("memory that programs have allocated, used or not") },
	{ "VmallocTotal", NULL, N_("address space for vmalloc, not memory in use") },
	{ "VmallocUsed", "MemTotal",
	  N_("memory allocated by vmalloc, usually with kernel stacks (0 on kernels 4.4 to 5.2)") },
	{ "VmallocChunk", NULL, N_("largest free block of that address space (0 on new kernels)") },
	{ "Percpu", "MemTotal", N_("per-CPU data") },
	{ "EarlyMemtestBad", NULL, N_("bad memory found by the test at boot") },
	{ "HardwareCorrupted", "MemTotal", N_("pages with hardware errors, taken out of use") },
	{ "AnonHugePages", "AnonPages", N_("anonymous memory in transparent huge pages") },
	{ "ShmemHugePages", "Shmem", N_("shared memory and tmpfs in huge pages") },
	{ "ShmemPmdMapped", "Shmem", N_("shared memory mapped as huge pages") },
	{ "FileHugePages", "Cached", N_("page cache in huge pages") },
	{ "FilePmdMapped", "Cached", N_("page cache mapped as huge pages") },
	{ "CmaTotal", "MemTotal",
	  N_("reserved for devices that need contiguous memory; usable by others meanwhile") },
	{ "CmaFree", "MemFree", N_("free part of it") },
	{ "Unaccepted", NULL, N_("memory that this confidential VM has not accepted yet") },
	{ "Balloon", "MemTotal", N_("given back to the hypervisor by the balloon driver") },
	{ "GPUActive", "MemTotal", N_("system memory that graphics drivers use") },
	{ "GPUReclaim", "MemTotal", N_("system memory that graphics drivers can release") },
	{ "HugePages_Total", NULL, N_("reserved huge pages of the default size") },
	{ "HugePages_Free", "HugePages_Total", N_("of those, not in use") },
	{ "HugePages_Rsvd", "HugePages_Free", N_("of the free ones, committed to programs") },
	{ "HugePages_Surp", "HugePages_Total", N_("of those, above the number set by the administrator") },
	{ "Hugepagesize", NULL, N_("default size of a huge page") },
	{ "Hugetlb", "MemTotal", N_("reserved huge pages of all sizes, used or not") },
	{ "DirectMap4k", NULL, N_("kernel's direct map in pages of 4 KiB: address space, not memory in "
				  "use") },
	{ "DirectMap2M", NULL, N_("in pages of 2 MiB") },
	{ "DirectMap4M", NULL, N_("in pages of 4 MiB") },
	{ "DirectMap1G", NULL, N_("in pages of 1 GiB") },
	{ "arcstats size", "MemTotal", N_("cache of ZFS, which no line of /proc/meminfo includes") },
	{ "arcstats c_min", "arcstats size", N_("minimum that the cache of ZFS keeps") },
};

/* NULL: a key of a newer kernel. */
static const struct meminfo_key *find_key(struct span key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (span_is(key, keys[i].key))
			return &keys[i];
	return NULL;
}

static void add_row(struct table *table, struct frame *frame, struct span key, uint64_t value, bool in_bytes)
{
	const struct meminfo_key *known = find_key(key);
	struct meminfo_row *row = table_add(table);

	row->key = known ? known->key : arena_copy(&frame->arena, key.at, span_length(key));
	row->value_bytes = in_bytes ? value : U64_BLANK;
	row->count = in_bytes ? U64_BLANK : value;
	row->part_of = known && known->part_of ? known->part_of : "";
	row->meaning = known ? known->meaning : N_("not known to this version of panetop");
}

static void add_arc(struct env *env, struct frame *frame, struct table *table, uint64_t used_bytes)
{
	struct meminfo_row *row;
	struct arcstats arc;

	if (!arc_read(env, &arc))
		return;
	add_row(table, frame, span_text("arcstats size"), arc.size_bytes, true);
	if (!arc_is_in(env, &arc, used_bytes)) {
		row = table_row(table, table->n_rows - 1);
		row->part_of = "";
		row->meaning = N_("cache of ZFS on the host, no part of this container's memory");
	}
	add_row(table, frame, span_text("arcstats c_min"), arc.minimum_bytes, true);
}

static int sample_meminfo(struct sample *sample)
{
	struct env *env = sample->env;
	struct table *table = sample->table;
	struct meminfo_line line;
	struct meminfo meminfo;
	struct span text;
	int error = env_read(env, env_file(env, "proc/meminfo"), &text);

	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	while (meminfo_next(&text, &line))
		add_row(table, sample->frame, line.key, line.value, line.in_bytes);
	add_arc(env, sample->frame, table, u64_less(meminfo.total, meminfo.free));
	return table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_meminfo = {
	.schema = &meminfo_schema,
	.sources = SOURCES(
		{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") }),
	.sample = sample_meminfo,
};

/* Topic "memory_check": whether the lines of /proc/meminfo add up, and what they leave unaccounted. */

#define PARTS_MAX 20

struct check_row {
	const char *formula;
	uint64_t sum_bytes, total_bytes;
	double error_bytes, error_ratio;
};

#define CHECK(field, ...) COLUMN(struct check_row, field, __VA_ARGS__)

static const struct column check_columns[] = {
	CHECK(formula, A_KEY(N_("formula"), 30),
	      .help = N_("lines of /proc/meminfo, and zram, that are summed, and the line they should equal"),
	      .source = "/proc/meminfo; zram: /proc/vmstat nr_zspages * page size - Zswap"),
	CHECK(sum_bytes, A_GAUGE(BYTES, N_("sum"), 9), .rank = 2, .help = N_("sum of the parts"),
	      .source = "the left side of the formula"),
	CHECK(total_bytes, A_GAUGE(BYTES, N_("total"), 9), .rank = 3,
	      .help = N_("total as printed by the kernel"), .source = "the right side of the formula"),
	CHECK(error_bytes, A_GAUGE(BYTES, N_("error"), 9), .rank = 1,
	      .help = N_("sum minus total; for MemTotal, a negative error is memory that no line accounts "
			 "for; where VmallocUsed includes kernel stacks, the sum has them twice"),
	      .source = "sum - total"),
	CHECK(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 1,
	      .help = N_("the error as a share of the total"), .source = "(sum - total) / total"),
};

static const struct schema check_schema = {
	.name = "memory_check", .is_public = true,
	.help = N_("identities between the lines of /proc/meminfo, with their errors"), .one_unit = true,
	SCHEMA_ROWS(struct check_row, check_columns),
};

struct part {
	const char *key;
	size_t offset;
};

#define PART(key, field) { key, offsetof(struct meminfo, field) }

/*
 * Every kernel prints the first n_required parts: without them there is nothing to check. Other parts that a
 * kernel does not print are left out of the formula.
 */
static const struct check {
	struct part whole, parts[PARTS_MAX];
	unsigned n_required;
} checks[] = {
	{ PART("Active", active),
	  { PART("Active(anon)", active_anon), PART("Active(file)", active_file) },
	  .n_required = 2 },
	{ PART("Inactive", inactive),
	  { PART("Inactive(anon)", inactive_anon), PART("Inactive(file)", inactive_file) },
	  .n_required = 2 },
	{ PART("Slab", slab),
	  { PART("SReclaimable", reclaimable_slab), PART("SUnreclaim", unreclaimable_slab) },
	  .n_required = 2 },
	/* by use: the lists of page reclaim */
	{ PART("MemTotal", total),
	  { PART("MemFree", free), PART("Active", active), PART("Inactive", inactive), PART("Slab", slab),
	    PART("Unevictable", unevictable), PART("KernelStack", kernel_stack),
	    PART("PageTables", page_tables), PART("SecPageTables", secondary_page_tables),
	    PART("Percpu", percpu), PART("VmallocUsed", vmalloc_used), PART("Hugetlb", hugetlb),
	    PART("Zswap", zswap), PART("zram", zram), PART("Bounce", bounce) },
	  .n_required = 4 },
	/* by content: anonymous memory and page cache */
	{ PART("MemTotal", total),
	  { PART("MemFree", free), PART("Buffers", buffers), PART("Cached", cached),
	    PART("AnonPages", anon_pages), PART("Slab", slab), PART("SwapCached", swap_cached),
	    PART("KernelStack", kernel_stack), PART("PageTables", page_tables),
	    PART("SecPageTables", secondary_page_tables), PART("Percpu", percpu),
	    PART("VmallocUsed", vmalloc_used), PART("Hugetlb", hugetlb), PART("Zswap", zswap),
	    PART("zram", zram), PART("Bounce", bounce) },
	  .n_required = 5 },
};

static uint64_t value_of(const struct meminfo *meminfo, const struct part *part)
{
	uint64_t value;

	memcpy(&value, (const char *)meminfo + part->offset, sizeof(value));
	return value;
}

static bool can_be_checked(const struct check *check, const struct meminfo *meminfo)
{
	for (unsigned i = 0; i < check->n_required; i++)
		if (value_of(meminfo, &check->parts[i]) == U64_UNKNOWN)
			return false;
	return value_of(meminfo, &check->whole) != U64_UNKNOWN;
}

static const char *add_parts(struct arena *arena, const struct check *check, const struct meminfo *meminfo,
			     uint64_t *sum)
{
	const char *formula = "";

	*sum = 0;
	for (const struct part *part = check->parts; part->key; part++) {
		uint64_t value = value_of(meminfo, part);

		if (value == U64_UNKNOWN)
			continue;
		*sum = u64_sum(*sum, value);
		formula = arena_print(arena, "%s%s%s", formula, *formula ? " + " : "", part->key);
	}
	return arena_print(arena, "%s = %s", formula, check->whole.key);
}

static void add_check(struct frame *frame, struct table *table, const struct check *check,
		      const struct meminfo *meminfo)
{
	struct check_row *row = table_add(table);

	row->formula = add_parts(&frame->arena, check, meminfo, &row->sum_bytes);
	row->total_bytes = value_of(meminfo, &check->whole);
	if (row->sum_bytes == U64_UNKNOWN)
		return;
	row->error_bytes = (double)row->sum_bytes - (double)row->total_bytes;
	if (row->total_bytes > 0)
		row->error_ratio = row->error_bytes / (double)row->total_bytes;
}

/* What zsmalloc has, without that of zswap, which may use it, too. Unknown: nothing. */
static uint64_t zram_bytes(struct env *env, uint64_t zswap)
{
	const char *const names[] = { "nr_zspages" };
	uint64_t pages, bytes;
	struct span text;

	if (env_read(env, env_file(env, "proc/vmstat"), &text))
		return U64_UNKNOWN;
	vmstat_parse(text, names, 1, &pages);
	if (pages == U64_UNKNOWN || __builtin_mul_overflow(pages, env->page_bytes, &bytes) || bytes <= zswap)
		return U64_UNKNOWN;
	return bytes - zswap;
}

static int sample_check(struct sample *sample)
{
	struct meminfo meminfo;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, "proc/meminfo"), &text);

	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	meminfo.zram = zram_bytes(sample->env, meminfo_or_zero(meminfo.zswap));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (can_be_checked(&checks[i], &meminfo))
			add_check(sample->frame, sample->table, &checks[i], &meminfo);
	return sample->table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_memory_check = {
	.schema = &check_schema,
	.sources = SOURCES(
		{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") },
		{ .path = "proc/vmstat", .gives = N_("memory of zram"), .optional = true }),
	.sample = sample_check,
};

/* Topic "memory_limit": memory and swap limits of the cgroup of panetop and its ancestors. */

struct limit_row {
	const char *resource, *cgroup;
	uint64_t limit_bytes, used_bytes, free_bytes, caches_bytes;
};

#define LIMIT_SIZE(field, ...)                                                                               \
	COLUMN(struct limit_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, __VA_ARGS__)

static const struct column limit_columns[] = {
	COLUMN(struct limit_row, resource, A_KEY(N_("resource"), 9), .help = N_("memory or swap"),
	       .source = "memory, swap"),
	LIMIT_SIZE(limit_bytes, .title = N_("limit"), .width = 9, .rank = 1,
		   .help = N_("limit of the cgroup, at most the total of the machine"),
		   .source = "v2 memory.max, memory.swap.max; v1 memory.limit_in_bytes, "
			     "memory.memsw.limit_in_bytes - memory.limit_in_bytes"),
	LIMIT_SIZE(used_bytes, .title = N_("used"), .width = 9, .rank = 1,
		   .help = N_("memory that the cgroup uses, page cache included"),
		   .source = "v2 memory.current, memory.swap.current; v1 memory.usage_in_bytes, "
			     "memory.memsw.usage_in_bytes - memory.usage_in_bytes"),
	LIMIT_SIZE(free_bytes, .title = N_("free"), .width = 9, .rank = 1,
		   .help = N_("what it can still allocate before its caches must shrink; never below 0"),
		   .source = "limit - used"),
	LIMIT_SIZE(caches_bytes, .title = N_("cache"), .width = 9, .rank = 2,
		   .help = N_("what can be dropped: page cache of the cgroup and (v2) reclaimable slab"),
		   .source = "memory.stat active_file + inactive_file + slab_reclaimable (v1: total_...)"),
	COLUMN(struct limit_row, cgroup, A_KEY(N_("cgroup"), 10), .rank = 3,
	       .help = N_("limited cgroup: that of panetop or an ancestor"),
	       .source = "/proc/self/cgroup, /proc/self/mountinfo"),
};

static double limit_percent_base(const void *row)
{
	const struct limit_row *limit = row;

	return u64_number(limit->limit_bytes);
}

static const struct schema limit_schema = {
	.name = "memory_limit", .is_public = true,
	.help = N_("memory and swap limits of the cgroup of panetop and its ancestors; empty without limits"),
	.one_unit = true, .percent_base = limit_percent_base, .percent_column = 1,
	SCHEMA_ROWS(struct limit_row, limit_columns),
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

static const struct source_spec limit_sources[] = {
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
	return stat.caches;
}

static struct limit_row *add_limit_row(struct frame *frame, struct table *table,
				       const struct cgroup_place *place, const char *resource, uint64_t limit,
				       uint64_t used, uint64_t machine)
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
		add_limit_row(frame, table, place, "memory", limit, used, meminfo->total)->caches_bytes =
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
		add_limit_row(frame, table, place, "swap", swap_limit, swap_used, meminfo->swap_total)
			->caches_bytes = U64_BLANK;
}

static int sample_limit(struct sample *sample)
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
	.schema = &limit_schema, .sources = limit_sources, .open = open_limit, .sample = sample_limit,
	.close = cgroup_close,
};
