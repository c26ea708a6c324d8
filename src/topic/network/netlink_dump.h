/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request that the kernel answers with a list. */
#ifndef PANETOP_TOPIC_NETWORK_NETLINK_DUMP_H
#define PANETOP_TOPIC_NETWORK_NETLINK_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "sys/netlink_socket.h"

/* Sends it, and calls each with the payload of every message of the answer. 0 or -errno. */
int netlink_dump(struct netlink_socket *netlink, const void *request, size_t length, uint32_t sequence,
		 void (*each)(void *context, struct span payload), void *context);

#endif
