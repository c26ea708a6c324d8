/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topic disk_account: its parts add up to what the devices did. */
#include <config.h>

#include <stdio.h>

#include "rig.h"

static const char *const account_topics[] = { "disk_account", NULL };

#define PAGE 4096.0

static void put_io(struct rig *rig, unsigned pid, unsigned long read, unsigned long write)
{
	rig_put(rig, textf("proc/%u/io", pid),
		"rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: %lu\nwrite_bytes: %lu\n"
		"cancelled_write_bytes: 0\n", read, write);
}

static void put_machine(struct rig *rig, unsigned long read_sectors, unsigned long write_sectors,
			unsigned long dirtied, unsigned long written)
{
	rig_put(rig, "proc/diskstats", "8 0 sda 9 0 %lu 9 9 0 %lu 9 0 9 9\n", read_sectors, write_sectors);
	rig_put(rig, "proc/vmstat", "nr_dirtied %lu\nnr_written %lu\n", dirtied, written);
}

static void check_part(const struct frame *frame, const char *part, double read, double write)
{
	const struct table *table = frame_table(frame, "disk_account");
	const void *row = table_find(table, "all", part);

	ck_assert_ptr_nonnull(row);
	ck_assert_double_eq_tol(table_number(table, row, "read_bytes_per_second"), read, 1e-6);
	ck_assert_double_eq_tol(table_number(table, row, "write_bytes_per_second"), write, 1e-6);
}

START_TEST(parts_add_up_to_the_device)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "readers", account_topics);
	put_io(&rig, 42, 1000000, 0);
	put_io(&rig, 7, 0, 5000000);
	put_machine(&rig, 1000, 2000, 100, 50);
	rig_sample(&rig, 1);
	/* in memory: 800 pages became dirty, 300 of them were written, and 10 pages of the kernel's own */
	put_io(&rig, 42, 1000000 + 512 * 100, 0);
	put_io(&rig, 7, 0, 5000000 + 800 * 4096);
	put_machine(&rig, 1000 + 108, 2000 + 310 * 8, 100 + 800, 50 + 300);
	frame = rig_sample(&rig, 1);
	check_part(frame, "programs", 512 * 100, 800 * PAGE);
	check_part(frame, "written back", 0, (300 - 800) * PAGE);
	check_part(frame, "kernel", 512 * 8, 10 * PAGE);
	check_part(frame, "device", 512 * 108, 310 * PAGE);
	/* … the rest of them later */
	put_machine(&rig, 1000 + 108, 2000 + 810 * 8, 100 + 800, 50 + 800);
	frame = rig_sample(&rig, 1);
	check_part(frame, "programs", 0, 0);
	check_part(frame, "written back", 0, 500 * PAGE);
	check_part(frame, "kernel", 0, 0);
	check_part(frame, "device", 0, 500 * PAGE);
	rig_close(&rig);
}

/* What a process did stays counted when it exits and its parent has waited for it. */
START_TEST(a_process_that_exits)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "readers", account_topics);
	put_io(&rig, 1, 100, 0);
	put_io(&rig, 42, 4096, 0);
	put_machine(&rig, 1000, 2000, 100, 50);
	rig_sample(&rig, 1);
	rig_remove(&rig, "proc/42");
	put_io(&rig, 1, 100 + 4096 + 512, 0); /* it read 512 bytes more */
	put_machine(&rig, 1001, 2000, 100, 50);
	frame = rig_sample(&rig, 1);
	check_part(frame, "programs", 512, 0);
	check_part(frame, "kernel", 0, 0);
	rig_close(&rig);
}
