/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what protocols and sockets lose: of both families, of kernels that lack counters, and their sum.
 */
#include <config.h>

#include <string.h>

#include "rig.h"

#define SNMP "proc/net/snmp"
#define SNMP6 "proc/net/snmp6"
#define NETSTAT "proc/net/netstat"

static const char *const loss_topic[] = { "packet_loss", NULL };

static const char *text_at(const struct table *table, size_t row, const char *column)
{
	return table_text(table, table_row(table, row), column);
}

/* NaN: there is no such row. */
static double number(const struct frame *frame, const char *protocol, const char *cause, const char *column)
{
	const struct table *table = frame_table(frame, "packet_loss");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (strcmp(text_at(table, i, "protocol"), protocol) == 0 &&
		    strcmp(text_at(table, i, "cause"), cause) == 0)
			return table_number(table, table_row(table, i), column);
	return NAN;
}

static void put(struct rig *rig, unsigned datagrams, unsigned connections)
{
	rig_put(rig, SNMP,
		"Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"
		"Udp: 1000 3 %u 500 %u 0\n",
		datagrams, datagrams);
	rig_put(rig, NETSTAT, "TcpExt: ListenOverflows ListenDrops TCPBacklogDrop\nTcpExt: %u %u 2\n",
		connections, connections + 1);
}

START_TEST(causes_and_their_sum)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "linux-6.1", loss_topic);
	put(&rig, 10, 5);
	rig_put(&rig, SNMP6, "Udp6RcvbufErrors  \t7\nUdp6NoPorts \t1\n");
	rig_sample(&rig, 1);
	put(&rig, 30, 9);
	rig_put(&rig, SNMP6, "Udp6RcvbufErrors  \t8\nUdp6NoPorts \t1\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, "udp", "receive buffer full", "lost"), 38);
	ck_assert_double_eq_tol(number(frame, "udp", "receive buffer full", "per_second"), 21, 1e-9);
	ck_assert_double_eq(number(frame, "udp", "no socket has the port", "lost"), 4);
	ck_assert_double_eq_tol(number(frame, "tcp", "of them: accept queue full", "per_second"), 4, 1e-9);
	/* an overflow is a refused connection, too, and no socket dropped what had no socket */
	ck_assert_double_eq(number(frame, "all", "dropped by sockets", "lost"), 38 + 10 + 2);
	ck_assert_double_eq_tol(number(frame, "all", "dropped by sockets", "per_second"), 21 + 4, 1e-9);
	rig_close(&rig);
}

/* Each counter has its place, and those of sockets are in the sum. */
START_TEST(all_causes_have_their_counters)
{
	static const struct {
		const char *protocol, *cause, *counters;
		uint64_t lost;
	} rows[] = {
		{ "all", "dropped by sockets", "", 10001 + 20002 + 1 + 8 + 16 + 32 + 64 + 128 },
		{ "udp", "receive buffer full", "UdpRcvbufErrors + Udp6RcvbufErrors", 10001 },
		{ "udp", "no memory", "UdpMemErrors + Udp6MemErrors", 20002 },
		{ "udp", "send buffer full", "UdpSndbufErrors + Udp6SndbufErrors", 40004 },
		{ "udp", "no socket has the port", "UdpNoPorts + Udp6NoPorts", 80008 },
		{ "udp", "wrong checksum", "UdpInCsumErrors + Udp6InCsumErrors", 160016 },
		{ "tcp", "connection requests dropped", "TcpExtListenDrops", 1 },
		{ "tcp", "of them: accept queue full", "TcpExtListenOverflows", 2 },
		{ "tcp", "of them: request queue full", "TcpExtTCPReqQFullDrop", 4 },
		{ "tcp", "backlog of the socket full", "TcpExtTCPBacklogDrop", 8 },
		{ "tcp", "receive buffer full", "TcpExtTCPRcvQDrop", 16 },
		{ "tcp", "pruned for lack of memory", "TcpExtRcvPruned", 32 },
		{ "tcp", "no room for out-of-order data", "TcpExtTCPOFODrop", 64 },
		{ "tcp", "window closed", "TcpExtTCPZeroWindowDrop", 128 },
		{ "tcp", "wrong checksum", "TcpInCsumErrors", 5 },
		{ "tcp", "sent again", "TcpRetransSegs", 6 },
		{ "ip", "no route", "IpOutNoRoutes + Ip6OutNoRoutes", 77 },
		{ "ip", "no memory to receive", "IpInDiscards + Ip6InDiscards", 88 },
		{ "ip", "no room to send", "IpOutDiscards + Ip6OutDiscards", 99 },
		{ "ip", "bad header", "IpInHdrErrors + Ip6InHdrErrors", 55 },
		{ "ip", "fragments missing", "IpReasmFails + Ip6ReasmFails", 66 },
		{ "ip", "reverse path filter", "TcpExtIPReversePathFilter", 256 },
	};
	const struct table *table;
	struct rig rig;

	rig_open(&rig, "linux-6.1", loss_topic);
	rig_put(&rig, SNMP,
		"Ip: InHdrErrors InDiscards OutDiscards OutNoRoutes ReasmFails\nIp: 5 8 9 7 6\n"
		"Tcp: RetransSegs InCsumErrors\nTcp: 6 5\n"
		"Udp: NoPorts RcvbufErrors SndbufErrors InCsumErrors MemErrors\nUdp: 8 1 4 16 2\n");
	rig_put(&rig, SNMP6,
		"Ip6InHdrErrors 50\nIp6InDiscards 80\nIp6OutDiscards 90\nIp6OutNoRoutes 70\nIp6ReasmFails "
		"60\n"
		"Udp6NoPorts 80000\nUdp6RcvbufErrors 10000\nUdp6SndbufErrors 40000\nUdp6InCsumErrors 160000\n"
		"Udp6MemErrors 20000\n");
	rig_put(&rig, NETSTAT,
		"TcpExt: ListenOverflows ListenDrops TCPReqQFullDrop TCPBacklogDrop TCPRcvQDrop RcvPruned "
		"TCPOFODrop TCPZeroWindowDrop IPReversePathFilter\nTcpExt: 2 1 4 8 16 32 64 128 256\n");
	table = frame_table(rig_sample(&rig, 1), "packet_loss");
	ck_assert_uint_eq(table->n_rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < table->n_rows; i++) {
		ck_assert_str_eq(text_at(table, i, "protocol"), rows[i].protocol);
		ck_assert_str_eq(text_at(table, i, "cause"), rows[i].cause);
		ck_assert_str_eq(text_at(table, i, "counters"), rows[i].counters);
		ck_assert_uint_eq(table_u64(table, table_row(table, i), "lost"), rows[i].lost);
	}
	rig_close(&rig);
}
