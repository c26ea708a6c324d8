/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topic disk: which of the devices that lie on each other count. */
#include "rig.h"

#define STATS "proc/diskstats"

/* What lies on what: the kernel says it, else the name. The disks that count, and what they read in all. */
START_TEST(one_thing_is_counted_once)
{
	static const struct {
		const char *stats;    /* NAME SECTORS … */
		const char *files[6]; /* directories, or files with "=TEXT" */
		unsigned sectors;
	} cases[] = {
		{ "nvme0n1 80 nvme0c0n1 80", { "nvme0c0n1/hidden=1", "nvme0n1/hidden=0" }, 80 },
		{ "nvme0n1 80 nvme0c0n1 80", { NULL }, 80 },
		{ "nvme0c0n1 30 nvme0c1n1 50 nvme0n1 80",
		  { "nvme0c0n1/hidden=1", "nvme0c1n1/hidden=1", "nvme0n1/hidden=0" }, 80 },
		{ "nvme0n1 0 nvme0c0n1 80", { "nvme0c0n1/hidden=1" }, 80 }, /* before Linux 6.5 */
		{ "nvme0n1 80 nvme1n1 7 nvme1n2 5 nvme1c2n2 5", { "nvme1c2n2/hidden=1" }, 92 },
		{ "nvme0c0n1 80", { "nvme0c0n1/hidden=1" }, 80 }, /* nothing else counts it */
		{ "sda 8 x0 16", { "x0/hidden=1" }, 8 },
		{ "nvme0n1 80 nvme0c0n1 9", { "nvme0c0n1/hidden=0" }, 89 },
		{ "sda 8 sdb 8 md0 16", { "md0/slaves/sda", "md0/slaves/sdb" }, 16 },
		{ "sda 8 md0 8 dm-0 8 dm-1 8",
		  { "md0/slaves/sda", "dm-0/slaves/md0", "dm-1/slaves/dm-0", "sda/holders/md0" }, 8 },
		{ "sda 8 x0 8", { "x0/slaves/sda" }, 8 }, /* of a kind that we do not know */
		{ "sda 8 x0 8", { "x0/slaves", "x0/holders/sda" }, 16 },
		{ "sda 8 sdb 3 bcache0 9", { "bcache0/slaves/sda", "bcache0/slaves/sdb" }, 11 },
		{ "sda 8 zd0 9 zd16 9 loop0 5 zram0 6 ram0 7 drbd0 8 bcache0 9", { "zd0/slaves" }, 8 },
		{ "nbd0 8 rbd0 16 sda 32", { "nbd0/slaves", "rbd0/slaves" }, 56 },
		{ "nvme0n1 8 nvme0c0n1 8 dm-0 8",
		  { "nvme0c0n1/hidden=1", "dm-0/slaves/nvme0n1", "nvme0n1/holders/dm-0" }, 8 },
		{ "cciss/c0d0 8 cciss/c0d1 8", { "cciss!c0d1/slaves/cciss!c0d0" }, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2048] = "", path[128], name[32];
		const struct frame *frame;
		unsigned sectors, minor = 0;
		struct rig rig;

		rig_open(&rig, "empty", TOPICS("disk"));
		rig_make(&rig, "proc");
		for (size_t f = 0; f < 6 && cases[i].files[f]; f++) {
			char *equals;

			snprintf(path, sizeof(path), "sys/block/%s", cases[i].files[f]);
			equals = strchr(path, '=');
			if (!equals) {
				rig_make(&rig, path);
				continue;
			}
			*strrchr(path, '/') = '\0';
			rig_make(&rig, path);
			path[strlen(path)] = '/';
			*equals = '\0';
			rig_put(&rig, path, "%s\n", equals + 1);
		}
		for (const char *at = cases[i].stats; sscanf(at, "%31s %u", name, &sectors) == 2; minor++) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "8 %u %s %u 0 %u 0 0 0 0 0 0 0 0\n", minor, name, sectors, sectors);
			at = strchr(at, ' ') + 1;
			at += strcspn(at, " ");
			at += *at == ' ';
		}
		rig_put(&rig, STATS, "%s", text);
		frame = rig_sample(&rig, 1);
		ck_assert_msg(cell_u64(frame, "disk", "all", "read_bytes") == cases[i].sectors * 512,
			      "case %zu: %lu", i,
			      (unsigned long)cell_u64(frame, "disk", "all", "read_bytes") / 512);
		rig_close(&rig);
	}
}
