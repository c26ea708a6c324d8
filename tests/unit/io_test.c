/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topics disk and interface, over files of a machine with partitions, loops and a bridge. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "kernel/diskstats.h"
#include "kernel/net_dev.h"
#include "model/derive.h"
#include "suite.h"

static const char *const io_topics[] = { "disk", "interface", NULL };

/* The fixture two seconds apart, with rates. */
static void sample_both(struct frame *now, struct frame *before)
{
	sample_fixture(before, "linux-6.1", 0, io_topics);
	sample_fixture(now, "linux-6.1", 1, io_topics);
	frame_derive(now, before);
}

START_TEST(rates_of_disks)
{
	static const struct {
		const char *device, *column;
		double value;
	} cases[] = {
		{ "sda", "read_bytes_per_second", 524288 },
		{ "sda", "write_bytes_per_second", 2097152 },
		{ "sda", "reads_per_second", 5 },
		{ "sda", "writes_per_second", 20 },
		{ "sda", "read_wait_seconds", 0.2 },
		{ "sda", "write_wait_seconds", 0.01 },
		{ "sda", "merged_ratio", 60.0 / 110 },
		{ "sda", "queue", 1.2 },
		{ "sda", "busy_ratio", 0.5 },
		{ "nvme0n1", "busy_ratio", 0 },
		{ "dm-0", "read_bytes_per_second", 524288 },
		/* the data of dm-0 are on sda: they count once */
		{ "all", "read_bytes_per_second", 524288 },
		{ "all", "writes_per_second", 20 },
	};
	struct frame before, now;

	sample_both(&now, &before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(fabs(cell_f64(&now, "disk", cases[i].device, cases[i].column) -
				   cases[i].value) < 1e-9,
			      "%s %s", cases[i].device, cases[i].column);
	/* no request, no mean */
	ck_assert(isnan(cell_f64(&now, "disk", "nvme0n1", "read_wait_seconds")));
	frame_close(&before);
	frame_close(&now);
}
END_TEST

START_TEST(partitions_and_unused_devices_are_left_out)
{
	static const char *const expected[] = { "all", "loop0", "sda", "nvme0n1", "dm-0", "md1", "md12" };
	struct frame frame;
	const struct table *table;

	sample_fixture(&frame, "linux-6.1", 0, io_topics);
	table = frame_table(&frame, "disk");
	ck_assert_uint_eq(table->n_rows, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < table->n_rows; i++)
		ck_assert_str_eq(table_text(table, table_row(table, i), "device"), expected[i]);
	frame_close(&frame);
}
END_TEST

START_TEST(names_of_partitions)
{
	static const struct {
		const char *disk, *name;
		bool is;
	} cases[] = {
		{ "sda", "sda1", true },
		{ "sda", "sda15", true },
		{ "sda", "sdaa", false },
		{ "nvme0n1", "nvme0n1p2", true },
		{ "nvme0n1", "nvme0n10", false },
		{ "md1", "md12", false },
		{ "mmcblk0", "mmcblk0boot0", false },
		{ "mmcblk0", "mmcblk0p1", true },
		{ "", "sda1", false },
		{ "sda", "sda", false },
		{ "sda", "sda1p1", false },
		{ "nvme0n1", "nvme0n1p", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(disk_is_partition(span_text(cases[i].disk), span_text(cases[i].name)) ==
				      cases[i].is,
			      "%s %s", cases[i].disk, cases[i].name);
}
END_TEST

START_TEST(rates_of_interfaces)
{
	static const struct {
		const char *name, *column;
		double value;
	} cases[] = {
		{ "eth0", "received_bits_per_second", 1000000 },
		{ "eth0", "sent_bits_per_second", 100000 },
		{ "eth0", "received_packets_per_second", 100 },
		{ "eth0", "sent_packets_per_second", 10 },
		{ "eth0", "errors_per_second", 1 },
		{ "eth0", "drops_per_second", 5 },
		{ "lo", "received_bits_per_second", 16000 },
		{ "eth0:1", "sent_bits_per_second", 0 },
		/* only eth0 has a device */
		{ "all", "received_bits_per_second", 1000000 },
	};
	struct frame before, now;

	sample_both(&now, &before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(fabs(cell_f64(&now, "interface", cases[i].name, cases[i].column) -
				   cases[i].value) < 1e-9,
			      "%s %s", cases[i].name, cases[i].column);
	frame_close(&before);
	frame_close(&now);
}
END_TEST

/* Without sysfs nobody knows which interfaces have a device: their sum is unknown, not 0. */
START_TEST(a_sum_without_sysfs_is_unknown)
{
	struct frame frame;

	sample_fixture(&frame, "linux-6.18", 0, io_topics);
	ck_assert_uint_eq(cell_u64(&frame, "interface", "all", "received_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(cell_u64(&frame, "interface", "eth0", "received_bytes"), 1000000);
	frame_close(&frame);
}
END_TEST
