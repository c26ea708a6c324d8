/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps and smaps: the regions of a process, and the sizes in smaps. */
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
	uint64_t offset;         /* of the first byte in the file */
	uint64_t device;         /* of the file system: major << 32 | minor, as in mountinfo */
	uint64_t inode;          /* 0: none */
	struct span path;        /* or "[heap]"; empty: anonymous memory. A newline is "\012" */
};

/* The next region; skips other lines, such as those of smaps. */
bool maps_next(struct span *text, struct maps_region *region);

/* Mapped by the kernel into every process, and not counted: [vvar], [vsyscall] … */
bool maps_is_special(const struct maps_region *region);

/* One region in smaps; U64_UNKNOWN where the kernel does not print a value. */
struct smaps_sizes {
	uint64_t resident_bytes, proportional_bytes, swap_proportional_bytes;
	uint64_t referenced_bytes; /* in pages that were accessed since the accessed bits were cleared */
	uint64_t huge_bytes;       /* mapped in whole as huge pages: of anonymous memory, of files, shared */
};

/* The next region of smaps with its values. */
bool smaps_next(struct span *text, struct maps_region *region, struct smaps_sizes *sizes);

#endif
