/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of counters of the protocols, by their names. */
#include "suite.h"

#include "kernel/net/proc_net.h"

static const char snmp[] = "Ip: Forwarding DefaultTTL InReceives ForwDatagrams\nIp: 2 64 1000 37\n"
			   "Icmp: InMsgs\nIcmp: 5\nTcp: RtoMin MaxConn InSegs\nTcp: 200 -1 900\n";

START_TEST(counters_by_name)
{
	ck_assert_uint_eq(net_snmp_find(span_text(snmp), "Ip", "ForwDatagrams"), 37);
	ck_assert_uint_eq(net_snmp_find(span_text(snmp), "Icmp", "InMsgs"), 5);
	ck_assert_uint_eq(net_snmp_find(span_text(snmp), "Tcp", "InSegs"), 900);
}

START_TEST(counters_of_ipv6)
{
	static const char snmp6[] = "Ip6InReceives                   \t12\n"
				    "Ip6OutForwDatagrams             \t41\n"
				    "Ip6OutRequests                  \tx\nIp6Cut\n";

	ck_assert_uint_eq(net_snmp6_find(span_text(snmp6), "Ip6OutForwDatagrams"), 41);
	ck_assert_uint_eq(net_snmp6_find(span_text(snmp6), "Ip6OutRequests"), U64_UNKNOWN);
	ck_assert_uint_eq(net_snmp6_find(span_text(snmp6), "Ip6Cut"), U64_UNKNOWN);
	ck_assert_uint_eq(net_snmp6_find(span_text(snmp6), "Ip6"), U64_UNKNOWN);
}
