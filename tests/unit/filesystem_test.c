/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topic filesystem. This program has its own statvfs() and statx(): a machine of its own. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernel/mountinfo.h"
#include "rig.h"
#include "sys/helper.h"

static const char *const filesystem_topics[] = { "filesystem", NULL };

#define MOUNTS "proc/self/mountinfo"
#define ROOT "27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"

/* What statvfs() answers: blocks of 4 KiB, of which these are in use. */
/* For helpers, too. */
static struct {
	_Atomic uint64_t used_blocks;
	_Atomic bool hangs; /* below /dead */
} *space;

static void __attribute__((constructor)) share_space(void)
{
	space = mmap(NULL, sizeof(*space), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	space->used_blocks = 100;
}
static _Atomic unsigned n_asked;

#define BLOCKS 1000
#define RESERVED 50 /* for root */
#define FILES 200

int statvfs(const char *path, struct statvfs *found)
{
	n_asked++;
	while (strncmp(path, "/dead", 5) == 0 && space->hangs)
		usleep(1000);
	if (strcmp(path, "/refused") == 0) {
		errno = EACCES;
		return -1;
	}
	*found = (struct statvfs){ .f_bsize = 65536,
				   .f_frsize = 4096,
				   .f_blocks = BLOCKS,
				   .f_bfree = BLOCKS - space->used_blocks,
				   .f_bavail = BLOCKS - space->used_blocks - RESERVED,
				   .f_files = FILES,
				   .f_ffree = FILES - 20,
				   .f_favail = FILES - 20 };
	if (strcmp(path, "/none") == 0)
		found->f_blocks = found->f_bfree = found->f_bavail = 0;
	if (strcmp(path, "/subvolumes") == 0)
		found->f_files = found->f_ffree = found->f_favail = 0;
	if (strcmp(path, "/full") == 0)
		found->f_bavail = (fsblkcnt_t)-RESERVED;
	if (strcmp(path, "/sizeless") == 0)
		found->f_frsize = 0;
	if (strcmp(path, "/huge") == 0)
		found->f_blocks = found->f_bfree = found->f_bavail = UINT64_MAX / 2;
	return 0;
}

/* "/below" is hidden by what is mounted on a directory above it. */
int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict found)
{
	(void)directory;
	(void)flags;
	*found = (struct statx){ 0 };
	if (strcmp(path, "/below") != 0)
		return -1;
	found->stx_mask = mask;
	found->stx_mnt_id = 1;
	return 0;
}

static void open_live(struct rig *rig, const char *mounts)
{
	rig_open(rig, "linux-6.1", filesystem_topics);
	rig->env.live = true;
	rig_make(rig, "proc/self");
	rig_put(rig, MOUNTS, "%s", mounts);
	space->used_blocks = 100;
	n_asked = 0;
}

static const struct table *filesystems(const struct frame *frame)
{
	return frame_table(frame, "filesystem");
}

static void check_mounts(const struct frame *frame, const char *const *expected)
{
	const struct table *table = filesystems(frame);
	size_t i;

	for (i = 0; i < table->n_rows && expected[i]; i++)
		ck_assert_str_eq(table_text(table, table_row(table, i), "mount"), expected[i]);
	ck_assert_uint_eq(i, table->n_rows);
	ck_assert_ptr_null(expected[i]);
}

START_TEST(lines_of_mountinfo)
{
	struct span text =
		span_text("36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw\n"
			  "no line\n"
			  "37 35 0:4294967295 / /a ro - tmpfs none rw\n"
			  "38 35 8:1 / /b rw,rota - ext4 /dev/sda1 ro,x\n"
			  "39 35 8:1 / /c rw shared:1 ext4 /dev/sda1 rw\n");
	struct mount_info info;
	char *point;

	ck_assert(mountinfo_next(&text, &info));
	ck_assert_uint_eq(info.id, 36);
	ck_assert_uint_eq(info.parent, 35);
	ck_assert(info.is_written);
	ck_assert_uint_eq(info.device, UINT64_C(98) << 32);
	ck_assert(span_is(info.root, "/mnt1") && span_is(info.type, "ext3"));
	ck_assert(span_is(info.source, "/dev/root") && !info.read_only);
	point = mountinfo_text(info.point);
	ck_assert_str_eq(point, "/mnt 2");
	free(point);
	ck_assert(mountinfo_next(&text, &info));
	/* it can fill up by another mount */
	ck_assert(info.device == UINT32_MAX && !info.read_only && !info.is_written);
	ck_assert(mountinfo_next(&text, &info));
	ck_assert(info.read_only && !info.is_written);
	ck_assert(!mountinfo_next(&text, &info)); /* the last line has no dash */
}

START_TEST(escapes_of_mountinfo)
{
	static const struct {
		const char *escaped, *text;
	} cases[] = {
		{ "/a\\040b\\011c\\012d\\134e\\043", "/a b\tc\nd\\e#" },
		{ "/a\\04", "/a\\04" },
		{ "/a\\089", "/a\\089" },
		{ "/a\\000b", "/a\\000b" },
		{ "/a\\777", "/a\\777" },
		{ "/\\303\\244", "/\303\244" },
		{ "\\", "\\" },
		{ "\\377\\400", "\377\\400" }, /* the largest byte, and one more */
		{ "\\1770\\001", "\1770\001" },
		{ "\\/00\\0/0\\00/", "\\/00\\0/0\\00/" },
		{ "\\\\040", "\\ " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = mountinfo_text(span_text(cases[i].escaped));

		ck_assert_str_eq(text, cases[i].text);
		free(text);
	}
}

START_TEST(each_file_system_once_and_none_without_data)
{
	static const char *const expected[] = {
		"/", "/usr", "/with blank", "/over", "/refused", "/tmp", NULL
	};
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT "30 27 0:5 / /proc rw - proc proc rw\n"
			     "31 27 8:1 /etc /container/etc rw - ext4 /dev/sda1 rw\n"
			     "32 27 8:2 /usr/local /local rw - ext4 /dev/sda2 rw\n"
			     "33 27 8:2 / /mnt/other/place rw - ext4 /dev/sda2 rw\n"
			     "34 27 8:2 / /usr rw - ext4 /dev/sda2 rw\n"
			     "35 27 8:3 / /with\\040blank rw - xfs /dev/sda3 rw\n"
			     "36 27 8:4 / /over rw - ext4 /dev/sda4 rw\n"
			     "37 36 8:5 / /over rw - ext4 /dev/sda5 rw\n"
			     "38 27 8:6 / /below rw - ext4 /dev/sda6 rw\n"
			     "39 27 0:40 / /none rw - tmpfs none rw\n"
			     "40 27 0:41 / /var/merged rw - overlay overlay rw\n"
			     "41 27 0:42 / /refused rw - fuse.sshfs host:/dir rw\n"
			     "42 27 0:43 / /run/auto rw - autofs systemd-1 rw\n"
			     "43 27 0:44 / /tmp rw - tmpfs tmpfs rw\n");
	frame = rig_sample(&rig, 1);
	check_mounts(frame, expected);
	ck_assert_str_eq(cell_text(frame, "filesystem", "/over", "device"), "/dev/sda5");
	rig_close(&rig);
}

START_TEST(space_and_inodes)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT "28 27 0:50 / /subvolumes rw - btrfs /dev/sdb ro\n"
			     "29 27 8:9 / /full ro - ext4 /dev/sdc rw\n"
			     "31 27 8:9 / /elsewhere rw - ext4 /dev/sdc rw\n"
			     "30 27 8:10 / /refused rw - ext4 /dev/sdd rw\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "total_bytes"), BLOCKS * 4096);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "used_bytes"), 100 * 4096);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "available_bytes"), 850 * 4096);
	ck_assert_double_eq_tol(cell_f64(frame, "filesystem", "/", "used_ratio"), 100.0 / 950, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "inodes_total"), FILES);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "inodes_used"), 20);
	ck_assert_double_eq_tol(cell_f64(frame, "filesystem", "/", "inodes_used_ratio"), 0.1, 1e-9);
	ck_assert_str_eq(cell_text(frame, "filesystem", "/", "mode"), "rw");
	ck_assert_str_eq(cell_text(frame, "filesystem", "/subvolumes", "mode"), "ro");
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/subvolumes", "inodes_total"), U64_UNKNOWN);
	ck_assert_str_eq(cell_text(frame, "filesystem", "/full", "mode"), "rw");
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/full", "available_bytes"), 0);
	ck_assert_double_eq(cell_f64(frame, "filesystem", "/full", "used_ratio"), 1);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/refused", "total_bytes"), U64_UNKNOWN);
	ck_assert(isnan(cell_f64(frame, "filesystem", "/refused", "used_ratio")));
	rig_close(&rig);
}

static void check_space(const struct frame *frame, const char *mount, uint64_t total, uint64_t used,
			uint64_t available)
{
	ck_assert_uint_eq(cell_u64(frame, "filesystem", mount, "total_bytes"), total);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", mount, "used_bytes"), used);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", mount, "available_bytes"), available);
}

START_TEST(sizes_of_blocks)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT "28 27 8:9 / /sizeless rw - ext4 /dev/sdb rw\n"
			     "29 27 8:10 / /huge rw - ext4 /dev/sdc rw\n");
	frame = rig_sample(&rig, 1);
	check_space(frame, "/sizeless", BLOCKS * 65536, 100 * 65536, 850 * 65536);
	check_space(frame, "/huge", U64_UNKNOWN, 0, U64_UNKNOWN); /* of more than 64 bits */
	rig_close(&rig);
}

/* Of two that show all of it at paths of one length, the first; in a container the root is an overlay. */
START_TEST(which_mount_of_a_file_system)
{
	static const char *const expected[] = { "/", "/bb", "/c", "/e", NULL };
	struct rig rig;

	open_live(&rig, "27 1 0:99 / / rw - overlay overlay rw\n"
			"30 27 8:2 / /bb rw - ext4 /dev/sdb rw\n"
			"31 27 8:2 / /aa rw - ext4 /dev/sdb rw\n"
			"32 27 8:3 /one /ccc rw - ext4 /dev/sdc rw\n"
			"33 27 8:3 /two /c rw - ext4 /dev/sdc rw\n"
			"34 27 8:3 /three /dd rw - ext4 /dev/sdc rw\n"
			"35 27 8:4 / /e rw - ext4 /dev/sdd rw\n"
			"36 27 8:4 /one /f rw - ext4 /dev/sdd rw\n"
			"37 27 0:100 / /overlay rw - overlay overlay rw\n"
			"38 27 0:101 / /none rw - tmpfs none rw\n");
	check_mounts(rig_sample(&rig, 1), expected);
	rig_close(&rig);
}

/* Mounts that later ones cover are none of those to choose from. */
START_TEST(mounts_that_can_be_seen)
{
	static const struct {
		const char *mounts, *expected[5];
	} cases[] = {
		/* the shortest path leads to another one */
		{ "30 27 8:2 / /a rw - ext4 /dev/sdb rw\n31 27 8:2 / /long/path rw - ext4 /dev/sdb rw\n"
		  "32 30 8:3 / /a rw - ext4 /dev/sdc rw\n",
		  { "/", "/long/path", "/a", NULL } },
		/* a directory above it was covered later … */
		{ "30 27 8:2 / /m/a rw - ext4 /dev/sdb rw\n31 27 8:2 / /long/path rw - ext4 /dev/sdb rw\n"
		  "32 27 8:3 / /m rw - ext4 /dev/sdc rw\n",
		  { "/", "/long/path", "/m", NULL } },
		/* … and with it what is mounted below */
		{ "29 30 8:4 / /m/a/b rw - ext4 /dev/sdd rw\n30 27 8:2 / /m/a rw - ext4 /dev/sdb rw\n"
		  "32 27 8:3 / /m rw - ext4 /dev/sdc rw\n",
		  { "/", "/m", NULL } },
		/* it was mounted on the one above */
		{ "32 27 8:3 / /m rw - ext4 /dev/sdc rw\n30 32 8:2 / /m/a rw - ext4 /dev/sdb rw\n",
		  { "/", "/m", "/m/a", NULL } },
		/* a name that begins like the other's */
		{ "32 27 8:3 / /m rw - ext4 /dev/sdc rw\n30 27 8:2 / /ma rw - ext4 /dev/sdb rw\n",
		  { "/", "/m", "/ma", NULL } },
		/* the whole root: what lies on the covered one is gone, what lies on the new one is there */
		{ "30 27 8:2 / /a rw - ext4 /dev/sdb rw\n40 27 8:5 / / rw - xfs /dev/sde rw\n"
		  "41 40 8:6 / /a rw - ext4 /dev/sdf rw\n",
		  { "/", "/a", NULL } },
		/* three of them at one place */
		{ "30 27 8:2 / /a rw - ext4 /dev/sdb rw\n31 30 8:3 / /a rw - ext4 /dev/sdc rw\n"
		  "32 31 8:4 / /a rw - ext4 /dev/sdd rw\n33 32 8:5 / /a/b rw - ext4 /dev/sde rw\n"
		  "34 31 8:6 / /a/c rw - ext4 /dev/sdf rw\n",
		  { "/", "/a", "/a/b", NULL } },
		/* that lie on each other, as no kernel says */
		{ "30 31 8:2 / /a rw - ext4 /dev/sdb rw\n31 30 8:3 / /b rw - ext4 /dev/sdc rw\n",
		  { "/", "/a", "/b", NULL } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1024] = ROOT;
		struct rig rig;

		strcat(text, cases[i].mounts);
		open_live(&rig, text);
		check_mounts(rig_sample(&rig, 1), cases[i].expected);
		rig_close(&rig);
	}
	{
		struct rig rig;

		open_live(&rig, "1 1 0:2 / / rw - rootfs rootfs rw\n27 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
		ck_assert_str_eq(cell_text(rig_sample(&rig, 1), "filesystem", "/", "type"), "ext4");
		rig_close(&rig);
	}
}

/* What is full as it was made, or cannot be written to by any mount, cannot fill up. */
START_TEST(what_cannot_fill_up)
{
	static const struct {
		const char *mounts, *mode;
	} cases[] = {
		{ "30 27 8:2 / /x rw - ext4 /dev/sdb rw\n", "rw" },
		{ "30 27 8:2 / /x rw - ext4 /dev/sdb ro\n", "ro" },
		{ "30 27 8:2 / /x ro - ext4 /dev/sdb rw\n", "ro" },
		{ "30 27 8:2 / /x ro - ext4 /dev/sdb rw\n31 27 8:2 /d /other rw - ext4 /dev/sdb rw\n",
		  "rw" },
		{ "31 27 8:2 /d /e rw - ext4 /dev/sdb rw\n30 27 8:2 / /x ro - ext4 /dev/sdb rw\n", "rw" },
		{ "30 27 8:2 / /x ro,relatime - ext4 /dev/sdb rw\n31 27 8:2 / /xx ro - ext4 /dev/sdb rw\n",
		  "ro" },
		{ "30 27 7:0 / /x rw - squashfs /dev/loop0 rw\n", "ro" },
		{ "30 27 11:0 / /x rw - iso9660 /dev/sr0 rw\n", "ro" },
		{ "30 27 0:9 / /x rw - fuse.squashfuse squashfuse rw\n", "ro" },
		{ "30 27 8:2 / /x rw,rota - ext4 /dev/sdb rw\n", "rw" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1024] = ROOT;
		struct rig rig;

		strcat(text, cases[i].mounts);
		open_live(&rig, text);
		ck_assert_msg(strcmp(cell_text(rig_sample(&rig, 1), "filesystem", "/x", "mode"),
				     cases[i].mode) == 0,
			      "case %zu", i);
		rig_close(&rig);
	}
}

/* Without an answer, those that have a device or a server. */
START_TEST(which_mounts_of_another_root)
{
	static const char *const expected[] = { "/", "/server", "/disk", NULL };
	struct rig rig;

	open_live(&rig, ROOT "30 27 0:50 / /server rw - fuse.sshfs host:directory rw\n"
			     "31 27 0:51 / /tmp rw - tmpfs tmpfs rw\n"
			     "32 27 0:52 / /disk rw - fuseblk /dev/sdb rw\n");
	rig.env.live = false;
	check_mounts(rig_sample(&rig, 1), expected);
	rig_close(&rig);
}

/* Of another root only the list is known; statvfs() there would be about this machine. */
START_TEST(space_of_another_root_is_unknown)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT);
	rig.env.live = false;
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(cell_text(frame, "filesystem", "/", "type"), "ext4");
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "used_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(n_asked, 0);
	rig_close(&rig);
}

START_TEST(asked_every_two_seconds)
{
	struct rig rig;

	open_live(&rig, ROOT);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 8; i++)
		rig_sample(&rig, 0.5);
	ck_assert_uint_eq(n_asked, 3);
	ck_assert_double_eq(cell_f64(rig_sample(&rig, 0.5), "filesystem", "/", "age_seconds"), 0.5);
	rig_close(&rig);
}

/* So many samples of 10 s, before each of which so many blocks are written. */
static const struct frame *grow(struct rig *rig, unsigned n_samples, unsigned blocks)
{
	const struct frame *frame = NULL;

	for (unsigned i = 0; i < n_samples; i++) {
		space->used_blocks += blocks;
		frame = rig_sample(rig, 10);
	}
	return frame;
}

static double growth(const struct frame *frame)
{
	return cell_f64(frame, "filesystem", "/", "growth_bytes_per_second");
}

static double full_in(const struct frame *frame)
{
	return cell_f64(frame, "filesystem", "/", "full_in_seconds");
}

START_TEST(steady_growth_fills_it_up)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT);
	ck_assert(isnan(growth(grow(&rig, 6, 10)))); /* 50 s: noise */
	frame = grow(&rig, 1, 10);
	ck_assert_double_eq_tol(growth(frame), 4096, 1e-6);
	ck_assert_double_eq_tol(full_in(frame), 850 - 70, 1e-6);
	frame = grow(&rig, 40, 10); /* the past is five minutes */
	ck_assert_double_eq_tol(growth(frame), 4096, 1e-6);
	ck_assert_double_eq_tol(full_in(frame), 850 - 470, 1e-6);
	rig_close(&rig);
}

/* A file that was written more than five minutes ago is no growth any more. */
START_TEST(growth_is_that_of_five_minutes)
{
	struct rig rig;

	open_live(&rig, ROOT);
	grow(&rig, 40, 0);
	grow(&rig, 1, 75);
	ck_assert_double_eq_tol(growth(grow(&rig, 29, 0)), 75 * 4096 / 300.0, 1e-6);
	ck_assert_double_eq(growth(grow(&rig, 1, 0)), 0);
	rig_close(&rig);
}

START_TEST(growth_that_is_not_steady_fills_nothing)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT);
	grow(&rig, 20, 0);
	frame = grow(&rig, 2, 100); /* one large file */
	ck_assert_double_gt(growth(frame), 0);
	ck_assert(isnan(full_in(frame)));
	frame = grow(&rig, 40, 0);
	ck_assert_double_eq(growth(frame), 0);
	ck_assert(isnan(full_in(frame)));
	space->used_blocks = 200;
	frame = grow(&rig, 1, 0);
	ck_assert_double_lt(growth(frame), 0);
	ck_assert(isnan(full_in(frame)));
	rig_close(&rig);
}

/* It must grow in each third of the time, by half to twice what it does on the whole. */
START_TEST(growth_that_pauses_fills_nothing)
{
	static const struct {
		unsigned blocks[3];
		bool steady;
	} cases[] = {
		{ { 10, 10, 10 }, true }, { { 7, 10, 13 }, true },  { { 13, 10, 7 }, true },
		{ { 0, 10, 10 }, false }, { { 10, 0, 10 }, false }, { { 10, 10, 0 }, false },
		{ { 2, 2, 12 }, false },  { { 10, 3, 10 }, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame = NULL;
		struct rig rig;

		open_live(&rig, ROOT);
		rig_sample(&rig, 1);
		for (unsigned third = 0; third < 3; third++)
			frame = grow(&rig, 9, cases[i].blocks[third]);
		ck_assert_double_gt(growth(frame), 0);
		ck_assert_msg(isnan(full_in(frame)) == !cases[i].steady, "case %zu", i);
		rig_close(&rig);
	}
}

/* Too slow to say: 850 blocks at one block in 200 s last two days. */
START_TEST(far_away_is_unknown)
{
	struct rig rig;
	const struct frame *frame = NULL;

	open_live(&rig, ROOT);
	for (unsigned i = 0; i < 4; i++) {
		space->used_blocks++;
		for (unsigned j = 0; j < 20; j++)
			frame = rig_sample(&rig, 10);
	}
	ck_assert_double_gt(growth(frame), 0);
	ck_assert(isnan(full_in(frame)));
	rig_close(&rig);
}

/* What goes is forgotten, what stays keeps its past, and what comes back has none. */
START_TEST(mounts_that_come_and_go)
{
	static const char *const both[] = { "/", "/b", NULL }, *const one[] = { "/", NULL };
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT "30 27 8:2 / /b rw - ext4 /dev/sdb rw\n");
	check_mounts(grow(&rig, 7, 10), both);
	rig_put(&rig, MOUNTS, "%s", ROOT);
	check_mounts(grow(&rig, 1, 10), one);
	rig_put(&rig, MOUNTS, "%s", ROOT "31 27 8:2 / /b rw - ext4 /dev/sdb rw\n");
	frame = grow(&rig, 1, 10);
	check_mounts(frame, both);
	ck_assert_double_eq_tol(growth(frame), 4096, 1e-6);
	ck_assert(isnan(cell_f64(frame, "filesystem", "/b", "growth_bytes_per_second")));
	rig_close(&rig);
}

#define A "30 27 8:2 / /a rw - ext4 /dev/sdb rw\n"
#define B "31 27 8:3 / /b rw - ext4 /dev/sdc rw\n"
#define C "32 27 8:4 / /c rw - ext4 /dev/sdd rw\n"

static void check_growth(const struct frame *frame, const char *mount, double expected)
{
	double found = cell_f64(frame, "filesystem", mount, "growth_bytes_per_second");

	if (isnan(expected))
		ck_assert_msg(isnan(found), "%s: %g", mount, found);
	else
		ck_assert_double_eq_tol(found, expected, 1e-6);
}

/* Each keeps its past in any order; one that is mounted in another way is another one. */
START_TEST(mounts_in_another_order)
{
	static const char *const expected[] = { "/c", "/d", "/a", "/", "/b", NULL };
	const struct frame *frame;
	struct rig rig;

	open_live(&rig, ROOT A B C);
	grow(&rig, 7, 10);
	rig_put(&rig, MOUNTS, "%s", C "33 27 8:5 / /d rw - ext4 /dev/sde rw\n" A ROOT B);
	frame = grow(&rig, 1, 10);
	check_mounts(frame, expected);
	check_growth(frame, "/", 4096);
	check_growth(frame, "/a", 4096);
	check_growth(frame, "/b", 4096);
	check_growth(frame, "/c", 4096);
	check_growth(frame, "/d", NAN);
	rig_put(&rig, MOUNTS, "%s",
		ROOT "30 27 8:2 / /a rw - ext4 /dev/sdb ro\n"
		     "31 27 8:6 / /b rw - ext4 /dev/sdf rw\n"
		     "34 27 8:4 / /c rw - ext4 /dev/sdd rw\n");
	frame = grow(&rig, 1, 10);
	ck_assert_str_eq(cell_text(frame, "filesystem", "/a", "mode"), "ro");
	check_growth(frame, "/", 4096);
	check_growth(frame, "/a", NAN);
	check_growth(frame, "/b", NAN);
	check_growth(frame, "/c", NAN);
	rig_close(&rig);
}

/* Three blocks in 300 s, one in each third of them. */
static double full_in_a_day(unsigned used)
{
	struct rig rig;
	double seconds;

	open_live(&rig, ROOT);
	space->used_blocks = used - 3;
	rig_sample(&rig, 1);
	for (unsigned third = 0; third < 3; third++) {
		grow(&rig, 4, 0);
		grow(&rig, 1, 1);
		grow(&rig, 5, 0);
	}
	seconds = full_in(&rig.frames[rig.present]);
	rig_close(&rig);
	return seconds;
}

START_TEST(a_day_is_the_most_that_is_told)
{
	ck_assert_double_eq_tol(full_in_a_day(87), 86300, 1e-3); /* of 863 blocks */
	ck_assert(isnan(full_in_a_day(85)));                     /* of 865 */
}

/* Those of the spawner, which is the only child of this process. */
static unsigned count_helpers(void)
{
	char path[64], list[4096] = "";
	unsigned pid = 0, n = 0;
	FILE *file = fopen("/proc/thread-self/children", "r");

	ck_assert(file && fscanf(file, "%u", &pid) == 1);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", pid, pid);
	file = fopen(path, "r");
	ck_assert(file && fgets(list, sizeof(list), file));
	fclose(file);
	for (const char *at = list; *at; at++)
		n += *at == ' ';
	return n;
}

/* Ten mounts of a server that died take one helper; the last answers stand, with their age, and are told. */
static void mount_dead_server(const char *type, const char *source)
{
	char text[2048] = ROOT;
	const struct frame *frame;
	struct rig rig;
	unsigned tries = 0;

	for (unsigned i = 0; i < 10; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%u 27 0:%u / /dead%u rw - %s %s%u rw\n", 40 + i, 60 + i, i, type, source, i);
	open_live(&rig, text);
	rig.env.clock = &real_clock; /* helpers take their time */
	ck_assert_int_eq(helper_start("/"), 0);
	do
		frame = rig_sample(&rig, 2);
	while (isnan(cell_f64(frame, "filesystem", "/dead9", "age_seconds")) && ++tries < 200);
	ck_assert_uint_eq(filesystems(frame)->n_rows, 11);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/dead9", "used_bytes"), 100 * 4096);
	space->hangs = true;
	space->used_blocks = 300;
	for (unsigned i = 0; i < 6; i++)
		frame = rig_sample(&rig, 2);
	/* on a busy machine even a quick answer may be late */
	for (tries = 0; cell_u64(frame, "filesystem", "/", "used_bytes") != 300 * 4096 && tries < 200;
	     tries++)
		frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/", "used_bytes"), 300 * 4096);
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/dead0", "used_bytes"), 100 * 4096);
	ck_assert_double_ge(cell_f64(frame, "filesystem", "/dead0", "age_seconds"), 10);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(frame->notices[0].text, "does not answer"));
	ck_assert_uint_le(count_helpers(), 5); /* each of its mounts would keep one */
	space->hangs = false;
	for (tries = 0; cell_u64(frame, "filesystem", "/dead9", "used_bytes") != 300 * 4096 && tries < 1000;
	     tries++) {
		usleep(2000);
		frame = rig_sample(&rig, 2);
	}
	ck_assert_uint_eq(cell_u64(frame, "filesystem", "/dead9", "used_bytes"), 300 * 4096);
	rig_close(&rig);
	helper_stop();
}

START_TEST(a_dead_server_stops_nothing)
{
	mount_dead_server("nfs4", "server:/export");
	mount_dead_server("cifs", "//server/share");
}
