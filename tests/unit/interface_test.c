/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of many interfaces and of those that lie on others; the rest is in tests/rows/interface.txt. */
#include "rig.h"

#include "kernel/net/proc_net.h"

static struct rig rig;

#define DEV "proc/net/dev"
#define LINKS "sys/class/net/"

START_TEST(thousands_with_any_names)
{
	const struct frame *frame;
	struct buffer text = { 0 };

	rig_open(&rig, "linux-6.1", TOPICS("interface"));
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

/* Interfaces that lie on others, whatever both are; all of them received 1000. */
START_TEST(one_thing_on_others_counts_once)
{
	static const struct {
		const char *names[5], *entries[8]; /* entries "NAME/ENTRY"; with "=TEXT": a file */
		unsigned received;
	} cases[] = {
		{ { "eth0", "enP1s1" },
		  { "eth0/device", "enP1s1/device", "eth0/lower_enP1s1", "enP1s1/upper_eth0" }, 1000 },
		{ { "eth0", "enP1s1" }, { "eth0/device", "enP1s1/device", "eth0/lower_enP1s1" }, 1000 },
		{ { "enP1s1", "eth0" }, { "eth0/device", "enP1s1/device", "enP1s1/upper_eth0" }, 1000 },
		{ { "ens3", "ens3nsby", "ens4" },
		  { "ens3/device", "ens3nsby/device", "ens4/device", "ens3/lower_ens3nsby", "ens3/lower_ens4",
		    "ens4/upper_ens3" }, 1000 },
		{ { "bond0", "eth0", "eth1" },
		  { "eth0/device", "eth1/device", "bond0/lower_eth0", "bond0/lower_eth1", "eth0/upper_bond0",
		    "eth1/upper_bond0" }, 2000 },
		{ { "team0", "eth0", "bond0.5", "bond0" },
		  { "eth0/device", "team0/lower_eth0", "bond0/lower_team0", "bond0.5/lower_bond0" }, 1000 },
		{ { "br0", "veth1", "eth0", "mac0" },
		  { "eth0/device", "br0/bridge", "br0/lower_eth0", "br0/lower_veth1", "eth0/upper_br0",
		    "mac0/lower_eth0" }, 1000 },
		{ { "eth0", "lan1", "lan2" },
		  { "eth0/device", "lan1/device", "lan2/device", "lan1/lower_eth0", "lan2/lower_eth0" },
		  2000 },
		{ { "eth0", "lan1", "lan2" }, { "eth0/device", "lan1/device", "lan2/device", "eth0/dsa" },
		  2000 },
		{ { "eth0", "eth1", "eth2" },
		  { "eth0/device", "eth1/device", "eth2/device", "eth0/phys_port_name=p0",
		    "eth1/phys_port_name=pf0vf1", "eth2/phys_port_name=c1pf0sf88" }, 1000 },
		{ { "eth0", "eth1" },
		  { "eth0/device", "eth1/device", "eth0/phys_port_name=p0", "eth1/phys_port_name=p1s0" },
		  2000 },
		{ { "bond0", "eth0" }, { "eth0/device", "eth0/lower_gone", "bond0/lower_eth0" }, 1000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = "";

		rig_open(&rig, "empty", TOPICS("interface"));
		for (unsigned n = 0; n < 5 && cases[i].names[n]; n++) {
			rig_make(&rig, textf(LINKS "%s", cases[i].names[n]));
			text = textf("%s%s: 1000 10 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n", text, cases[i].names[n]);
		}
		for (unsigned e = 0; e < 8 && cases[i].entries[e]; e++) {
			const char *entry = cases[i].entries[e], *equals = strchr(entry, '=');

			if (equals)
				rig_put(&rig, textf(LINKS "%.*s", (int)(equals - entry), entry), "%s\n",
					equals + 1);
			else
				rig_make(&rig, textf(LINKS "%s", entry));
		}
		rig_put(&rig, DEV, "%s", text);
		ck_assert_msg(cell_u64(rig_sample(&rig, 1), "interface", "all", "received_bytes") ==
				      cases[i].received,
			      "case %zu", i);
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
	const char *text = "";

	rig_open(&rig, "empty", TOPICS("interface"));
	for (unsigned i = 0; i < 20; i++) {
		rig_put(&rig, textf(LINKS "x%u/mtu", i), "1500\n");
		text = textf("%sx%u: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n", text, i);
	}
	rig_put(&rig, DEV, "%s", text);
	rig.request.batch = rig.request.recorded = true;
	sample_request_add(&rig.request, topic_find("interface")->schema, ~0UL);
	ck_assert_uint_eq(count_mtu(rig_sample(&rig, 1), 1500), 20);
	for (unsigned i = 0; i < 20; i++)
		rig_put(&rig, textf(LINKS "x%u/mtu", i), "9000\n");
	ck_assert_uint_eq(count_mtu(rig_sample(&rig, 1), 9000), 16);
	ck_assert_uint_eq(count_mtu(rig_sample(&rig, 1), 9000), 20);
	rig_close(&rig);
}
