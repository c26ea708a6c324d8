/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The message that asks for all queueing disciplines, and the attributes of the answer. */
#include <config.h>

#include "kernel/net/qdisc.h"

#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel/net/netlink.h"

bool qdisc_parse(struct span payload, struct qdisc *qdisc)
{
	struct gnet_stats_queue queue;
	struct span counts, value;
	struct tcmsg message;

	if (!span_peek(payload, 0, &message, sizeof(message)) ||
	    !netlink_attribute(span_of(payload.at + sizeof(message), span_length(payload) - sizeof(message)),
			       TCA_STATS2, &counts) ||
	    !netlink_attribute(counts, TCA_STATS_QUEUE, &value) ||
	    !span_peek(value, 0, &queue, sizeof(queue)))
		return false;
	*qdisc = (struct qdisc){
		.interface = (uint32_t)message.tcm_ifindex,
		.handle = message.tcm_handle,
		.is_root = message.tcm_parent == TC_H_ROOT,
		.drops = queue.drops,
		.waiting_bytes = queue.backlog,
	};
	return true;
}

uint32_t qdisc_dropped(const struct qdisc *before, const struct qdisc *now)
{
	bool wrapped = now->drops < before->drops && before->drops > UINT32_MAX / 2;

	if (before->handle != now->handle || (now->drops < before->drops && !wrapped))
		return now->drops;
	return now->drops - before->drops;
}

unsigned qdisc_request(char request[QDISC_REQUEST_BYTES], uint32_t sequence)
{
	const struct {
		struct nlmsghdr header;
		struct tcmsg body;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			    .nlmsg_type = RTM_GETQDISC,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			    .nlmsg_seq = sequence },
		.body = { .tcm_family = AF_UNSPEC },
	};

	_Static_assert(sizeof(message) <= QDISC_REQUEST_BYTES, "it has room");
	memcpy(request, &message, sizeof(message));
	return sizeof(message);
}
