/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the network pane says: each sentence where it is true, and where it nearly is. */
#include <config.h>

#include <math.h>

#include "core/i18n.h"
#include "pane/network/network_story.h"
#include "suite.h"

/* With a moderate load. */
static struct interface_facts interface_named(const char *name)
{
	return (struct interface_facts){
		.name = name,
		.duplex = "full",
		.speed_bits = 1e9,
		.used_ratio = 0.4,
		.mtu = 1500,
		.payload_ratio = 1460.0 / 1538,
		.errors = 0,
		.received_drops = 0,
		.sent_drops = 0,
		.received_packets = 30000,
		.sent_packets = 10000,
	};
}

static void assert_says(const struct interface_facts *interface, const char *expected)
{
	char text[TEXT_MAX];

	ck_assert(network_story(interface, 1, 0, text, sizeof(text)));
	ck_assert_str_eq(text, expected);
	ck_assert_msg(!network_story(interface, 1, 1, text, sizeof(text)), "and '%s'", text);
}

static void assert_silent(const struct interface_facts *interface)
{
	char text[TEXT_MAX];

	ck_assert_msg(!network_story(interface, 1, 0, text, sizeof(text)), "says '%s'", text);
	ck_assert_str_eq(text, "");
}

START_TEST(nothing_stands_out)
{
	struct interface_facts interface = interface_named("eth0");
	struct interface_facts unknown = { "eth0", "", NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	assert_silent(&interface);
	assert_silent(&unknown);
}

START_TEST(a_full_link)
{
	struct interface_facts interface = interface_named("eth0");

	interface.used_ratio = 0.97;
	assert_says(&interface, "eth0 is full: 97 % of its 1.0 Gb/s are used in the busier direction.");
	interface.used_ratio = 0.89;
	assert_silent(&interface);
}

START_TEST(half_duplex)
{
	struct interface_facts interface = interface_named("eth0");

	interface.duplex = "half";
	interface.speed_bits = 100e6;
	assert_says(&interface, "eth0 runs half duplex at 100 Mb/s: it cannot send while it receives. Most "
				"often only one side negotiates.");
	interface.duplex = "";
	assert_silent(&interface);
}

START_TEST(errors_of_a_line)
{
	struct interface_facts interface = interface_named("eth0");

	interface.errors = 400;
	assert_says(&interface, "eth0 loses 400 packets/s to errors, 0.99 % of all: look at its cable, port "
				"and driver.");
	interface.errors = 1; /* of 40000 */
	assert_silent(&interface);
}

START_TEST(dropped_packets)
{
	struct interface_facts interface = interface_named("eth0");

	interface.received_drops = 300;
	assert_says(&interface, "eth0 drops 300 received packets/s: no protocol wants them, or there is no "
				"room.");
	interface.sent_drops = 500;
	assert_says(&interface, "eth0 drops 500 packets/s instead of sending them: its queue is full.");
	interface.received_drops = 2;
	interface.sent_drops = 0;
	assert_silent(&interface);
}

START_TEST(full_buffers_and_queues)
{
	struct socket_facts sockets = { .datagrams = 0.9, .connections = NAN };
	char text[TEXT_MAX];

	ck_assert(!network_socket_story(&sockets, 0, text, sizeof(text)));
	ck_assert_str_eq(text, "");
	sockets.connections = 12;
	ck_assert(network_socket_story(&sockets, 0, text, sizeof(text)));
	ck_assert_str_eq(text, "Listening sockets drop 12 connections/s: they are not accepted fast enough. "
			       "Listening shows whose.");
	ck_assert(!network_socket_story(&sockets, 1, text, sizeof(text)));
	sockets.datagrams = 4000;
	ck_assert(network_socket_story(&sockets, 0, text, sizeof(text)));
	ck_assert_str_eq(text, "UDP sockets drop 4.0k datagrams/s: their receive buffers are full. Listening "
			       "shows whose.");
	ck_assert(network_socket_story(&sockets, 1, text, sizeof(text)));
	ck_assert(!network_socket_story(&sockets, 2, text, sizeof(text)));
}

START_TEST(the_ceiling_of_the_wire)
{
	struct interface_facts interface = interface_named("eth0");
	char text[TEXT_MAX];

	ck_assert(network_ceiling(&interface, text, sizeof(text)));
	ck_assert_str_eq(text, "eth0: 94.9 % of the wire is payload at most (TCP, MTU 1500): 949 Mb/s of 1.0 "
			       "Gb/s.");
	interface.speed_bits = NAN;
	ck_assert(network_ceiling(&interface, text, sizeof(text)));
	ck_assert_str_eq(text, "eth0: 94.9 % of the wire is payload at most (TCP, MTU 1500).");
	interface.payload_ratio = NAN;
	ck_assert(!network_ceiling(&interface, text, sizeof(text)));
}
