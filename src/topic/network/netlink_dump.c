/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Skips answers to earlier requests, and gives up a second after the last datagram. */
#include <config.h>

#include "topic/network/netlink_dump.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>

#include "kernel/net/netlink.h"

#define BATCH 4
#define WAIT_MS 1000 /* the kernel answers at once */

/* 1: the dump goes on; 0: it is complete; or -errno. */
static int take_datagram(struct span datagram, uint32_t sequence,
			 void (*each)(void *context, struct span payload), void *context)
{
	struct netlink_message message;
	int error;

	while (netlink_next(&datagram, &message)) {
		if (message.sequence != sequence)
			continue;
		if (message.type == NLMSG_DONE)
			return 0;
		if (netlink_ack(&message, &error))
			return error;
		each(context, message.payload);
	}
	return 1;
}

int netlink_dump(struct netlink_socket *netlink, const void *request, size_t length, uint32_t sequence,
		 void (*each)(void *context, struct span payload), void *context)
{
	struct pollfd readable = { .fd = netlink_socket_fd(netlink), .events = POLLIN };
	int state = netlink_socket_send(netlink, request, length);

	for (state = state < 0 ? state : 1; state == 1;) {
		size_t n_datagrams = netlink_socket_receive(netlink, BATCH);

		if (n_datagrams == 0 && poll(&readable, 1, WAIT_MS) <= 0)
			return -ETIMEDOUT;
		for (size_t i = 0; i < n_datagrams && state == 1; i++)
			state = take_datagram(netlink_socket_datagram(netlink, i), sequence, each, context);
	}
	return state;
}
