/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/spl/kstat/zfs/arcstats: the cache of ZFS, which /proc/meminfo does not call a cache. */
#ifndef PANETOP_KERNEL_ARCSTATS_H
#define PANETOP_KERNEL_ARCSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct arcstats {
	uint64_t size_bytes;    /* what the cache holds now */
	uint64_t minimum_bytes; /* what it will not go below */
};

bool arcstats_parse(struct span text, struct arcstats *arcstats);

/* What could be taken from it: size above its minimum, 0 if there is none. */
uint64_t arcstats_reclaimable(const struct arcstats *arcstats);

#endif
