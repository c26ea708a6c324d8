/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps and smaps: the regions of a process, a line each, and what smaps says of each. */
#ifndef PANETOP_KERNEL_MAPS_H
#define PANETOP_KERNEL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define MAPS_PERMISSIONS 4

struct maps_region {
	uint64_t start, end;     /* addresses; start < end */
	struct span permissions; /* "rw-p": MAPS_PERMISSIONS bytes */
	uint64_t offset;         /* of its first byte in the file */
	uint64_t inode;          /* 0: none */
	struct span path;        /* or "[heap]"; empty for anonymous memory. A newline in it is "\012" */
};

/* The next region; lines that are none, such as those of smaps, are passed over. */
bool maps_next(struct span *text, struct maps_region *region);

/* Mapped by the kernel itself into every process, and counted nowhere: [vvar], [vsyscall] … */
bool maps_is_special(const struct maps_region *region);

/* Of one region in smaps; U64_UNKNOWN where this kernel does not tell. */
struct smaps_sizes {
	uint64_t resident_bytes, proportional_bytes, swap_proportional_bytes;
};

/* The next region of smaps, and the lines that follow it. */
bool smaps_next(struct span *text, struct maps_region *region, struct smaps_sizes *sizes);

#endif
