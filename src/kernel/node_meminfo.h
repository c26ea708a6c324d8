/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meminfo of a NUMA node, below /sys/devices/system/node. */
#ifndef PANETOP_KERNEL_NODE_MEMINFO_H
#define PANETOP_KERNEL_NODE_MEMINFO_H

#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* Bytes; U64_UNKNOWN for a missing line. */
struct node_meminfo {
	uint64_t total, free, anonymous, file;
};

/* Lines of the form "Node 0 MemTotal: 12413132 kB". */
void node_meminfo_parse(struct span text, struct node_meminfo *meminfo);

#endif
