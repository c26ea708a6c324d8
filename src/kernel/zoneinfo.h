/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/zoneinfo: the kernel's reserves, for kernels without MemAvailable. */
#ifndef PANETOP_KERNEL_ZONEINFO_H
#define PANETOP_KERNEL_ZONEINFO_H

#include <stdint.h>

#include "core/span.h"

/* Sums over all zones with pages. */
struct zoneinfo {
	uint64_t zones;         /* number of zones; 0: nothing could be read */
	uint64_t low_pages;     /* low watermarks */
	uint64_t reserve_pages; /* min(high watermark + largest protection, managed) */
};

void zoneinfo_parse(struct span text, struct zoneinfo *zoneinfo);

#endif
