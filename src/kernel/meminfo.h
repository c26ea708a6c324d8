/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/meminfo, vmstat, zoneinfo, slabinfo and other files about the memory of the machine. */
#ifndef PANETOP_KERNEL_MEMINFO_H
#define PANETOP_KERNEL_MEMINFO_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/meminfo: all its lines, and those that formulas need. */
struct meminfo_line {
	struct span key;
	uint64_t value; /* in bytes if in_bytes, else a count */
	bool in_bytes;  /* the line ended in "kB" */
};

/* The next line of the form "Key: number [kB]"; skips others. */
bool meminfo_next(struct span *text, struct meminfo_line *line);

/* In bytes; U64_UNKNOWN for lines that the kernel does not print. */
struct meminfo {
	uint64_t total, free, available;
	uint64_t buffers, cached, swap_cached, shmem;
	uint64_t active, inactive, active_anon, inactive_anon, active_file, inactive_file, unevictable;
	uint64_t anon_pages;
	uint64_t slab, reclaimable_slab, unreclaimable_slab;
	uint64_t kernel_reclaimable;  /* since 4.20: reclaimable slab and other kernel memory */
	uint64_t kernel_stack, page_tables, secondary_page_tables, percpu, vmalloc_used;
	uint64_t hugetlb;             /* since 4.19; before, the number of huge pages times their size */
	uint64_t zswap, zswapped, bounce;
	uint64_t swap_total, swap_free;
	uint64_t zram;                /* of no line: not set here */
};

void meminfo_parse(struct span text, struct meminfo *meminfo);

/* 0 if unknown: for sums in which a missing line counts as nothing. */
static inline uint64_t meminfo_or_zero(uint64_t value)
{
	return value == U64_UNKNOWN ? 0 : value;
}

/* The meminfo of a NUMA node, below /sys/devices/system/node. Bytes; U64_UNKNOWN for a missing line. */
struct node_meminfo {
	uint64_t total, free, anonymous, file;
};

/* Lines of the form "Node 0 MemTotal: 12413132 kB". */
void node_meminfo_parse(struct span text, struct node_meminfo *meminfo);

/* /proc/zoneinfo: the kernel's reserves, for kernels without MemAvailable. Sums over all zones with pages. */
struct zoneinfo {
	uint64_t zones;         /* number of zones; 0: nothing could be read */
	uint64_t low_pages;     /* low watermarks */
	uint64_t reserve_pages; /* min(high watermark + largest protection, managed) */
};

void zoneinfo_parse(struct span text, struct zoneinfo *zoneinfo);

/* /proc/vmstat: "name number" lines, with the names of current kernels. */

/*
 * Fills values[i] with the counter names[i], U64_UNKNOWN where the kernel has none. Counters that were
 * split by zone in older kernels are added up: "allocstall" is allocstall_normal + allocstall_movable + …
 * and, before 4.8, "pgscan_kswapd" is pgscan_kswapd_normal + … .
 */
void vmstat_parse(struct span text, const char *const *names, size_t n_names, uint64_t *values);

/* /proc/slabinfo: the kernel's caches of objects of one size, a line each. */
struct slabinfo_line {
	struct span name;  /* of one of them, where the kernel merged caches that are alike */
	uint64_t active;   /* objects in use; SLUB counts those of the CPUs' own slabs as used */
	uint64_t objects;  /* in all slabs, used or not */
	uint64_t object_bytes;
	uint64_t pages;    /* of all slabs */
};

/* The next cache; skips headings and malformed lines. */
bool slabinfo_next(struct span *text, struct slabinfo_line *line);

/* /proc/swaps: a line for each device or file that is used as swap, below a heading. */
struct swap_line {
	struct span name; /* its path, with "\\040" for blanks */
	struct span type; /* "partition", "file" */
	uint64_t size_bytes, used_bytes;
	int64_t priority;
};

/* Takes the heading away. False: there is none, as where a container hides the file behind an empty one. */
bool swaps_heading(struct span *text);

/* The next one; skips malformed lines. */
bool swaps_next(struct span *text, struct swap_line *line);

/* Is it compressed memory, /dev/zram0? Its name, "zram0". */
bool swap_is_zram(const struct swap_line *line, struct span *name);

/* /sys/block/zramN/mm_stat, since Linux 4.1. */
struct zram_memory {
	uint64_t stored_bytes; /* before compression */
	uint64_t memory_bytes; /* what that takes, with what the allocator wastes */
	uint64_t limit_bytes;  /* of memory_bytes; 0: none */
};

bool zram_memory_parse(struct span text, struct zram_memory *memory);

/* /proc/spl/kstat/zfs/arcstats: the ZFS cache, which /proc/meminfo does not count as cache. */
struct arcstats {
	uint64_t size_bytes;    /* current size of the cache */
	uint64_t minimum_bytes; /* the cache does not shrink below this */
};

bool arcstats_parse(struct span text, struct arcstats *arcstats);

/* Reclaimable: the size above the minimum, or 0. */
uint64_t arcstats_reclaimable(const struct arcstats *arcstats);

/* Parameters of the kernel's DAMON_STAT: how long the memory of the machine has been idle. */
#define DAMON_PERCENTILES 101

/*
 * memory_idle_ms_percentiles, "0,0,5,...": element p is how long p percent of the memory have been idle at
 * most; below 0: in use for that long. False if there are not as many, or if they do not ascend.
 */
bool damon_percentiles_parse(struct span text, int64_t milliseconds[DAMON_PERCENTILES]);

/* Are all 0, as before the first numbers? */
bool damon_percentiles_are_new(const int64_t milliseconds[DAMON_PERCENTILES]);

#endif
