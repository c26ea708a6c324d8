/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of interfaces mean, in sentences that hold only where their rule does. */
#ifndef PANETOP_PANE_NETWORK_NETWORK_STORY_H
#define PANETOP_PANE_NETWORK_NETWORK_STORY_H

#include <stdbool.h>
#include <stddef.h>

/* An interface in an interval; NaN: unknown. */
struct interface_facts {
	const char *name, *duplex; /* duplex "" when unknown */
	double speed_bits, used_ratio, mtu, payload_ratio;
	double errors, received_drops, sent_drops; /* packets per second */
	double received_packets, sent_packets;
};

/*
 * The sentence number index about these interfaces, translated; false: there are no more. Each names its
 * evidence.
 */
bool network_story(const struct interface_facts *interfaces, size_t n_interfaces, unsigned index, char *text,
		   size_t room);

/* What sockets dropped in an interval, per second; NaN: unknown. */
struct socket_facts {
	double datagrams;   /* as receive buffers were full */
	double connections; /* as queues of listening sockets were full */
};

/* Likewise about them. */
bool network_socket_story(const struct socket_facts *sockets, unsigned index, char *text, size_t room);

/* How much of its wire can be payload; false: that is not known. */
bool network_ceiling(const struct interface_facts *interface, char *text, size_t room);

#endif
