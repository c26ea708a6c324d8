/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topic filesystem. */
#include "rig.h"

#include <dirent.h>
#include <stdatomic.h>

#include "sys/env.h"
#include "sys/helper.h"

static const char *const filesystem_topics[] = { "filesystem", NULL };

#define MOUNTS "proc/self/mountinfo"
#define ROOT "27 1 8:1 / /"

/* What is mounted, for helpers, too: blocks of 4 KiB, of which these are in use. */
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

static int look_at_space(const char *path, struct statvfs *found)
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
static uint64_t mount_at(const char *path)
{
	return strcmp(path, "/below") == 0 ? 1 : UINT64_MAX;
}

static const struct machine_calls calls = { .mount_at = mount_at, .space = look_at_space };

/* Mounts parted by ";"; without a type each is an ext4 of a disk that is written to. */
static void put_mounts(struct rig *rig, const char *mounts)
{
	char copy[1024], *rest = copy, *line;
	struct buffer text = { 0 };

	snprintf(copy, sizeof(copy), "%s", mounts);
	while ((line = strsep(&rest, ";")))
		buffer_print(&text, "%s%s\n", line + strspn(line, " "),
			     strstr(line, " - ") ? "" : " rw - ext4 /dev/sdx rw");
	buffer_char(&text, '\0');
	rig_put(rig, MOUNTS, "%s", text.bytes);
	buffer_free(&text);
}

static void open_live(struct rig *rig, const char *mounts)
{
	rig_open(rig, "linux-6.1", filesystem_topics);
	rig->env.live = true;
	rig->env.calls = &calls;
	put_mounts(rig, mounts);
	space->used_blocks = 100;
	n_asked = 0;
}

/* The mounts that have rows, and of some of them a column. */
static const char *shown(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "filesystem");
	const char *text = "";

	for (size_t i = 0; i < table->n_rows; i++)
		text = textf("%s%s%s", text, i ? ", " : "", table_text(table, table_row(table, i), "mount"));
	return text;
}

/*
 * Each file system once, by the mount that can be seen and has the shortest path; of two alike the first.
 * What has no data of its own, or is hidden by what is mounted over it, has no row.
 */
START_TEST(which_mounts_are_shown)
{
	static const struct {
		const char *mounts, *expected;
	} cases[] = {
		{ ROOT "; 30 27 0:5 / /proc rw - proc proc rw; 31 27 8:1 /etc /container/etc; 32 27 8:2 "
		       "/usr/local /local;"
		       "33 27 8:2 / /mnt/other/place; 34 27 8:2 / /usr; 35 27 8:3 / /with\\040blank",
		  "/, /usr, /with blank" },
		{ ROOT
		  "; 36 27 8:4 / /over; 37 36 8:5 / /over; 38 27 8:6 / /below; 39 27 0:40 / /none rw - tmpfs "
		  "none rw;"
		  "40 27 0:41 / /var/merged rw - overlay overlay rw; 42 27 0:43 / /run/auto rw - autofs "
		  "systemd-1 rw;"
		  "41 27 0:42 / /refused rw - fuse.sshfs host:/dir rw; 43 27 0:44 / /tmp rw - tmpfs tmpfs rw",
		  "/, /over, /refused, /tmp" },
		/* in a container the root is an overlay */
		{ "27 1 0:99 / / rw - overlay overlay rw; 30 27 8:2 / /bb; 31 27 8:2 / /aa; 32 27 8:3 /one "
		  "/ccc;"
		  "33 27 8:3 /two /c; 34 27 8:3 /three /dd; 35 27 8:4 / /e; 36 27 8:4 /one /f;"
		  "37 27 0:100 / /overlay rw - overlay overlay rw; 38 27 0:101 / /none rw - tmpfs none rw",
		  "/, /bb, /c, /e" },
		/* the shortest path leads to another one */
		{ ROOT "; 30 27 8:2 / /a; 31 27 8:2 / /long/path; 32 30 8:3 / /a", "/, /long/path, /a" },
		/* a directory above it was covered later … */
		{ ROOT "; 30 27 8:2 / /m/a; 31 27 8:2 / /long/path; 32 27 8:3 / /m", "/, /long/path, /m" },
		/* … and with it what is mounted below */
		{ ROOT "; 29 30 8:4 / /m/a/b; 30 27 8:2 / /m/a; 32 27 8:3 / /m", "/, /m" },
		/* it was mounted on the one above */
		{ ROOT "; 32 27 8:3 / /m; 30 32 8:2 / /m/a", "/, /m, /m/a" },
		/* a name that begins like the other's */
		{ ROOT "; 32 27 8:3 / /m; 30 27 8:2 / /ma", "/, /m, /ma" },
		/* the whole root: what lies on the covered one is gone, what lies on the new one is there */
		{ ROOT "; 30 27 8:2 / /a; 40 27 8:5 / /; 41 40 8:6 / /a", "/, /a" },
		{ "1 1 0:2 / / rw - rootfs rootfs rw; 27 1 8:1 / /", "/" },
		/* three of them at one place */
		{ ROOT "; 30 27 8:2 / /a; 31 30 8:3 / /a; 32 31 8:4 / /a; 33 32 8:5 / /a/b; 34 31 8:6 / /a/c",
		  "/, /a, /a/b" },
		/* that lie on each other, as no kernel says */
		{ ROOT "; 30 31 8:2 / /a; 31 30 8:3 / /b", "/, /a, /b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig rig;

		open_live(&rig, cases[i].mounts);
		ck_assert_str_eq(shown(rig_sample(&rig, 1)), cases[i].expected);
		rig_close(&rig);
	}
}

START_TEST(space_and_inodes)
{
	const struct frame *frame;
	struct rig rig;

	open_live(
		&rig, ROOT
		"; 28 27 0:50 / /subvolumes rw - btrfs /dev/sdb ro; 29 27 8:9 / /full;"
		"31 27 8:9 / /elsewhere; 30 27 8:10 / /refused; 32 27 8:11 / /sizeless; 33 27 8:12 / /huge");
	frame = rig_sample(&rig, 1);
	check_row(frame, "filesystem",
		  "mount=/ device=/dev/sdx type=ext4 mode=rw total_bytes=4096000 used_bytes=409600 "
		  "available_bytes=3481600 used_ratio=0.1052631579 inodes_total=200 inodes_used=20 "
		  "inodes_used_ratio=0.1 age_seconds=0");
	check_row(
		frame, "filesystem",
		"mount=/subvolumes device=/dev/sdb type=btrfs mode=ro total_bytes=4096000 used_bytes=409600 "
		"available_bytes=3481600 used_ratio=0.1052631579 age_seconds=0");
	check_row(frame, "filesystem",
		  "mount=/full device=/dev/sdx type=ext4 mode=rw total_bytes=4096000 used_bytes=409600 "
		  "available_bytes=0 used_ratio=1 inodes_total=200 inodes_used=20 inodes_used_ratio=0.1 "
		  "age_seconds=0");
	check_row(frame, "filesystem", "mount=/refused device=/dev/sdx type=ext4 mode=rw age_seconds=0");
	check_row(frame, "filesystem",
		  "mount=/sizeless device=/dev/sdx type=ext4 mode=rw total_bytes=65536000 used_bytes=6553600 "
		  "available_bytes=55705600 used_ratio=0.1052631579 inodes_total=200 inodes_used=20 "
		  "inodes_used_ratio=0.1 age_seconds=0");
	/* of more than 64 bits */
	check_row(frame, "filesystem",
		  "mount=/huge device=/dev/sdx type=ext4 mode=rw used_bytes=0 inodes_total=200 "
		  "inodes_used=20 inodes_used_ratio=0.1 age_seconds=0");
	rig_close(&rig);
}

/* What is full as it was made, or cannot be written to by any mount, cannot fill up. */
START_TEST(what_cannot_fill_up)
{
	static const struct {
		const char *mounts, *mode;
	} cases[] = {
		{ "30 27 8:2 / /x", "rw" },
		{ "30 27 8:2 / /x rw,rota - ext4 /dev/sdb rw", "rw" },
		{ "30 27 8:2 / /x rw - ext4 /dev/sdb ro", "ro" },
		{ "30 27 8:2 / /x ro - ext4 /dev/sdb rw", "ro" },
		{ "30 27 8:2 / /x ro - ext4 /dev/sdb rw; 31 27 8:2 /d /other", "rw" },
		{ "31 27 8:2 /d /e; 30 27 8:2 / /x ro - ext4 /dev/sdb rw", "rw" },
		{ "30 27 8:2 / /x ro,relatime - ext4 /dev/sdb rw; 31 27 8:2 / /xx ro - ext4 /dev/sdb rw",
		  "ro" },
		{ "30 27 7:0 / /x rw - squashfs /dev/loop0 rw", "ro" },
		{ "30 27 11:0 / /x rw - iso9660 /dev/sr0 rw", "ro" },
		{ "30 27 0:9 / /x rw - fuse.squashfuse squashfuse rw", "ro" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig rig;

		open_live(&rig, textf(ROOT ";%s", cases[i].mounts));
		ck_assert_msg(strcmp(cell_text(rig_sample(&rig, 1), "filesystem", "/x", "mode"),
				     cases[i].mode) == 0,
			      "%s is not %s", cases[i].mounts, cases[i].mode);
		rig_close(&rig);
	}
}

/* Those that have a device or a server; their space here would be that of this machine. */
START_TEST(of_another_root_only_the_mounts_are_known)
{
	const struct frame *frame;
	struct rig rig;

	open_live(&rig,
		  ROOT "; 30 27 0:50 / /server rw - fuse.sshfs host:directory rw;"
		       "31 27 0:51 / /tmp rw - tmpfs tmpfs rw; 32 27 0:52 / /disk rw - fuseblk /dev/sdb rw");
	rig.env.live = false;
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(shown(frame), "/, /server, /disk");
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

/* In bytes per second, and when that fills it. */
static void check_growth(const struct frame *frame, const char *mount, const char *expected)
{
	ck_assert_str_eq(textf("%s %.6g %.6g", mount,
			       cell_f64(frame, "filesystem", mount, "growth_bytes_per_second"),
			       cell_f64(frame, "filesystem", mount, "full_in_seconds")),
			 expected);
}

/* Of the last five minutes, and of one at least. */
START_TEST(steady_growth_fills_it_up)
{
	struct rig rig;

	open_live(&rig, ROOT);
	check_growth(grow(&rig, 6, 10), "/", "/ nan nan");  /* 50 s: noise */
	check_growth(grow(&rig, 1, 10), "/", "/ 4096 780"); /* 850 - 70 */
	check_growth(grow(&rig, 40, 10), "/", "/ 4096 380");
	check_growth(grow(&rig, 40, 0), "/", "/ 0 nan");
	space->used_blocks = 200;
	check_growth(grow(&rig, 1, 0), "/", "/ -5051.73 nan");
	rig_close(&rig);
}

/* Blocks in each sample, so many times, and whether that fills it. */
START_TEST(growth_that_is_not_steady_fills_nothing)
{
	static const struct {
		struct {
			unsigned samples, blocks;
		} parts[8];
		unsigned used; /* 0: 100 */
		const char *expected;
	} cases[] = {
		/* in each third of the time, by half to twice what it does on the whole */
		{ { { 9, 10 }, { 9, 10 }, { 9, 10 } }, 0, "/ 4096 580" },
		{ { { 9, 7 }, { 9, 10 }, { 9, 13 } }, 0, "/ 4096 580" },
		{ { { 9, 13 }, { 9, 10 }, { 9, 7 } }, 0, "/ 4096 580" },
		{ { { 9, 0 }, { 9, 10 }, { 9, 10 } }, 0, "/ 2730.67 nan" },
		{ { { 9, 10 }, { 9, 0 }, { 9, 10 } }, 0, "/ 2730.67 nan" },
		{ { { 9, 10 }, { 9, 10 }, { 9, 0 } }, 0, "/ 2730.67 nan" },
		{ { { 9, 2 }, { 9, 2 }, { 9, 12 } }, 0, "/ 2184.53 nan" },
		{ { { 9, 10 }, { 9, 3 }, { 9, 10 } }, 0, "/ 3140.27 nan" },
		/* one large file, which is no growth any more after five minutes */
		{ { { 20, 0 }, { 2, 100 } }, 0, "/ 3723.64 nan" },
		{ { { 40, 0 }, { 1, 75 }, { 29, 0 } }, 0, "/ 1024 nan" },
		{ { { 40, 0 }, { 1, 75 }, { 30, 0 } }, 0, "/ 0 nan" },
		/* three blocks in 300 s fill 863 in less than a day, which is the most that is told; 865 do
		   not */
		{ { { 4, 0 }, { 1, 1 }, { 9, 0 }, { 1, 1 }, { 9, 0 }, { 1, 1 }, { 5, 0 } },
		  84,
		  "/ 40.96 86300" },
		{ { { 4, 0 }, { 1, 1 }, { 9, 0 }, { 1, 1 }, { 9, 0 }, { 1, 1 }, { 5, 0 } },
		  82,
		  "/ 40.96 nan" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame = NULL;
		struct rig rig;

		open_live(&rig, ROOT);
		if (cases[i].used)
			space->used_blocks = cases[i].used;
		rig_sample(&rig, 1);
		for (unsigned part = 0; cases[i].parts[part].samples > 0; part++)
			frame = grow(&rig, cases[i].parts[part].samples, cases[i].parts[part].blocks);
		check_growth(frame, "/", cases[i].expected);
		rig_close(&rig);
	}
}

#define A "30 27 8:2 / /a"
#define B "31 27 8:3 / /b"
#define C "32 27 8:4 / /c"
#define D "33 27 8:5 / /d"

/* In any order each keeps its past; what goes is forgotten, what comes back or is mounted otherwise has none.
 */
START_TEST(mounts_that_come_and_go)
{
	static const struct {
		const char *mounts, *expected, *growing;
	} steps[] = {
		{ C ";" D ";" A ";" ROOT ";" B, "/c, /d, /a, /, /b", "/c /a / /b" },
		{ ROOT "; 30 27 8:2 / /a rw - ext4 /dev/sdb ro; 31 27 8:6 / /b; 34 27 8:4 / /c",
		  "/, /a, /b, /c", "/" },
		{ ROOT, "/", "/" },
		{ ROOT ";" B, "/, /b", "/" },
	};
	struct rig rig;

	open_live(&rig, ROOT ";" A ";" B ";" C);
	grow(&rig, 7, 10);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct frame *frame;
		const struct table *table;
		const char *growing = "";

		put_mounts(&rig, steps[i].mounts);
		frame = grow(&rig, 1, 10);
		ck_assert_str_eq(shown(frame), steps[i].expected);
		table = frame_table(frame, "filesystem");
		for (size_t row = 0; row < table->n_rows; row++)
			if (fabs(table_number(table, table_row(table, row), "growth_bytes_per_second") -
				 4096) < 1e-6)
				growing = textf("%s%s%s", growing, *growing ? " " : "",
						table_text(table, table_row(table, row), "mount"));
		ck_assert_str_eq(growing, steps[i].growing);
	}
	rig_close(&rig);
}

/* Those of the spawner, which is the only child of this process. */
static unsigned count_helpers(void)
{
	char list[4096] = "";
	unsigned pid = 0, n = 0;
	FILE *file = fopen("/proc/thread-self/children", "r");

	ck_assert(file && fscanf(file, "%u", &pid) == 1);
	fclose(file);
	file = fopen(textf("/proc/%u/task/%u/children", pid, pid), "r");
	ck_assert(file && fgets(list, sizeof(list), file));
	fclose(file);
	for (const char *at = list; *at; at++)
		n += *at == ' ';
	return n;
}

/* Ten mounts of a server that died take one helper; the last answers stand, with their age, and are told. */
static void mount_dead_server(const char *type, const char *source)
{
	const char *mounts = ROOT;
	const struct frame *frame;
	struct rig rig;
	unsigned tries = 0;

	for (unsigned i = 0; i < 10; i++)
		mounts = textf("%s;%u 27 0:%u / /dead%u rw - %s %s%u rw", mounts, 40 + i, 60 + i, i, type,
			       source, i);
	open_live(&rig, mounts);
	ck_assert_int_eq(helper_start("/"), 0);
	do
		frame = rig_sample(&rig, 2);
	while (isnan(cell_f64(frame, "filesystem", "/dead9", "age_seconds")) && ++tries < 200);
	ck_assert_uint_eq(frame_table(frame, "filesystem")->n_rows, 11);
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
