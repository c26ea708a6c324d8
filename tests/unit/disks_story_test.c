/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the disks pane says: each sentence where it is true, and where it nearly is. */
#include <config.h>

#include <math.h>

#include "core/i18n.h"
#include "pane/disks/disks_story.h"
#include "suite.h"

#define KIB 1024.0

/* With a moderate load. */
static struct disk_facts disk_named(const char *name)
{
	return (struct disk_facts){
		.device = name,
		.kind = "hdd",
		.reads = 40,
		.writes = 40,
		.read_bytes = 64 * KIB,
		.write_bytes = 64 * KIB,
		.block_bytes = 4 * KIB,
		.read_wait = 0.004,
		.write_wait = 0.004,
		.merged_ratio = 0.3,
		.queue = 0.5,
		.busy_ratio = 0.3,
	};
}

static void assert_says(const struct disk_facts *disks, size_t n_disks, const char *expected)
{
	char text[TEXT_MAX];

	ck_assert(disks_story(disks, n_disks, 0, text, sizeof(text)));
	ck_assert_str_eq(text, expected);
	ck_assert_msg(!disks_story(disks, n_disks, 1, text, sizeof(text)), "and '%s'", text);
}

static void assert_silent(const struct disk_facts *disks, size_t n_disks)
{
	char text[TEXT_MAX];

	ck_assert_msg(!disks_story(disks, n_disks, 0, text, sizeof(text)), "says '%s'", text);
	ck_assert_str_eq(text, "");
}

START_TEST(nothing_stands_out)
{
	struct disk_facts disks[] = { disk_named("sda"), disk_named("sdb") };
	struct disk_facts unknown = { .device = "sda",
				      .kind = "",
				      .reads = NAN,
				      .writes = NAN,
				      .read_bytes = NAN,
				      .write_bytes = NAN,
				      .block_bytes = NAN,
				      .read_wait = NAN,
				      .write_wait = NAN,
				      .merged_ratio = NAN,
				      .queue = NAN,
				      .busy_ratio = NAN };

	assert_silent(disks, 2);
	assert_silent(&unknown, 1);
	assert_silent(NULL, 0);
}

START_TEST(one_slow_device_of_several)
{
	struct disk_facts disks[] = { disk_named("sda"), disk_named("sdb"), disk_named("sdc") };

	disks[1].read_wait = 0.05;
	disks[1].write_wait = 0.07;
	assert_says(
		disks, 3,
		"sdb is slow: 60 ms a request; 2 others of its kind take at most 4.0 ms, at a similar or "
		"higher load.");
	assert_says(disks, 2,
		    "sdb is slow: 60 ms a request; 1 other device of its kind takes at most 4.0 ms, at a "
		    "similar "
		    "or higher load.");
	disks[1].reads = 0;
	disks[1].read_wait = NAN; /* no request, no mean */
	assert_says(
		disks, 3,
		"sdb is slow: 70 ms a request; 2 others of its kind take at most 4.0 ms, at a similar or "
		"higher load.");
}

START_TEST(slow_for_another_reason)
{
	struct disk_facts disks[] = { disk_named("sda"), disk_named("sdb") };

	disks[1].read_wait = 0.05;
	disks[1].write_wait = 0.07;
	disks[1].reads = 400; /* it has more to do */
	assert_silent(disks, 2);
	disks[1].reads = 40;
	disks[0].read_wait = disks[0].write_wait = 0.013; /* not that different */
	assert_silent(disks, 2);
	disks[0].read_wait = disks[0].write_wait = 0.004;
	disks[0].kind = "nvme"; /* another kind */
	assert_silent(disks, 2);
	disks[0].kind = "hdd";
	disks[0].reads = disks[0].writes = 1; /* too few to compare with */
	assert_silent(disks, 2);
	disks[0].reads = disks[0].writes = 40;
	disks[1].read_wait = disks[1].write_wait = 0.009; /* fast enough */
	disks[0].read_wait = disks[0].write_wait = 0.0001;
	assert_silent(disks, 2);
	assert_silent(&disks[1], 1); /* alone */
}

START_TEST(writes_smaller_than_a_block)
{
	struct disk_facts disk = disk_named("sda");

	disk.writes = 200;
	disk.write_bytes = 512;
	assert_says(&disk, 1,
		    "sda gets 200 writes/s of 512 B in the mean, smaller than its block of 4.0 KiB: it may "
		    "have to read blocks before it writes them.");
	disk.write_bytes = 4096;
	assert_silent(&disk, 1);
	disk.write_bytes = 512;
	disk.block_bytes = 512;
	assert_silent(&disk, 1);
	disk.block_bytes = NAN;
	assert_silent(&disk, 1);
	disk.block_bytes = 4096;
	disk.writes = 5; /* a few, such as those of a label */
	assert_silent(&disk, 1);
}

START_TEST(small_writes_in_random_places)
{
	struct disk_facts disk = disk_named("sda");

	disk.writes = 180;
	disk.reads = 3;
	disk.write_bytes = 5 * KIB;
	disk.merged_ratio = 0.02;
	disk.busy_ratio = 0.97;
	assert_says(
		&disk, 1,
		"sda is busy with 180 writes/s of only 5.0 KiB, 2 % merged: small writes in random places.");
	disk.busy_ratio = 0.4; /* they do not matter */
	assert_silent(&disk, 1);
	disk.busy_ratio = 0.97;
	disk.merged_ratio = 0.8; /* they are next to each other */
	assert_silent(&disk, 1);
	disk.merged_ratio = 0.02;
	disk.write_bytes = 256 * KIB;
	assert_silent(&disk, 1);
	disk.write_bytes = 5 * KIB;
	disk.reads = 500; /* reads keep it busy */
	assert_silent(&disk, 1);
	disk.reads = 3;
	disk.writes = 30;
	assert_silent(&disk, 1);
}

START_TEST(a_queue_in_software)
{
	struct disk_facts disk = disk_named("sda");

	disk.queued_wait = 0.030; /* 80 requests a second: 2.4 of them */
	disk.device_wait = 0.002; /* 0.16 */
	assert_says(&disk, 1,
		    "Requests for sda wait 30 ms in the kernel and take 2.0 ms at the device, which has "
		    "none for at least 84 % of the time: the queue is in software, such as a scheduler or "
		    "a limit.");
	disk.device_wait = 0.020; /* the device is busy: they have to wait */
	assert_silent(&disk, 1);
	disk.device_wait = 0.002;
	disk.queued_wait = 0.010; /* less than one of them waits */
	assert_silent(&disk, 1);
	disk.queued_wait = 0.500;
	disk.reads = disk.writes = 4; /* too few requests for a mean */
	assert_silent(&disk, 1);
	disk.reads = disk.writes = 40;
	disk.queued_wait = disk.device_wait = NAN; /* without BPF */
	assert_silent(&disk, 1);
}

START_TEST(who_writes_parts_of_blocks)
{
	const struct disk_facts disk = { .device = "vda", .block_bytes = 4096 };
	struct disk_user_facts user = { .command = "dd", .pid = 42, .requests = 100, .request_bytes = 512 };
	char text[TEXT_MAX];

	ck_assert(disks_user_story(&user, &disk, text, sizeof(text)));
	ck_assert_str_eq(
		text,
		"dd (42) only writes, 100/s of 512 B in the mean, smaller than the block of 4.0 KiB of vda, "
		"which may have to be read before it is written.");
	user.reads_bytes = 512; /* it reads, too: the size is of both */
	ck_assert(!disks_user_story(&user, &disk, text, sizeof(text)));
	user.reads_bytes = 0;
	user.request_bytes = 4096;
	ck_assert(!disks_user_story(&user, &disk, text, sizeof(text)));
	user.request_bytes = 512;
	user.requests = 5;
	ck_assert(!disks_user_story(&user, &disk, text, sizeof(text)));
	user.requests = NAN;
	ck_assert(!disks_user_story(&user, &disk, text, sizeof(text)));
}

START_TEST(busy_is_not_full)
{
	struct disk_facts disk = disk_named("nvme0n1");

	disk.kind = "nvme";
	disk.busy_ratio = 0.98;
	disk.queue = 1.1;
	assert_says(&disk, 1,
		    "nvme0n1 is busy 98 % of the time, with 1.1 requests in flight: it serves several at "
		    "once and "
		    "may do more.");
	disk.kind = "hdd"; /* one head */
	assert_silent(&disk, 1);
	disk.kind = "nvme";
	disk.queue = 20;
	assert_silent(&disk, 1);
	disk.queue = 1.1;
	disk.busy_ratio = 0.5;
	assert_silent(&disk, 1);
}

START_TEST(a_full_file_system)
{
	struct space_facts space = { .mount = "/var",
				     .used_ratio = 0.949,
				     .available_bytes = 3 * KIB * KIB,
				     .inodes_used_ratio = NAN,
				     .full_from = 0.95,
				     .inodes_full_from = 0.95 };
	char text[TEXT_MAX];

	ck_assert(!disks_space_story(&space, "rw", text, sizeof(text)));
	ck_assert_str_eq(text, "");
	space.used_ratio = 0.97;
	ck_assert(disks_space_story(&space, "rw", text, sizeof(text)));
	ck_assert_str_eq(text, "/var is 97 % full: 3.0 MiB are left.");
	ck_assert(!disks_space_story(&space, "ro", text, sizeof(text)));
	space.used_ratio = NAN;
	space.inodes_used_ratio = 0.96;
	ck_assert(disks_space_story(&space, "rw", text, sizeof(text)));
	ck_assert_str_eq(text, "/var hardly takes more files: 96 % of its inodes are in use.");
	space.inodes_used_ratio = 0.94;
	ck_assert(!disks_space_story(&space, "rw", text, sizeof(text)));
}
