/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink: the messages of a datagram, and the attributes of a message. */
#ifndef PANETOP_KERNEL_NETLINK_H
#define PANETOP_KERNEL_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct netlink_message {
	uint16_t type;
	uint32_t sequence;
	struct span payload;
};

/* The next message of a datagram. False at its end, or with bytes left where the rest is malformed. */
bool netlink_next(struct span *datagram, struct netlink_message *message);

/* False when it is neither an acknowledgement nor an error; error is then 0 or -errno. */
bool netlink_ack(const struct netlink_message *message, int *error);

/* The value of the first attribute of this type; false when there is none before a malformed one. */
bool netlink_attribute(struct span attributes, uint16_t type, struct span *value);

#endif
