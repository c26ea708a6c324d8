/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps files of others, and survives that they are cut short meanwhile. In a process with one thread. */
#ifndef PANETOP_SYS_FILE_MAP_H
#define PANETOP_SYS_FILE_MAP_H

#include <stddef.h>

#include "core/span.h"

/* From now on what a file no longer has is zeros: sets the handler of SIGBUS. */
void file_maps_open(void);

/* All of it, private. Empty: it cannot be mapped, or has more bytes than most. */
struct span file_map(int fd, int protection, size_t most);
void file_unmap(struct span bytes); /* of file_map(), also where it is empty */

#endif
