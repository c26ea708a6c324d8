/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the decoder of queues before interfaces, of counters that wrap and start again, and of the sockets
 * by which the kernel tells of them.
 */
#include "suite.h"

#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <sched.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "kernel/net/netlink.h"
#include "sys/netlink_socket.h"

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

static struct span bytes_of(const struct answer *answer)
{
	return span_of((const char *)answer, sizeof(*answer));
}

START_TEST(a_queue)
{
	struct answer root = answer_of(TC_H_ROOT), leaf = answer_of(0x10001);
	struct qdisc qdisc;

	ck_assert(qdisc_parse(bytes_of(&root), &qdisc));
	ck_assert(qdisc.interface == 7 && qdisc.handle == 0x80010000 && qdisc.is_root);
	ck_assert(qdisc.drops == 11 && qdisc.waiting_bytes == 4500);
	ck_assert(qdisc_parse(bytes_of(&leaf), &qdisc) && !qdisc.is_root);
	for (size_t length = 0; length < sizeof(root); length++)
		ck_assert(!qdisc_parse(span_of((const char *)&root, length), &qdisc));
	root.queue_header.nla_len = sizeof(struct nlattr) + 4; /* shorter than its numbers */
	ck_assert(!qdisc_parse(bytes_of(&root), &qdisc));
	root.kind_header.nla_len = UINT16_MAX;
	ck_assert(!qdisc_parse(bytes_of(&root), &qdisc));
}

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

static struct netlink_socket *open_socket(int protocol, uint32_t groups)
{
	struct netlink_socket *netlink;
	int error = 1;

	netlink = netlink_socket_open(protocol, groups, 4096, 16384, &error);
	if (!netlink)
		skip_test("there is no such socket: %s", strerror(-error));
	ck_assert_int_eq(error, 0);
	return netlink;
}

/* The end of the answer to the request with this number. */
static bool is_end(void *context, struct span datagram, int *error)
{
	const uint32_t *sequence = context;
	struct netlink_message message;
	bool ends = false;

	while (netlink_next(&datagram, &message)) {
		ck_assert_uint_eq(message.sequence, *sequence);
		ends |= message.type == NLMSG_DONE;
	}
	*error = -EXDEV;
	return ends;
}

START_TEST(the_kernel_answers)
{
	struct netlink_socket *netlink = open_socket(NETLINK_ROUTE, 0);
	struct pollfd readable = { .fd = netlink_socket_fd(netlink), .events = POLLIN };
	char request[QDISC_REQUEST_BYTES];
	uint32_t sequence = 9;

	ck_assert_int_eq(netlink_socket_await(netlink, 1000, is_end, &sequence), -ETIMEDOUT);
	ck_assert_int_eq(netlink_socket_await(netlink, 0, is_end, &sequence), -ETIMEDOUT);
	ck_assert_uint_eq(netlink_socket_receive(netlink, 1), 0);
	ck_assert_int_eq(netlink_socket_send(netlink, request, qdisc_request(request, sequence)), 0);
	ck_assert_int_eq(netlink_socket_await(netlink, UINT64_C(20000000000), is_end, &sequence), -EXDEV);
	sequence = 10;
	ck_assert_int_eq(netlink_socket_send(netlink, request, qdisc_request(request, sequence)), 0);
	ck_assert_int_eq(poll(&readable, 1, 20000), 1);
	ck_assert_uint_eq(netlink_socket_receive(netlink, 1), 1);
	ck_assert_uint_gt(span_length(netlink_socket_datagram(netlink, 0)), 0);
	ck_assert_uint_eq(netlink_socket_lost(netlink), 0);
	netlink_socket_close(netlink);
	netlink_socket_close(NULL);
}

/* Sends them to all that are in a group, or to the one with this port; where it is the kernel's, it refuses.
 */
static void send_by(int fd, uint32_t port, uint32_t groups, unsigned n)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = port, .nl_groups = groups };

	for (unsigned i = 0; i < n; i++)
		ck_assert(sendto(fd, "0123456789abcdef", 16, 0, (struct sockaddr *)&to, sizeof(to)) == 16 ||
			  (port == 0 && errno == ECONNREFUSED));
}

static uint32_t port_of(int fd)
{
	struct sockaddr_nl own = { 0 };
	socklen_t length = sizeof(own);

	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&own, &length), 0);
	return own.nl_pid;
}

START_TEST(what_programs_send_is_no_message_of_the_kernel)
{
	struct netlink_socket *netlink = open_socket(NETLINK_USERSOCK, 0);
	int other = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);
	uint32_t port = port_of(netlink_socket_fd(netlink));

	send_by(other, port, 0, 3);
	ck_assert_uint_eq(netlink_socket_receive(netlink, 2), 2);
	ck_assert_uint_eq(netlink_socket_receive(netlink, 2), 1);
	ck_assert_uint_eq(netlink_socket_receive(netlink, 2), 0);
	ck_assert_uint_eq(span_length(netlink_socket_datagram(netlink, 0)), 0);
	ck_assert_uint_eq(span_length(netlink_socket_datagram(netlink, 1)), 0);
	close(other);
	netlink_socket_close(netlink);
}

/* What has no room is dropped; the first look has what came before, the next one what came since. */
START_TEST(lost_messages_are_counted)
{
	enum { SENT = 3000 };
	struct netlink_socket *netlink;
	uint64_t lost = 0;
	int other;

	if (unshare(CLONE_NEWNET) < 0) /* others may send to this group, too */
		skip_test("a network namespace takes root");
	netlink = open_socket(NETLINK_USERSOCK, 1);
	other = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);
	for (int round = 1; round <= 2; round++) {
		size_t n, received = 0;

		send_by(other, 0, 1, SENT);
		ck_assert_uint_gt(netlink_socket_lost(netlink), lost);
		while ((n = netlink_socket_receive(netlink, 1000)) > 0) {
			ck_assert_uint_le(n, NETLINK_BATCH);
			received += n;
		}
		ck_assert_uint_gt(received, 0);
		ck_assert_uint_eq(netlink_socket_lost(netlink) - lost + received, SENT);
		lost = netlink_socket_lost(netlink);
	}
	close(other);
	netlink_socket_close(netlink);
}
