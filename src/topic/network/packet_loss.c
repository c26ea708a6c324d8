/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "packet_loss": what protocols and sockets dropped, by cause; interfaces have losses of their own. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/net/proc_net.h"
#include "topic/topic.h"

#define SNMP "proc/net/snmp"
#define SNMP6 "proc/net/snmp6"
#define NETSTAT "proc/net/netstat"

struct loss_row {
	const char *protocol, *cause;
	double per_second;
	uint64_t lost;
	const char *counters;
};

#define COL(field, ...) COLUMN_OF(struct loss_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(protocol, KEY, NONE, N_("proto"), 5,
	    N_("ip, tcp or udp, of IPv4 and IPv6; all: what sockets dropped, of both"), "panetop"),
	COL(cause, KEY, NONE, N_("cause"), 34,
	    N_("why they were lost; of them: they count in the line above, too"), "the counter",
	    .words = true),
	COL(per_second, RATE, PER_SECOND, N_("per s"), 8,
	    N_("lost in the last interval: packets, datagrams, segments, requests for connections"),
	    "growth of lost / time", .trend = true, .rate_of = offsetof(struct loss_row, lost), .high = 1),
	COL(lost, COUNTER, COUNT, N_("lost"), 9, N_("since boot, or since the network namespace was made"),
	    "the counter"),
	COL(counters, LABEL, NONE, N_("counter"), 32, N_("the kernel's name of it, as nstat(8) lists them"),
	    "/" SNMP ", " NETSTAT ", " SNMP6, .rank = 4),
};

static const struct schema schema = {
	.name = "packet_loss",
	.is_public = true,
	.help = N_("what protocols and sockets dropped, by cause"),
	.from_zero = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct loss_row, columns),
};

struct texts {
	struct span snmp, netstat, snmp6;
};

/* Where a cause is counted; what IPv6 counts is added. */
static const struct cause {
	const char *protocol, *text;
	const char *section, *name; /* of /proc/net/snmp, or where it is an extension of netstat */
	const char *name6;          /* NULL: none */
	bool by_socket;             /* sockets dropped it: it is part of the sum */
} causes[] = {
	{ "udp", N_("receive buffer full"), "Udp", "RcvbufErrors", "Udp6RcvbufErrors", .by_socket = true },
	{ "udp", N_("no memory"), "Udp", "MemErrors", "Udp6MemErrors", .by_socket = true },
	{ "udp", N_("send buffer full"), "Udp", "SndbufErrors", "Udp6SndbufErrors" },
	{ "udp", N_("no socket has the port"), "Udp", "NoPorts", "Udp6NoPorts" },
	{ "udp", N_("wrong checksum"), "Udp", "InCsumErrors", "Udp6InCsumErrors" },
	{ "tcp", N_("connection requests dropped"), "TcpExt", "ListenDrops", .by_socket = true },
	{ "tcp", N_("of them: accept queue full"), "TcpExt", "ListenOverflows" },
	{ "tcp", N_("of them: request queue full"), "TcpExt", "TCPReqQFullDrop" },
	{ "tcp", N_("backlog of the socket full"), "TcpExt", "TCPBacklogDrop", .by_socket = true },
	{ "tcp", N_("receive buffer full"), "TcpExt", "TCPRcvQDrop", .by_socket = true },
	{ "tcp", N_("pruned for lack of memory"), "TcpExt", "RcvPruned", .by_socket = true },
	{ "tcp", N_("no room for out-of-order data"), "TcpExt", "TCPOFODrop", .by_socket = true },
	{ "tcp", N_("window closed"), "TcpExt", "TCPZeroWindowDrop", .by_socket = true },
	{ "tcp", N_("wrong checksum"), "Tcp", "InCsumErrors" },
	{ "tcp", N_("sent again"), "Tcp", "RetransSegs" },
	{ "ip", N_("no route"), "Ip", "OutNoRoutes", "Ip6OutNoRoutes" },
	{ "ip", N_("no memory to receive"), "Ip", "InDiscards", "Ip6InDiscards" },
	{ "ip", N_("no room to send"), "Ip", "OutDiscards", "Ip6OutDiscards" },
	{ "ip", N_("bad header"), "Ip", "InHdrErrors", "Ip6InHdrErrors" },
	{ "ip", N_("fragments missing"), "Ip", "ReasmFails", "Ip6ReasmFails" },
	{ "ip", N_("reverse path filter"), "TcpExt", "IPReversePathFilter" },
};

#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

/* U64_UNKNOWN: this kernel does not count it. */
static uint64_t count_of(const struct texts *texts, const struct cause *cause)
{
	bool extended = strcmp(cause->section, "TcpExt") == 0;
	uint64_t old = net_snmp_find(extended ? texts->netstat : texts->snmp, cause->section, cause->name);
	uint64_t new = cause->name6 ? net_snmp6_find(texts->snmp6, cause->name6) : U64_UNKNOWN;

	return u64_sum_known(old, new);
}

static int sample_losses(struct sample *sample)
{
	struct texts texts = { 0 };
	struct loss_row *row = table_add(sample->table);
	uint64_t sum = U64_UNKNOWN;
	int error = env_read(sample->env, env_file(sample->env, SNMP), &texts.snmp);

	if (error)
		return error;
	env_read(sample->env, env_file(sample->env, NETSTAT), &texts.netstat);
	env_read(sample->env, env_file(sample->env, SNMP6), &texts.snmp6);
	row->protocol = "all";
	row->cause = N_("dropped by sockets");
	row->counters = "";
	for (size_t i = 0; i < N_CAUSES; i++) {
		const struct cause *cause = &causes[i];
		uint64_t lost = count_of(&texts, cause);

		if (lost == U64_UNKNOWN)
			continue;
		row = table_add(sample->table);
		row->protocol = cause->protocol;
		row->cause = cause->text;
		row->lost = lost;
		row->counters = arena_print(&sample->frame->arena, "%s%s%s%s", cause->section, cause->name,
					    cause->name6 ? " + " : "", cause->name6 ? cause->name6 : "");
		if (cause->by_socket)
			sum = u64_sum_known(sum, lost);
	}
	if (sample->table->n_rows == 1)
		return -ENODATA;
	row = table_row(sample->table, 0);
	row->lost = sum;
	return 0;
}

const struct topic topic_packet_loss = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = SNMP,
		  .gives = N_("losses of IP, TCP and UDP"),
		  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
		{ .path = NETSTAT, .gives = N_("losses of TCP by cause"), .optional = true },
		{ .path = SNMP6, .gives = N_("losses of IPv6"), .optional = true }),
	.sample = sample_losses,
};
