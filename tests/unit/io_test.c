/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topics disk and interface, over files of a machine with partitions, loops and a bridge. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/diskstats.h"
#include "kernel/net/net_dev.h"
#include "model/derive.h"
#include "rig.h"

static const char *const disk_topic[] = { "disk", NULL };

#define STATS "proc/diskstats"

static double disk_f64(const struct frame *frame, const char *device, const char *column)
{
	return cell_f64(frame, "disk", device, column);
}

/*
 * The file was read while it was written: "12345678" was "12" for a moment. After that, the growth of both
 * intervals is known; or what is known of it, where the counter was set back.
 */
START_TEST(a_reading_that_goes_back_is_not_counted)
{
	static const struct {
		const char *busy;
		double ratio;
	} ticks[] = { { "12345000", NAN }, { "12345100", 0.1 }, { "33", NAN },    { "12345300", 0.1 },
		      { "12345400", 0.1 }, { "100", NAN },      { "150", 0.025 }, { "250", 0.1 } };
	const struct frame *frame;
	double seconds = 0;
	struct rig rig;

	rig_open(&rig, "linux-6.1", disk_topic);
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		rig_put(&rig, STATS, "8 0 sda 100 0 800 10 100 0 800 10 0 %s 20\n", ticks[i].busy);
		frame = rig_sample(&rig, 1);
		ck_assert_int_eq(isnan(ticks[i].ratio) != 0,
				 isnan(disk_f64(frame, "sda", "busy_ratio")) != 0);
		if (isnan(ticks[i].ratio))
			continue;
		ck_assert_double_eq_tol(disk_f64(frame, "sda", "busy_ratio"), ticks[i].ratio, 1e-6);
		ck_assert_double_eq_tol(disk_f64(frame, "all", "busy_ratio"), ticks[i].ratio, 1e-6);
		ck_assert_double_ge(disk_f64(frame, "all", "busy_seconds"), seconds);
		seconds = disk_f64(frame, "all", "busy_seconds");
	}
	/* it looks like a wrap, but no device is busy for longer than it takes */
	rig_put(&rig, STATS, "8 0 sda 100 0 800 10 100 0 800 10 0 3345678900 20\n");
	rig_sample(&rig, 1);
	rig_put(&rig, STATS, "8 0 sda 100 0 800 10 100 0 800 10 0 33 20\n");
	ck_assert(isnan(disk_f64(rig_sample(&rig, 1), "sda", "busy_ratio")));
	rig_close(&rig);
}

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
		  { "nvme0c0n1/hidden=1", "nvme0c1n1/hidden=1", "nvme0n1/hidden=0" },
		  80 },
		{ "nvme0n1 0 nvme0c0n1 80", { "nvme0c0n1/hidden=1" }, 80 }, /* before Linux 6.5 */
		{ "nvme0n1 80 nvme1n1 7 nvme1n2 5 nvme1c2n2 5", { "nvme1c2n2/hidden=1" }, 92 },
		{ "nvme0c0n1 80", { "nvme0c0n1/hidden=1" }, 80 }, /* nothing else counts it */
		{ "sda 8 x0 16", { "x0/hidden=1" }, 8 },
		{ "nvme0n1 80 nvme0c0n1 9", { "nvme0c0n1/hidden=0" }, 89 },
		{ "sda 8 sdb 8 md0 16", { "md0/slaves/sda", "md0/slaves/sdb" }, 16 },
		{ "sda 8 md0 8 dm-0 8 dm-1 8",
		  { "md0/slaves/sda", "dm-0/slaves/md0", "dm-1/slaves/dm-0", "sda/holders/md0" },
		  8 },
		{ "sda 8 x0 8", { "x0/slaves/sda" }, 8 }, /* of a kind that we do not know */
		{ "sda 8 x0 8", { "x0/slaves", "x0/holders/sda" }, 16 },
		{ "sda 8 sdb 3 bcache0 9", { "bcache0/slaves/sda", "bcache0/slaves/sdb" }, 11 },
		{ "sda 8 zd0 9 zd16 9 loop0 5 zram0 6 ram0 7 drbd0 8 bcache0 9", { "zd0/slaves" }, 8 },
		{ "nbd0 8 rbd0 16 sda 32", { "nbd0/slaves", "rbd0/slaves" }, 56 },
		{ "nvme0n1 8 nvme0c0n1 8 dm-0 8",
		  { "nvme0c0n1/hidden=1", "dm-0/slaves/nvme0n1", "nvme0n1/holders/dm-0" },
		  8 },
		{ "cciss/c0d0 8 cciss/c0d1 8", { "cciss!c0d1/slaves/cciss!c0d0" }, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2048] = "", path[128], name[32];
		const struct frame *frame;
		unsigned sectors, minor = 0;
		struct rig rig;

		rig_open(&rig, "empty", (const char *const[]){ NULL });
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
		rig_add(&rig, "disk");
		frame = rig_sample(&rig, 1);
		ck_assert_msg(cell_u64(frame, "disk", "all", "read_bytes") == cases[i].sectors * 512,
			      "case %zu: %lu", i,
			      (unsigned long)cell_u64(frame, "disk", "all", "read_bytes") / 512);
		rig_close(&rig);
	}
}

/* A reading that is less for a moment is unknown; with the next one the rate is that of both intervals. */
START_TEST(a_disk_that_reads_0_once)
{
	static const unsigned sectors[] = { 1000, 1200, 0, 1600, 1800 };
	static const double rates[] = { NAN, 100, NAN, 100, 100 };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "linux-6.1", disk_topic);
	for (size_t i = 0; i < sizeof(sectors) / sizeof(sectors[0]); i++) {
		unsigned n = sectors[i];

		rig_put(&rig, STATS, "8 0 sda %u 0 %u %u %u 0 %u %u 0 %u %u\n", n, n, n, n, n, n, n, n);
		frame = rig_sample(&rig, 2);
		for (unsigned d = 0; d < 2; d++) {
			const char *device = d ? "all" : "sda";
			double rate = disk_f64(frame, device, "read_bytes_per_second");

			ck_assert_msg(isnan(rates[i]) ? isnan(rate) : fabs(rate - rates[i] * 512) < 1e-6,
				      "%zu %s: %g", i, device, rate);
			ck_assert_uint_eq(cell_u64(frame, "disk", device, "read_bytes"),
					  n == 0 ? U64_UNKNOWN : n * 512);
		}
	}
	rig_close(&rig);
}

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

