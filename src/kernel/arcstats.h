/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/spl/kstat/zfs/arcstats: the ZFS cache, which /proc/meminfo does not count as cache. */
#ifndef PANETOP_KERNEL_ARCSTATS_H
#define PANETOP_KERNEL_ARCSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct arcstats {
	uint64_t size_bytes;    /* current size of the cache */
	uint64_t minimum_bytes; /* the cache does not shrink below this */
};

bool arcstats_parse(struct span text, struct arcstats *arcstats);

/* Reclaimable: the size above the minimum, or 0. */
uint64_t arcstats_reclaimable(const struct arcstats *arcstats);

#endif
