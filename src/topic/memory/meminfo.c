/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "meminfo": every line of /proc/meminfo with its meaning. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/memory/arc.h"
#include "topic/topic.h"

struct meminfo_row {
	const char *key;
	uint64_t value_bytes, count;
	const char *part_of, *meaning;
};

static const struct column columns[] = {
	COLUMN(struct meminfo_row, key, .kind = COLUMN_KEY, .title = N_("key"), .width = 15,
	       .help = N_("key as the kernel spells it"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, value_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("size"),
	       .width = 6, .rank = 1, .help = N_("size, for lines in kB"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, count, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("count"),
	       .width = 6, .rank = 3, .optional = true,
	       .help = N_("number, for lines without a unit (huge pages)"), .source = "/proc/meminfo"),
	COLUMN(struct meminfo_row, meaning, .kind = COLUMN_LABEL, .title = N_("meaning"), .width = 20,
	       .words = true, .rank = 2, .help = N_("what the line counts"), .source = "panetop"),
	COLUMN(struct meminfo_row, part_of, .kind = COLUMN_LABEL, .title = N_("part of"), .width = 8,
	       .rank = 4, .help = N_("lines that already include it"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "meminfo",
	.is_public = true,
	.help = N_("every line of /proc/meminfo, with its meaning"),
	SCHEMA_ROWS(struct meminfo_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") },
	{ 0 },
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

static int sample(struct sample *sample)
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

const struct topic topic_meminfo = { .schema = &schema, .sources = sources, .sample = sample };
