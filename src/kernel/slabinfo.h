/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/slabinfo: the kernel's caches of objects of one size, a line each. */
#ifndef PANETOP_KERNEL_SLABINFO_H
#define PANETOP_KERNEL_SLABINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct slabinfo_line {
	struct span name;  /* of one of them, where the kernel merged caches that are alike */
	uint64_t active;   /* objects in use; SLUB counts those of the CPUs' own slabs as used */
	uint64_t objects;  /* in all slabs, used or not */
	uint64_t object_bytes;
	uint64_t pages;    /* of all slabs */
};

/* The next cache; skips headings and malformed lines. */
bool slabinfo_next(struct span *text, struct slabinfo_line *line);

#endif
