/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/dev: a line per network interface of a network namespace. */
#ifndef PANETOP_KERNEL_NET_DEV_H
#define PANETOP_KERNEL_NET_DEV_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* One direction, since the interface appeared. */
struct net_traffic {
	uint64_t bytes, packets, errors, drops;
};

struct net_interface {
	struct span name;
	struct net_traffic received, sent;
};

/* The next interface; skips headings and malformed lines. */
bool net_interface_next(struct span *text, struct net_interface *interface);

#endif
