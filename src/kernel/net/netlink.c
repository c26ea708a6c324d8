/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of netlink headers and attributes. */
#include <config.h>

#include "kernel/net/netlink.h"

#include <limits.h>
#include <linux/netlink.h>

static void eat_padded(struct span *rest, size_t length, size_t align)
{
	size_t padded = (length + align - 1) / align * align;

	rest->at += padded < span_length(*rest) ? padded : span_length(*rest);
}

bool netlink_next(struct span *datagram, struct netlink_message *message)
{
	struct nlmsghdr header;

	if (!span_peek(*datagram, 0, &header, sizeof(header)) || header.nlmsg_len < sizeof(header) ||
	    header.nlmsg_len > span_length(*datagram))
		return false;
	message->type = header.nlmsg_type;
	message->sequence = header.nlmsg_seq;
	message->payload = span_of(datagram->at + sizeof(header), header.nlmsg_len - sizeof(header));
	eat_padded(datagram, header.nlmsg_len, NLMSG_ALIGNTO);
	return true;
}

bool netlink_ack(const struct netlink_message *message, int *error)
{
	int code;

	if (message->type != NLMSG_ERROR || !span_peek(message->payload, 0, &code, sizeof(code)) ||
	    code > 0 || code == INT_MIN)
		return false;
	*error = code;
	return true;
}

bool netlink_attribute(struct span attributes, uint16_t type, struct span *value)
{
	struct nlattr header;

	while (span_peek(attributes, 0, &header, sizeof(header)) && header.nla_len >= sizeof(header) &&
	       header.nla_len <= span_length(attributes)) {
		if ((header.nla_type & (uint16_t)NLA_TYPE_MASK) == type) {
			*value = span_of(attributes.at + sizeof(header), header.nla_len - sizeof(header));
			return true;
		}
		eat_padded(&attributes, header.nla_len, NLA_ALIGNTO);
	}
	return false;
}
