/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of interfaces that come, go, are renamed, wrap and start again, and of the links below them. */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "kernel/net/net_dev.h"
#include "rig.h"

#define DEV "proc/net/dev"
#define LINKS "sys/class/net/"

static const char *const interface_topic[] = { "interface", NULL };

static double number(const struct frame *frame, const char *name, const char *column)
{
	return cell_f64(frame, "interface", name, column);
}

static void put_link(struct rig *rig, const char *name, const char *speed, const char *duplex)
{
	rig_put(rig, textf(LINKS "%s/speed", name), "%s\n", speed);
	rig_put(rig, textf(LINKS "%s/duplex", name), "%s\n", duplex);
	rig_put(rig, textf(LINKS "%s/type", name), "1\n");
	rig_put(rig, textf(LINKS "%s/mtu", name), "1500\n");
	rig_put(rig, textf(LINKS "%s/operstate", name), "up\n");
}

static void request_links(struct rig *rig)
{
	rig->request.batch = rig->request.recorded = true;
	sample_request_add(&rig->request, topic_find("interface")->schema, ~0UL);
}

/* As a driver that is set up again shows it: unknown once, then the rate of both intervals. */
START_TEST(an_interface_that_reads_less_once)
{
	static const struct {
		const char *bytes[4];
		uint64_t least;
	} cases[] = {
		{ { "5000000000", "5010000000", "0", "5030000000" }, 5030000000 },
		{ { "5000000000", "5010000000", "4999999999", "5030000000" }, 5030000000 },
		{ { "3000000000", "3010000000", "0", "3030000000" }, 3030000000 }, /* no wrap */
		{ { "3000000000", "3010000000", "5", "3030000000" }, 3030000000 },
		{ { "4200000000", "4210000000", "0", "4230000000" }, 4230000000 },
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool alone = i % 2; /* are packets right then? */
		const struct frame *frame = NULL;
		struct rig rig;

		rig_open(&rig, "linux-6.1", interface_topic);
		for (unsigned t = 0; t < 4; t++) {
			unsigned packets = t == 2 && !alone ? 0 : 1000 + t;
			double rate;

			rig_put(&rig, DEV, "eth0: %s %u 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n",
				cases[i / 2].bytes[t], packets);
			frame = rig_sample(&rig, 2);
			rate = number(frame, "all", "received_bits_per_second");
			ck_assert_msg(t == 0 || t == 2 ? isnan(rate) : fabs(rate - 40e6) < 1, "%zu %u: %g", i,
				      t, rate);
			ck_assert(isnan(number(frame, "eth0", "received_bits_per_second")) == isnan(rate));
			ck_assert(t != 2 ||
				  cell_u64(frame, "interface", "eth0", "received_bytes") == U64_UNKNOWN);
		}
		ck_assert_uint_eq(cell_u64(frame, "interface", "eth0", "received_bytes"), cases[i / 2].least);
		ck_assert_uint_eq(cell_u64(frame, "interface", "all", "received_bytes"), cases[i / 2].least);
		rig_close(&rig);
	}
}

/* The wire carries 24 bytes more than is counted for each frame of Ethernet. */
START_TEST(the_use_of_a_link_is_of_its_wire)
{
	static const struct {
		const char *duplex;
		double used;
	} cases[] = {
		{ "full", 10000.0 * (1226 + 24) * 8 / 1e9 },
		{ "half", (10000.0 * (1226 + 24) + 1000.0 * (76 + 24)) * 8 / 1e9 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		struct rig rig;

		rig_open(&rig, "linux-6.1", interface_topic);
		request_links(&rig);
		put_link(&rig, "eth0", "1000", cases[i].duplex);
		rig_put(&rig, DEV, "eth0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(cell_u64(frame, "interface", "eth0", "speed_bits"), 1000000000);
		ck_assert_str_eq(cell_text(frame, "interface", "eth0", "state"), "up");
		ck_assert_double_eq_tol(number(frame, "eth0", "payload_ratio"), 0.9493, 1e-4);
		rig_put(&rig, DEV, "eth0: 12260000 10000 0 0 0 0 0 0 76000 1000 0 0 0 0 0 0\n");
		frame = rig_sample(&rig, 1);
		ck_assert_double_eq_tol(number(frame, "eth0", "used_ratio"), cases[i].used, 1e-9);
		rig_close(&rig);
	}
}

START_TEST(thousands_with_any_names)
{
	const struct frame *frame;
	struct buffer text = { 0 };
	struct rig rig;

	rig_open(&rig, "linux-6.1", interface_topic);
	buffer_text(&text, "x\033[31m\xff: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n");
	for (unsigned i = 0; i < 4000; i++)
		buffer_text(&text, textf("veth%u: %u 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n", i, i));
	buffer_char(&text, '\0');
	rig_put(&rig, DEV, "%s", text.bytes);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "interface")->n_rows, 4002);
	ck_assert_uint_eq(cell_u64(frame, "interface", "veth3999", "received_bytes"), 3999);
	ck_assert_uint_eq(cell_u64(frame, "interface", "x\033[31m\xff", "sent_bytes"), 2);
	buffer_free(&text);
	rig_close(&rig);
}

/* Seen twice, a counter that falls alone was set back; two that fall began again. */
START_TEST(two_counters_that_fall_began_again)
{
	static const char *const columns[] = { "received_bytes", "received_packets", "sent_bytes",
					       "sent_packets" };

	for (unsigned fallen = 0; fallen < 16; fallen++) {
		unsigned now[4], n_fallen = 0;
		const struct frame *frame;
		struct rig rig;

		rig_open(&rig, "linux-6.1", interface_topic);
		rig_put(&rig, DEV, "eth0: 1000 1000 0 0 0 0 0 0 1000 1000 0 0 0 0 0 0\n");
		rig_sample(&rig, 1);
		for (unsigned i = 0; i < 4; i++) {
			now[i] = fallen >> i & 1 ? 10 + i : 1500 + i;
			n_fallen += fallen >> i & 1;
		}
		for (unsigned twice = 0; twice < 2; twice++) {
			rig_put(&rig, DEV, "eth0: %u %u 0 0 0 0 0 0 %u %u 0 0 0 0 0 0\n", now[0], now[1],
				now[2], now[3]);
			frame = rig_sample(&rig, 1);
		}
		for (unsigned i = 0; i < 4; i++)
			ck_assert_msg(cell_u64(frame, "interface", "eth0", columns[i]) ==
					      (n_fallen > 1      ? 1000 + now[i]
					       : fallen >> i & 1 ? 1000
								 : now[i]),
				      "%u %s", fallen, columns[i]);
		rig_close(&rig);
	}
}

/* Without a device: an end of a pair, or what has a speed; but not what lies on another one. */
START_TEST(which_links_lead_out)
{
	static const struct {
		const char *index, *link, *speed; /* NULL: no such file */
		const char *entry;                /* NULL: none more */
		bool device;                      /* of another one */
		bool leads_out;
	} cases[] = {
		{ "2", "7", NULL, NULL, false, true },
		{ "2", "2", NULL, NULL, false, false },
		{ "2", NULL, NULL, NULL, false, false },
		{ NULL, "7", NULL, NULL, false, false },
		{ "2", "2", "1000", NULL, false, true },
		{ "2", "2", "4294967295", NULL, false, false },
		{ "2", "2", "4294967294", NULL, false, true },
		{ "2", "2", "-1", NULL, false, false },
		{ "2", "7", NULL, "lower_eth0", false, false },
		{ "2", "7", NULL, "upper_br0", false, true },
		{ "2", "7", NULL, "bridge", false, false },
		{ "2", "7", NULL, "brport", false, true },
		{ "2", "7", "1000", NULL, true, false },
		{ "2", "2", NULL, "device", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig rig;

		rig_open(&rig, "empty", (const char *const[]){ NULL });
		rig_make(&rig, "proc/net");
		rig_make(&rig, LINKS "lo");
		rig_make(&rig, LINKS "x0");
		if (cases[i].index)
			rig_put(&rig, LINKS "x0/ifindex", "%s\n", cases[i].index);
		if (cases[i].link)
			rig_put(&rig, LINKS "x0/iflink", "%s\n", cases[i].link);
		if (cases[i].speed)
			rig_put(&rig, LINKS "x0/speed", "%s\n", cases[i].speed);
		if (cases[i].entry) {
			rig_make(&rig, textf(LINKS "x0/%s", cases[i].entry));
		}
		rig_make(&rig, cases[i].device ? LINKS "y0/device" : LINKS "y0");
		rig_put(&rig, DEV,
			"lo: 50 1 0 0 0 0 0 0 50 1 0 0 0 0 0 0\nx0: 1000 10 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n"
			"y0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		rig_add(&rig, "interface");
		ck_assert_msg(cell_u64(rig_sample(&rig, 1), "interface", "all", "received_bytes") ==
				      (cases[i].leads_out ? 1000 : 0),
			      "case %zu", i);
		rig_close(&rig);
	}
}

/* Interfaces that lie on others, whatever both are; all of them received 1000. */
START_TEST(one_thing_on_others_counts_once)
{
	static const struct {
		const char *names[5], *entries[8]; /* entries "NAME/ENTRY"; with "=TEXT": a file */
		unsigned received;
	} cases[] = {
		{ { "eth0", "enP1s1" },
		  { "eth0/device", "enP1s1/device", "eth0/lower_enP1s1", "enP1s1/upper_eth0" },
		  1000 },
		{ { "eth0", "enP1s1" }, { "eth0/device", "enP1s1/device", "eth0/lower_enP1s1" }, 1000 },
		{ { "enP1s1", "eth0" }, { "eth0/device", "enP1s1/device", "enP1s1/upper_eth0" }, 1000 },
		{ { "ens3", "ens3nsby", "ens4" },
		  { "ens3/device", "ens3nsby/device", "ens4/device", "ens3/lower_ens3nsby", "ens3/lower_ens4",
		    "ens4/upper_ens3" },
		  1000 },
		{ { "bond0", "eth0", "eth1" },
		  { "eth0/device", "eth1/device", "bond0/lower_eth0", "bond0/lower_eth1", "eth0/upper_bond0",
		    "eth1/upper_bond0" },
		  2000 },
		{ { "team0", "eth0", "bond0.5", "bond0" },
		  { "eth0/device", "team0/lower_eth0", "bond0/lower_team0", "bond0.5/lower_bond0" },
		  1000 },
		{ { "br0", "veth1", "eth0", "mac0" },
		  { "eth0/device", "br0/bridge", "br0/lower_eth0", "br0/lower_veth1", "eth0/upper_br0",
		    "mac0/lower_eth0" },
		  1000 },
		{ { "eth0", "lan1", "lan2" },
		  { "eth0/device", "lan1/device", "lan2/device", "lan1/lower_eth0", "lan2/lower_eth0" },
		  2000 },
		{ { "eth0", "lan1", "lan2" },
		  { "eth0/device", "lan1/device", "lan2/device", "eth0/dsa" },
		  2000 },
		{ { "eth0", "eth1", "eth2" },
		  { "eth0/device", "eth1/device", "eth2/device", "eth0/phys_port_name=p0",
		    "eth1/phys_port_name=pf0vf1", "eth2/phys_port_name=c1pf0sf88" },
		  1000 },
		{ { "eth0", "eth1" },
		  { "eth0/device", "eth1/device", "eth0/phys_port_name=p0", "eth1/phys_port_name=p1s0" },
		  2000 },
		{ { "bond0", "eth0" }, { "eth0/device", "eth0/lower_gone", "bond0/lower_eth0" }, 1000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1024] = "", path[128];
		const struct frame *frame;
		struct rig rig;

		rig_open(&rig, "empty", (const char *const[]){ NULL });
		rig_make(&rig, "proc/net");
		for (unsigned n = 0; n < 5 && cases[i].names[n]; n++) {
			snprintf(path, sizeof(path), LINKS "%s", cases[i].names[n]);
			rig_make(&rig, path);
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "%s: 1000 10 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n", cases[i].names[n]);
		}
		for (unsigned e = 0; e < 8 && cases[i].entries[e]; e++) {
			char *equals;

			snprintf(path, sizeof(path), LINKS "%s", cases[i].entries[e]);
			equals = strchr(path, '=');
			if (equals) {
				*equals = '\0';
				rig_put(&rig, path, "%s\n", equals + 1);
			} else {
				rig_make(&rig, path);
			}
		}
		rig_put(&rig, DEV, "%s", text);
		rig_add(&rig, "interface");
		frame = rig_sample(&rig, 1);
		ck_assert_msg(cell_u64(frame, "interface", "all", "received_bytes") == cases[i].received,
			      "case %zu: %lu", i,
			      (unsigned long)cell_u64(frame, "interface", "all", "received_bytes"));
		rig_close(&rig);
	}
}

static unsigned count_mtu(const struct frame *frame, unsigned mtu)
{
	const struct table *table = frame_table(frame, "interface");
	unsigned n = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		n += table_number(table, table_row(table, i), "mtu") == mtu;
	return n;
}

/* New ones at once, others sixteen in a sample. */
START_TEST(links_are_read_again_in_turns)
{
	static const unsigned counts[] = { 3, 16, 20 };
	static const unsigned again[][3] = { { 3, 3, 3 }, { 16, 16, 16 }, { 16, 20, 20 } };

	for (unsigned k = 0; k < 3; k++) {
		struct buffer text = { 0 };
		struct rig rig;

		rig_open(&rig, "empty", (const char *const[]){ NULL });
		rig_make(&rig, "proc/net");
		for (unsigned i = 0; i < counts[k]; i++) {
			rig_make(&rig, textf(LINKS "x%u", i));
			rig_put(&rig, textf(LINKS "x%u/mtu", i), "1500\n");
			buffer_text(&text, textf("x%u: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n", i));
		}
		buffer_char(&text, '\0');
		rig_put(&rig, DEV, "%s", text.bytes);
		request_links(&rig);
		rig_add(&rig, "interface");
		ck_assert_uint_eq(count_mtu(rig_sample(&rig, 1), 1500), counts[k]);
		for (unsigned i = 0; i < counts[k]; i++)
			rig_put(&rig, textf(LINKS "x%u/mtu", i), "9000\n");
		for (unsigned turn = 0; turn < 3; turn++)
			ck_assert_uint_eq(count_mtu(rig_sample(&rig, 1), 9000), again[k][turn]);
		buffer_free(&text);
		rig_close(&rig);
	}
}
