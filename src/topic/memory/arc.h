/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ARC, the cache of ZFS, for the topics that count it. */
#ifndef PANETOP_TOPIC_MEMORY_ARC_H
#define PANETOP_TOPIC_MEMORY_ARC_H

#include <stdbool.h>

#include "kernel/meminfo.h"
#include "sys/env.h"

#define ARC_PATH "proc/spl/kstat/zfs/arcstats"

/* False: no ZFS. */
bool arc_read(struct env *env, struct arcstats *arc);

/* Is it a part of the memory of which so much is in use? Else it is the host's, and that a container's. */
bool arc_is_in(struct env *env, const struct arcstats *arc, uint64_t used_bytes);

#endif
