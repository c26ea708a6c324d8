/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/meminfo: all its lines, and those that formulas need. */
#ifndef PANETOP_KERNEL_MEMINFO_H
#define PANETOP_KERNEL_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

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
	uint64_t zswap, bounce;
	uint64_t swap_total, swap_free;
};

void meminfo_parse(struct span text, struct meminfo *meminfo);

/* 0 if unknown: for sums in which a missing line counts as nothing. */
static inline uint64_t meminfo_or_zero(uint64_t value)
{
	return value == U64_UNKNOWN ? 0 : value;
}

#endif
