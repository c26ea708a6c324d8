/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoder of queues before interfaces, and of counters that wrap and start again. */
#include <config.h>

#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "kernel/net/qdisc.h"
#include "suite.h"

struct answer {
	struct tcmsg message;
	struct nlattr kind_header;
	char kind[8];
	struct nlattr counts_header, queue_header;
	struct gnet_stats_queue queue;
} __attribute__((packed));

static struct answer answer_of(uint32_t parent)
{
	return (struct answer){
		.message = { .tcm_ifindex = 7, .tcm_handle = 0x80010000, .tcm_parent = parent },
		.kind_header = { .nla_len = sizeof(struct nlattr) + 6, .nla_type = TCA_KIND },
		.kind = "pfifo",
		.counts_header = { .nla_len = 2 * sizeof(struct nlattr) + sizeof(struct gnet_stats_queue),
				   .nla_type = TCA_STATS2 | NLA_F_NESTED },
		.queue_header = { .nla_len = sizeof(struct nlattr) + sizeof(struct gnet_stats_queue),
				  .nla_type = TCA_STATS_QUEUE },
		.queue = { .qlen = 3, .backlog = 4500, .drops = 11 },
	};
}

START_TEST(a_queue)
{
	struct answer root = answer_of(TC_H_ROOT), leaf = answer_of(0x10001);
	struct qdisc qdisc;

	ck_assert(qdisc_parse(span_of((const char *)&root, sizeof(root)), &qdisc));
	ck_assert_uint_eq(qdisc.interface, 7);
	ck_assert_uint_eq(qdisc.handle, 0x80010000);
	ck_assert_uint_eq(qdisc.drops, 11);
	ck_assert_uint_eq(qdisc.waiting_bytes, 4500);
	ck_assert(qdisc.is_root);
	ck_assert(qdisc_parse(span_of((const char *)&leaf, sizeof(leaf)), &qdisc));
	ck_assert(!qdisc.is_root);
}
END_TEST

START_TEST(cut_and_hostile_messages)
{
	struct answer answer = answer_of(TC_H_ROOT);
	struct qdisc qdisc;

	for (size_t length = 0; length < sizeof(answer); length++)
		ck_assert(!qdisc_parse(span_of((const char *)&answer, length), &qdisc));
	answer.queue_header.nla_len = sizeof(struct nlattr) + 4; /* shorter than its numbers */
	ck_assert(!qdisc_parse(span_of((const char *)&answer, sizeof(answer)), &qdisc));
	answer.kind_header.nla_len = UINT16_MAX;
	ck_assert(!qdisc_parse(span_of((const char *)&answer, sizeof(answer)), &qdisc));
}
END_TEST

START_TEST(drops_go_on)
{
	static const struct {
		struct qdisc before, now;
		uint32_t dropped;
	} cases[] = {
		{ { .handle = 1, .drops = 5 }, { .handle = 1, .drops = 12 }, 7 },
		{ { .handle = 1, .drops = 5 }, { .handle = 1, .drops = 5 }, 0 },
		{ { .handle = 1, .drops = UINT32_MAX - 1 }, { .handle = 1, .drops = 3 }, 5 }, /* it wrapped */
		{ { .handle = 0, .drops = 500 }, { .handle = 0, .drops = 3 }, 3 }, /* the kernel's next */
		{ { .handle = 1, .drops = 500 }, { .handle = 2, .drops = 600 }, 600 },
		{ { .handle = 1, .drops = 3000000000 }, { .handle = 1, .drops = 10 }, 1294967306 },
		{ { .handle = 1, .drops = 2000000000 }, { .handle = 1, .drops = 10 }, 10 }, /* too few */
		{ { .handle = 2, .drops = 3000000000 }, { .handle = 1, .drops = 10 }, 10 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(qdisc_dropped(&cases[i].before, &cases[i].now), cases[i].dropped);
}
END_TEST

START_TEST(a_request)
{
	char request[QDISC_REQUEST_BYTES];
	struct nlmsghdr header;

	ck_assert_uint_eq(qdisc_request(request, 9), sizeof(header) + sizeof(struct tcmsg));
	memcpy(&header, request, sizeof(header));
	ck_assert_int_eq(header.nlmsg_type, RTM_GETQDISC);
	ck_assert_uint_eq(header.nlmsg_seq, 9);
	ck_assert_uint_eq(header.nlmsg_len, sizeof(header) + sizeof(struct tcmsg));
	ck_assert_uint_eq(header.nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
}
END_TEST
