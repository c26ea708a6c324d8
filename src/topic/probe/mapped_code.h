/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose code processes have mapped, opened where the process sees them. For threads, too. */
#ifndef PANETOP_TOPIC_PROBE_MAPPED_CODE_H
#define PANETOP_TOPIC_PROBE_MAPPED_CODE_H

#include "core/buffer.h"
#include "kernel/pid/maps.h"
#include "sys/child.h"
#include "sys/profile_files.h"

/* Appends its /proc/PID/maps. 0 or -errno. */
int mapped_code_read_maps(uint32_t pid, struct buffer *maps);

/* The next region that has code of a file; false: there is none. */
bool mapped_code_next(struct span *maps, struct maps_region *region);

/* The file of a region, for profile_file_open(). */
struct profile_file mapped_code_file(uint32_t pid, const struct maps_region *region);

#define MAPPED_CODE_MAX ((size_t)512 << 20)

/*
 * Reads all of it in place of what the buffer has. 0 or -errno: -EFBIG, it has more bytes than most;
 * -ECANCELED.
 */
int mapped_code_read(const struct profile_file *file, struct buffer *bytes, size_t most,
		     struct progress *progress);

#endif
