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
END_TEST

START_TEST(what_a_kernel_does_not_count_has_no_row)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "linux-6.1", loss_topic);
	rig_put(&rig, SNMP, "Udp: NoPorts\nUdp: 3\n");
	rig_put(&rig, NETSTAT, "TcpExt: Other\nTcpExt: 1\n");
	rig_put(&rig, SNMP6, "Ip6InHdrErrors 2\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "packet_loss")->n_rows, 3);
	ck_assert_double_eq(number(frame, "udp", "no socket has the port", "lost"), 3);
	ck_assert_double_eq(number(frame, "ip", "bad header", "lost"), 2);
	ck_assert_double_nan(number(frame, "udp", "receive buffer full", "lost"));
	ck_assert_double_nan(number(frame, "all", "dropped by sockets", "lost")); /* not 0 */
	rig_put(&rig, SNMP, "Udp: NoPorts\n");
	rig_put(&rig, SNMP6, "\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "packet_loss")->n_rows, 0);
	rig_close(&rig);
}
END_TEST
