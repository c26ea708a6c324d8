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

/*
 * Eats the next message of a datagram. False at its end, and where what is left is not well-formed: then
 * some bytes are left.
 */
bool netlink_next(struct span *datagram, struct netlink_message *message);

/* False when it is neither an acknowledgement nor an error; error is then 0 or -errno. */
bool netlink_ack(const struct netlink_message *message, int *error);

/* The value of the first attribute of this type; false when there is none, nor behind a malformed one. */
bool netlink_attribute(struct span attributes, uint16_t type, struct span *value);

#endif
