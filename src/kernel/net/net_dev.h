/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/dev: a line per network interface of a network namespace. */
#ifndef PANETOP_KERNEL_NET_DEV_H
#define PANETOP_KERNEL_NET_DEV_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* One direction, since the interface appeared. */
union net_traffic {
	struct {
		uint64_t bytes, packets, errors, drops;
		uint64_t fifo;    /* errors: a queue of the device was full, or empty while it sent */
		uint64_t frame;   /* errors: malformed frames; when sending: collisions */
		uint64_t carrier; /* errors when sending: no carrier */
	};
	uint64_t counts[7];
};

#define N_NET_COUNTS (sizeof(union net_traffic) / sizeof(uint64_t))

struct net_interface {
	struct span name;
	union net_traffic received, sent;
};

/* The next interface; skips headings and malformed lines. */
bool net_interface_next(struct span *text, struct net_interface *interface);

#endif
