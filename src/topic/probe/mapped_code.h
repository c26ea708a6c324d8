/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose code processes have mapped, opened where the process sees them. For threads, too. */
#ifndef PANETOP_TOPIC_PROBE_MAPPED_CODE_H
#define PANETOP_TOPIC_PROBE_MAPPED_CODE_H

#include "core/buffer.h"
#include "kernel/pid/maps.h"

/* Appends its /proc/PID/maps. 0 or -errno. */
int mapped_code_read_maps(uint32_t pid, struct buffer *maps);

/* The next region that has code of a file; false: there is none. */
bool mapped_code_next(struct span *maps, struct maps_region *region);

/* A descriptor of a regular file, or -errno. */
int mapped_code_open(uint32_t pid, const struct maps_region *region);

/* Reads all of it in place of what the buffer has. 0 or -errno: -EFBIG, it is larger than what is read. */
int mapped_code_read(int fd, struct buffer *bytes);

#endif
