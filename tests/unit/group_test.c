/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topic group: trees of both versions, sums, groups that come and go, names of containers. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "topic/group/container_name.h"

#define CG "sys/fs/cgroup"
#define ID "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
#define MIB ((uint64_t)1024 * 1024)

/* A file of a group, by the mount, the group and the name. */
static void put(struct rig *rig, const char *place, const char *name, const char *text)
{
	rig_put(rig, textf(CG "/%s/%s", place, name), "%s", text);
}

static void put_number(struct rig *rig, const char *place, const char *name, uint64_t number)
{
	put(rig, place, name, textf("%llu\n", (unsigned long long)number));
}

static void make(struct rig *rig, const char *place)
{
	rig_make(rig, textf(CG "/%s", place));
}

static void put_machine(struct rig *rig)
{
	rig_put(rig, "proc/meminfo",
		"MemTotal: 1048576 kB\nMemFree: 524288 kB\nBuffers: 1024 kB\nCached: 2048 kB\nSwapCached: 0 "
		"kB\n"
		"AnonPages: 204800 kB\nSlab: 100 kB\nKernelStack: 10 kB\nPageTables: 10 kB\nPercpu: 8 kB\n");
	rig_put(rig, "proc/loadavg", "0.10 0.20 0.30 1/50 4000\n");
	rig_put(rig, "proc/vmstat", "workingset_refault_anon 10\nworkingset_refault_file 20\noom_kill 4\n");
	rig_put(rig, "proc/diskstats",
		"8 0 sda 1 0 1000 0 1 0 2000 0 0 0 0\n8 1 sda1 1 0 1000 0 1 0 2000 0 0 0 0\n"
		"7 0 loop0 9 0 9000 0 9 0 9000 0 0 0 0\n");
}

static void put_group_2(struct rig *rig, const char *place, uint64_t used_us, uint64_t memory)
{
	make(rig, place);
	put(rig, place, "cgroup.type", "domain\n");
	put(rig, place, "cpu.stat",
	    textf("usage_usec %llu\nnr_periods 10\nnr_throttled 0\nthrottled_usec 0\n",
	    (unsigned long long)used_us));
	put(rig, place, "cpu.max", "max 100000\n");
	put_number(rig, place, "memory.current", memory);
	put(rig, place, "memory.max", "max\n");
	put(rig, place, "memory.stat", textf("anon %llu\nfile 4096\nkernel 1024\nworkingset_refault_anon 1\n",
	    (unsigned long long)memory / 2));
	put(rig, place, "memory.events", "low 0\noom 1\noom_kill 1\n");
	put(rig, place, "memory.swap.current", "0\n");
	put(rig, place, "pids.current", "5\n");
	put(rig, place, "pids.max", "max\n");
	put(rig, place, "io.stat", "8:0 rbytes=1000 wbytes=2000 rios=1 wios=1\n7:0 rbytes=50000 wbytes=0\n");
	put(rig, place, "cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n");
	put(rig, place, "memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	put(rig, place, "io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
}

static void open_version_2(struct rig *rig)
{
	rig_open(rig, "cgroup-v2", (const char *const[]){ NULL });
	rig_remove(rig, CG);
	make(rig, "system.slice");
	put_machine(rig);
	put(rig, "", "cgroup.procs", "1\n");
	put(rig, "", "cpu.stat", "usage_usec 10000000\n");
	put_group_2(rig, "system.slice", 4000000, 64 * MIB);
	put_group_2(rig, "system.slice/ssh.service", 1000000, 16 * MIB);
	put_group_2(rig, "user.slice", 2000000, 32 * MIB);
}

static void open_topic(struct rig *rig)
{
	rig->request.batch = true;
	rig_add(rig, "group");
}

static double number(const struct frame *frame, const char *path, const char *column)
{
	const struct table *table = frame_table(frame, "group");
	const void *row = table_find(table, path, NULL);

	ck_assert_msg(row != NULL, "no row %s", path);
	return table_number(table, row, column);
}

static const char *text_at(const struct frame *frame, const char *path, const char *column)
{
	const struct table *table = frame_table(frame, "group");

	return table_text(table, table_find(table, path, NULL), column);
}

static bool has_row(const struct frame *frame, const char *path)
{
	return table_find(frame_table(frame, "group"), path, NULL) != NULL;
}

static void assert_close(double got, double wanted)
{
	ck_assert_msg(fabs(got - wanted) <= 1e-9 * fmax(1, fabs(wanted)), "%.12g is not %.12g", got, wanted);
}

/* Groups below the top and the rest are the machine. */
static void assert_closes(const struct frame *frame, const char *column)
{
	const struct table *table = frame_table(frame, "group");
	double sum = 0, machine = number(frame, "/", column);

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double value = table_number(table, row, column);

		if (strcmp(table_text(table, row, "parent"), "/") == 0 && !isnan(value))
			sum += value;
	}
	ck_assert_msg(fabs(sum - machine) <= 1e-9 * fmax(1, machine), "%s: %.12g of %.12g", column, sum,
		      machine);
}

static const char *const closing[] = { "cpu_seconds", "memory_bytes", "anonymous_bytes",
				       "file_bytes",  "kernel_bytes", "tasks",
				       NULL };

/* Groups count bytes on a disk with several paths, the file of the machine on the paths as well. */
START_TEST(bytes_of_a_disk_with_paths)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	rig_put(&rig, "proc/diskstats",
		"259:0 no line\n259 0 nvme0n1 1 0 1000 0 1 0 2000 0 0 0 0\n"
		"259 1 nvme0c0n1 1 0 1000 0 1 0 2000 0 0 0 0\n253 0 dm-0 1 0 1000 0 1 0 2000 0 0 0 0\n");
	rig_make(&rig, "sys/block/nvme0c0n1");
	rig_put(&rig, "sys/block/nvme0c0n1/hidden", "1\n");
	rig_make(&rig, "sys/block/dm-0/slaves/nvme0n1");
	put(&rig, "user.slice", "io.stat", "253:0 rbytes=300 wbytes=20\n259:0 rbytes=300 wbytes=20\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	assert_close(number(frame, "/user.slice", "read_bytes"), 300);
	assert_close(number(frame, "/", "read_bytes"), 512000);
	assert_close(number(frame, "/", "write_bytes"), 1024000);
	rig_close(&rig);
}

START_TEST(version_2)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	for (const char *const *column = closing; *column; column++)
		assert_closes(frame, *column);
	assert_close(number(frame, "(rest)", "cpu_seconds"), 4);
	assert_close(number(frame, "(rest)", "memory_bytes"), (double)(512 * MIB - 96 * MIB));
	assert_close(number(frame, "(rest)", "tasks"), 40);
	assert_close(number(frame, "(rest)", "read_bytes"), 512000 - 2000); /* sda, without loop0 */
	assert_close(number(frame, "/system.slice", "own_memory_bytes"), (double)(48 * MIB));
	assert_close(number(frame, "/system.slice/ssh.service", "anonymous_bytes"), (double)(8 * MIB));
	assert_close(number(frame, "/system.slice/ssh.service", "write_bytes"), 2000);
	assert_close(number(frame, "/system.slice/ssh.service", "oom_kills"), 1);
	ck_assert_str_eq(text_at(frame, "/system.slice/ssh.service", "kind"), "unit");
	ck_assert_str_eq(text_at(frame, "/system.slice/ssh.service", "parent"), "/system.slice");
	ck_assert(isnan(number(frame, "/user.slice", "memory_limit_bytes")));
	ck_assert(isnan(number(frame, "/user.slice", "throttled_ratio")));

	put(&rig, "", "cpu.stat", "usage_usec 13000000\n");
	put(&rig, "system.slice", "cpu.stat", "usage_usec 5500000\n");
	put(&rig, "system.slice/ssh.service", "cpu.stat",
	    "usage_usec 2000000\nnr_periods 20\nnr_throttled 4\nthrottled_usec 500000\n");
	put(&rig, "system.slice/ssh.service", "cpu.max", "50000 100000\n");
	put(&rig, "system.slice/ssh.service", "memory.max", "33554432\n");
	put(&rig, "system.slice/ssh.service", "memory.stat",
	    "anon 1\nactive_file 4194304\ninactive_file 4194304\nworkingset_refault_file 101\n");
	put(&rig, "system.slice/ssh.service", "cpu.pressure",
	    "some avg10=9.00 avg60=0.00 avg300=0.00 total=501000\n");
	put(&rig, "system.slice/ssh.service", "memory.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=200000\n");
	put(&rig, "system.slice/ssh.service", "io.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=400000\n");
	put(&rig, "system.slice/ssh.service", "io.stat", "8:0 rbytes=5000 wbytes=10000 rios=1 wios=1\n");
	put_number(&rig, "system.slice/ssh.service", "memory.swap.current", 12345);
	put_number(&rig, "system.slice/ssh.service", "pids.current", 7);
	put_number(&rig, "system.slice/ssh.service", "pids.max", 100);
	frame = rig_sample(&rig, 2);
	assert_closes(frame, "cpu_ratio");
	assert_close(number(frame, "/", "cpu_ratio"), 1.5);
	assert_close(number(frame, "(rest)", "cpu_ratio"), 0.75);
	assert_close(number(frame, "/system.slice", "cpu_ratio"), 0.75);
	assert_close(number(frame, "/system.slice", "own_cpu_ratio"), 0.25);
	assert_close(number(frame, "/system.slice/ssh.service", "cpu_ratio"), 0.5);
	assert_close(number(frame, "/user.slice", "cpu_ratio"), 0);
	assert_close(number(frame, "/system.slice/ssh.service", "throttled_ratio"), 0.4);
	assert_close(number(frame, "/system.slice/ssh.service", "cpu_limit_ratio"), 0.5);
	assert_close(number(frame, "/system.slice/ssh.service", "memory_limit_used_ratio"), 0.25);
	assert_close(number(frame, "/system.slice/ssh.service", "refaults_per_second"), 50);
	assert_close(number(frame, "/system.slice/ssh.service", "cpu_pressure_ratio"), 0.25);
	check_row(frame, "group",
		  "cpu_ratio=0.5 own_cpu_ratio=0.5 cpu_limit_ratio=0.5 throttled_ratio=0.4 "
		  "memory_bytes=16777216 own_memory_bytes=16777216 memory_limit_bytes=33554432 "
		  "memory_limit_used_ratio=0.25 anonymous_bytes=1 swap_bytes=12345 "
		  "refaults_per_second=50 read_bytes_per_second=2000 write_bytes_per_second=4000 "
		  "cpu_pressure_ratio=0.25 memory_pressure_ratio=0.1 io_pressure_ratio=0.2 oom_kills=1 "
		  "limit_oom_kills=0 all_limit_oom_kills=0 tasks=7 tasks_limit=100 age_seconds=0 kind=unit "
		  "parent=/system.slice name=ssh.service path=/system.slice/ssh.service cpu_seconds=2 "
		  "own_cpu_seconds=2 throttled_seconds=0.5 periods=20 throttled_periods=4 refaults=101 "
		  "read_bytes=5000 write_bytes=10000 cpu_stalled_seconds=0.501 memory_stalled_seconds=0.2 "
		  "io_stalled_seconds=0.4");
	rig_close(&rig);
}

#define MOUNTS_1                                                                                             \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                                  \
	"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"                                  \
	"36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"                        \
	"37 31 0:34 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"                                    \
	"38 31 0:35 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"                                \
	"39 31 0:36 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"

static void put_group_1(struct rig *rig, const char *group, uint64_t used_ns, uint64_t memory)
{
	char place[200], stat[256];

	snprintf(place, sizeof(place), "cpu,cpuacct/%s", group);
	make(rig, place);
	put_number(rig, place, "cpuacct.usage", used_ns);
	put(rig, place, "cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	put(rig, place, "cpu.cfs_quota_us", "-1\n");
	put(rig, place, "cpu.cfs_period_us", "100000\n");
	snprintf(place, sizeof(place), "memory/%s", group);
	make(rig, place);
	put_number(rig, place, "memory.usage_in_bytes", memory);
	put(rig, place, "memory.limit_in_bytes", "9223372036854771712\n");
	put(rig, place, "memory.kmem.usage_in_bytes", "2048\n");
	put(rig, place, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	snprintf(stat, sizeof(stat), "rss 1\ntotal_rss %llu\ntotal_cache 4096\n",
		 (unsigned long long)memory / 2);
	put(rig, place, "memory.stat", stat);
	snprintf(place, sizeof(place), "blkio/%s", group);
	make(rig, place);
	put(rig, place, "blkio.throttle.io_service_bytes_recursive",
	    "8:0 Read 1000\n8:0 Write 2000\nTotal 3000\n");
}

static void open_version_1(struct rig *rig)
{
	rig_open(rig, "cgroup-v1", (const char *const[]){ NULL });
	rig_remove(rig, CG);
	rig_put(rig, "proc/self/mountinfo", "%s", MOUNTS_1);
	put_machine(rig);
	put_group_1(rig, "", 10000000000, 0);
	put(rig, "cpu,cpuacct", "release_agent", "\n");
	put(rig, "memory", "release_agent", "\n");
	put(rig, "blkio", "release_agent", "\n");
	put_group_1(rig, "a", 3000000000, 64 * MIB);
	put_group_1(rig, "a/b", 2000000000, 16 * MIB);
	make(rig, "systemd/a/b");
	make(rig, "systemd/only.service");
	put(rig, "systemd", "tasks", "1\n2\n3\n");
	rig_put(rig, CG "/systemd/release_agent", "\n");
	rig_put(rig, CG "/systemd/a/tasks", "11\n");
	rig_put(rig, CG "/systemd/a/b/tasks", "12\n13\n");
	rig_put(rig, CG "/systemd/only.service/tasks", "14\n");
	make(rig, "freezer/frozen");
}

START_TEST(version_1)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_put(&rig, "proc/self/mountinfo", "%s", MOUNTS_1);
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	for (const char *const *column = closing; *column; column++)
		assert_closes(frame, *column);
	assert_close(number(frame, "/a", "tasks"), 3); /* in the hierarchy of systemd, as none counts them */
	assert_close(number(frame, "/only.service", "tasks"), 1);
	assert_close(number(frame, "(rest)", "tasks"), 46);
	assert_close(number(frame, "(rest)", "cpu_seconds"), 7);
	ck_assert_str_eq(frame_newest_notice(frame, "group")->text, /* version 1 has no pressure */
			 "CPU time of 1 group is not counted: it is not in the hierarchy cpuacct");
	assert_close(number(frame, "/a", "memory_bytes"), (double)(64 * MIB));
	assert_close(number(frame, "/a/b", "kernel_bytes"), 2048);
	assert_close(number(frame, "/a", "oom_kills"), 2); /* with that of /a/b */
	assert_close(number(frame, "(rest)", "read_bytes"), 511000);
	ck_assert(!has_row(frame, "/frozen")); /* a hierarchy without numbers */
	ck_assert(isnan(number(frame, "/only.service", "cpu_seconds")));
	ck_assert(isnan(number(frame, "/only.service", "memory_bytes")));
	put_number(&rig, "cpu,cpuacct", "cpuacct.usage", 14000000000);
	put_number(&rig, "cpu,cpuacct/a", "cpuacct.usage", 5000000000);
	put_number(&rig, "cpu,cpuacct/a/b", "cpuacct.usage", 4000000000);
	frame = rig_sample(&rig, 2);
	assert_closes(frame, "cpu_ratio");
	assert_close(number(frame, "/a/b", "cpu_ratio"), 1);
	assert_close(number(frame, "/a", "own_cpu_ratio"), 0);
	assert_close(number(frame, "(rest)", "cpu_ratio"), 1);
	rig_close(&rig);
}

struct expected {
	const char *column;
	double value; /* NaN: unknown */
};

static void check_numbers(const struct frame *frame, const char *path, const struct expected *expected)
{
	for (; expected->column; expected++) {
		double got = number(frame, path, expected->column);

		ck_assert_msg(isnan(got) ? isnan(expected->value) : fabs(got - expected->value) < 1e-6,
			      "%s of %s: %.12g", expected->column, path, got);
	}
}

#define SOME(us) "some avg10=1.00 avg60=2.00 avg300=3.00 total=" us "\n"
#define FULL "full avg10=1.00 avg60=2.00 avg300=3.00 total=7\n"

/* The top group has no files of its own for them. */
START_TEST(numbers_of_the_machine)
{
	static const struct expected expected[] = {
		{ "cpu_seconds", 10.71 },
		{ "memory_bytes", 524288 * 1024.0 },
		{ "memory_limit_bytes", NAN },
		{ "anonymous_bytes", 204800 * 1024.0 },
		{ "file_bytes", 3075 * 1024.0 },
		{ "kernel_bytes", 128 * 1024.0 },
		{ "swap_bytes", 60 * 1024.0 },
		{ "refaults", 30 },
		{ "read_bytes", 512000 },
		{ "write_bytes", 1024000 },
		{ "oom_kills", 4 },
		{ "tasks", 50 },
		{ "age_seconds", 0 },
		{ "cpu_stalled_seconds", 2.5 },
		{ "memory_stalled_seconds", 0.5 },
		{ "io_stalled_seconds", 0.25 },
		{ NULL, 0 },
	};
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	rig_put(&rig, "proc/meminfo",
		"MemTotal: 1048576 kB\nMemFree: 524288 kB\nBuffers: 1024 kB\nCached: 2048 kB\n"
		"SwapCached: 3 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\nAnonPages: 204800 kB\n"
		"Slab: 100 kB\nKernelStack: 10 kB\nPageTables: 10 kB\nPercpu: 8 kB\n");
	rig_put(&rig, "proc/stat", "cpu  1000 20 30 1000 5 6 7 8 0 0\n");
	rig_make(&rig, "proc/pressure");
	rig_put(&rig, "proc/pressure/cpu", SOME("2500000") FULL);
	rig_put(&rig, "proc/pressure/memory", FULL SOME("500000"));
	rig_put(&rig, "proc/pressure/io", SOME("250000"));
	rig_remove(&rig, CG "/cpu.stat");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	check_numbers(frame, "/", expected);
	ck_assert_str_eq(text_at(frame, "/", "name"), "all");
	ck_assert_str_eq(text_at(frame, "/", "parent"), "");
	rig_put(&rig, "proc/vmstat", "workingset_refault 70\noom_kill 4\n"); /* before Linux 5.9 */
	assert_close(number(rig_sample(&rig, 2), "/", "refaults"), 70);
	rig_close(&rig);
}

/* Its top is a group of the machine, with files of its own. */
START_TEST(numbers_of_a_container)
{
	static const struct expected expected[] = {
		{ "cpu_seconds", 10 },
		{ "memory_bytes", 200 * 1048576.0 },
		{ "memory_limit_bytes", 400 * 1048576.0 },
		{ "tasks", 5 },
		{ "oom_kills", 5 },
		{ "all_limit_oom_kills", NAN },
		{ NULL, 0 },
	};
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	put_group_2(&rig, "", 10000000, 200 * MIB); /* a real top has no cgroup.type */
	put_number(&rig, "", "memory.max", 400 * MIB);
	put(&rig, "", "memory.events", "low 0\noom 5\noom_kill 5\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	check_numbers(frame, "/", expected);
	ck_assert_str_eq(text_at(frame, "/", "name"), "container");
	assert_close(number(frame, "(rest)", "memory_bytes"), (double)(104 * MIB));
	rig_close(&rig);
}

START_TEST(files_of_version_1)
{
	static const struct expected expected[] = {
		{ "cpu_seconds", 3 },
		{ "own_cpu_seconds", 1 },
		{ "cpu_limit_ratio", 1.5 },
		{ "periods", 8 },
		{ "throttled_periods", 2 },
		{ "throttled_seconds", 3 },
		{ "memory_bytes", 64 * 1048576.0 },
		{ "own_memory_bytes", 48 * 1048576.0 },
		{ "memory_limit_bytes", 64 * 1048576.0 },
		{ "memory_limit_used_ratio", 61.0 / 64 },
		{ "anonymous_bytes", 4096 },
		{ "file_bytes", 8192 },
		{ "kernel_bytes", 2048 },
		{ "swap_bytes", 777 },
		{ "refaults", 7 },
		{ "read_bytes", 1000 },
		{ "write_bytes", 2000 },
		{ "cpu_stalled_seconds", NAN },
		{ NULL, 0 },
	};
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	put(&rig, "memory/a", "memory.stat",
	    "rss 5\ntotal_rss 4096\ntotal_cache 8192\ntotal_swap 777\ntotal_active_file 1048576\n"
	    "total_inactive_file 2097152\ntotal_workingset_refault_anon 3\n"
	    "total_workingset_refault_file 4\n");
	put_number(&rig, "memory/a", "memory.limit_in_bytes", 64 * MIB);
	put(&rig, "cpu,cpuacct/a", "cpu.stat", "nr_periods 8\nnr_throttled 2\nthrottled_time 3000000000\n");
	put(&rig, "cpu,cpuacct/a", "cpu.cfs_quota_us", "150000\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	check_numbers(frame, "/a", expected);
	ck_assert(isnan(number(frame, "/a/b", "cpu_limit_ratio")));
	ck_assert(isnan(number(frame, "/a/b", "memory_limit_bytes")));
	rig_close(&rig);
}

/* Of two and more their number is told. */
START_TEST(groups_without_cpu_time)
{
	struct rig rig;

	open_version_1(&rig);
	make(&rig, "systemd/other.service");
	rig_put(&rig, CG "/systemd/other.service/tasks", "15\n");
	open_topic(&rig);
	ck_assert_str_eq(frame_newest_notice(rig_sample(&rig, 2), "group")->text,
			 "CPU time of 2 groups is not counted: they are not in the hierarchy cpuacct");
	rig_close(&rig);
}

/* Kills of the machine since boot, and files of a group of version 2 about those at its limit. */
static void put_kills_2(struct rig *rig, const char *place, unsigned machine, unsigned killed,
			unsigned failed, unsigned own_failed)
{
	rig_put(rig, "proc/vmstat", "oom_kill %u\n", machine);
	put(rig, place, "memory.events", textf("oom %u\noom_kill %u\n", failed, killed));
	put(rig, place, "memory.events.local", textf("oom %u\noom_kill %u\n", own_failed, own_failed ?
	    killed : 0));
}

#define SLICE "system.slice"
#define SERVICE SLICE "/ssh.service"

static void assert_kills(const struct frame *frame, double service, double slice, double machine)
{
	ck_assert_double_eq(number(frame, "/" SERVICE, "limit_oom_kills"), service);
	ck_assert_double_eq(number(frame, "/" SLICE, "all_limit_oom_kills"), slice);
	ck_assert_double_eq(number(frame, "/", "all_limit_oom_kills"), machine);
}

/* memory.events counts kills of the machine, too, and those below: only an allocation that failed tells. */
START_TEST(kills_at_limits_of_version_2)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	put(&rig, SERVICE, "memory.max", "67108864\n");
	put_kills_2(&rig, SLICE, 4, 1, 1, 0);
	put_kills_2(&rig, SERVICE, 4, 1, 1, 1);
	open_topic(&rig);
	frame = rig_sample(&rig, 1);
	assert_kills(frame, 0, 0, 0); /* what was before is not known */
	ck_assert(isnan(number(frame, "/" SLICE, "limit_oom_kills")));
	put_kills_2(&rig, SLICE, 5, 2, 2, 0);
	put_kills_2(&rig, SERVICE, 5, 2, 2, 2);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	put_kills_2(&rig, SLICE, 7, 4, 2, 0); /* the machine ran out, and two in the service were killed */
	put_kills_2(&rig, SERVICE, 7, 4, 2, 2);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	put_kills_2(&rig, SLICE, 7, 4, 3, 0); /* an allocation failed, and nothing was killed */
	put_kills_2(&rig, SERVICE, 7, 4, 3, 3);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	put_kills_2(&rig, SLICE, 9, 6, 4, 0); /* at the limit of a group that is gone by now */
	assert_kills(rig_sample(&rig, 1), 1, 3, 3);
	rig_close(&rig);
}

/* A sample between the failure and its kill; but not one long before a kill of the machine. */
START_TEST(a_kill_may_come_a_sample_after_its_failure)
{
	struct rig rig;

	open_version_2(&rig);
	put(&rig, SERVICE, "memory.max", "67108864\n");
	put_kills_2(&rig, SLICE, 4, 0, 0, 0);
	put_kills_2(&rig, SERVICE, 4, 0, 0, 0);
	open_topic(&rig);
	rig_sample(&rig, 1);
	put_kills_2(&rig, SLICE, 4, 0, 1, 0);
	put_kills_2(&rig, SERVICE, 4, 0, 1, 1);
	assert_kills(rig_sample(&rig, 1), 0, 0, 0);
	put_kills_2(&rig, SLICE, 5, 1, 1, 0);
	put_kills_2(&rig, SERVICE, 5, 1, 1, 1);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	put_kills_2(&rig, SLICE, 5, 1, 2, 0);
	put_kills_2(&rig, SERVICE, 5, 1, 2, 2);
	rig_sample(&rig, 1);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	put_kills_2(&rig, SLICE, 6, 2, 2, 0);
	put_kills_2(&rig, SERVICE, 6, 2, 2, 2);
	assert_kills(rig_sample(&rig, 1), 1, 1, 1);
	rig_close(&rig);
}

/* Before Linux 5.2 there is no memory.events.local; a limit above kills in groups below. */
START_TEST(kills_below_a_limit_are_those_of_the_limit)
{
	struct rig rig;

	open_version_2(&rig);
	put(&rig, SLICE, "memory.max", "67108864\n");
	open_topic(&rig);
	rig_sample(&rig, 1);
	rig_put(&rig, "proc/vmstat", "oom_kill 5\n");
	put(&rig, SLICE, "memory.events", "oom 2\noom_kill 2\n");
	put(&rig, SERVICE, "memory.events", "oom 1\noom_kill 2\n");
	ck_assert_double_eq(number(rig_sample(&rig, 1), "/" SLICE, "limit_oom_kills"), 1);
	rig_close(&rig);
}

#define OOM                                                                                                  \
	"6,811,2240835420,-;oom-kill:constraint=%s,nodemask=(null),cpuset=/,mems_allowed=0,%s,"              \
	"task_memcg=/system.slice/ssh.service/x,task=%s,pid=%u,uid=0\n SUBSYSTEM=memory\n"

/* The log says which process it was; only what it says from now on, and of the group at whose limit it was.
 */
START_TEST(killed_processes_have_names)
{
	struct rig rig;

	open_version_2(&rig);
	put(&rig, SERVICE, "memory.max", "67108864\n");
	put_kills_2(&rig, SERVICE, 4, 1, 1, 1);
	rig_make(&rig, "dev");
	rig_put(&rig, "dev/kmsg", OOM, "CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "before", 1);
	open_topic(&rig);
	ck_assert_str_eq(text_at(rig_sample(&rig, 1), "/" SERVICE, "killed"), "");
	put_kills_2(&rig, SERVICE, 5, 2, 2, 2);
	rig_put(&rig, "dev/kmsg", OOM OOM OOM, "CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "before", 1,
		"CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "a,pid=1,task=b", 21699, "CONSTRAINT_NONE",
		"global_oom", "other", 3);
	ck_assert_str_eq(text_at(rig_sample(&rig, 1), "/" SERVICE, "killed"), "b 21699");
	ck_assert_str_eq(text_at(&rig.frames[rig.present], "/" SLICE, "killed"), "");
	put_kills_2(&rig, SERVICE, 5, 3, 3, 3); /* the machine's count was read before the kill */
	rig_put(&rig, "dev/kmsg", OOM OOM OOM OOM, "CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "before", 1,
		"CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "a,pid=1,task=b", 21699, "CONSTRAINT_NONE",
		"global_oom", "other", 3, "CONSTRAINT_MEMCG", "oom_memcg=/" SERVICE, "last", 4);
	ck_assert_str_eq(text_at(rig_sample(&rig, 1), "/" SERVICE, "killed"), "last 4");
	rig_close(&rig);
}

/* Each group counts its own kills, and the limit the allocations that failed there. */
START_TEST(kills_at_limits_of_version_1)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	put(&rig, "memory/a", "memory.limit_in_bytes", "67108864\n");
	put_number(&rig, "memory/a", "memory.failcnt", 7);
	open_topic(&rig);
	rig_sample(&rig, 1);
	rig_put(&rig, "proc/vmstat", "oom_kill 6\n");
	put_number(&rig, "memory/a", "memory.failcnt", 9);
	put(&rig, "memory/a/b", "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, "/a", "limit_oom_kills"), 1);
	ck_assert_double_eq(number(frame, "/", "all_limit_oom_kills"), 1);
	rig_put(&rig, "proc/vmstat", "oom_kill 7\n"); /* the machine ran out */
	put(&rig, "memory/a/b", "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, "/a", "oom_kills"), 4);
	ck_assert_double_eq(number(frame, "/a", "limit_oom_kills"), 1);
	ck_assert_double_eq(number(frame, "/", "all_limit_oom_kills"), 1);
	rig_close(&rig);
}

START_TEST(tasks_without_their_controller)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_remove(&rig, CG "/memory");
	rig_remove(&rig, CG "/cpu,cpuacct");
	rig_remove(&rig, CG "/blkio");
	rig_put(&rig, "proc/self/mountinfo",
		"39 31 0:36 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	assert_close(number(frame, "/a/b", "tasks"), 2);
	assert_close(number(frame, "/a", "tasks"), 3);
	assert_close(number(frame, "(rest)", "tasks"), 46);
	rig_close(&rig);
}

START_TEST(tasks_where_their_controller_has_no_groups)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_put(&rig, "proc/self/mountinfo", "%s",
		MOUNTS_1 "40 31 0:37 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
	make(&rig, "pids");
	put(&rig, "pids", "release_agent", "\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	assert_closes(frame, "tasks");
	assert_close(number(frame, "/a", "tasks"), 3);
	assert_close(number(frame, "(rest)", "tasks"), 46);
	rig_close(&rig);
}

/* Its tasks are those of other groups, too, so that no sum has them twice. */
START_TEST(a_group_in_the_cpu_hierarchy_alone)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_put(&rig, "proc/self/mountinfo", "%s",
		MOUNTS_1 "40 31 0:37 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
	make(&rig, "pids/a");
	put(&rig, "pids", "release_agent", "\n");
	put(&rig, "pids/a", "pids.current", "5\n");
	make(&rig, "cpu,cpuacct/quota/inner");
	put(&rig, "cpu,cpuacct/quota", "cpu.cfs_quota_us", "20000\n");
	put(&rig, "cpu,cpuacct/quota", "cpu.cfs_period_us", "100000\n");
	put_number(&rig, "cpu,cpuacct/quota", "cpuacct.usage", 1000000000);
	put(&rig, "cpu,cpuacct/quota", "tasks", "21\n");
	put(&rig, "cpu,cpuacct/quota/inner", "tasks", "22\n23\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	assert_close(number(frame, "/quota/inner", "tasks"), 2);
	assert_close(number(frame, "/quota", "tasks"), 3);
	assert_close(number(frame, "/a", "tasks"), 5);
	assert_close(number(frame, "(rest)", "tasks"), 45);
	assert_close(number(frame, "/quota", "cpu_seconds"), 1);
	assert_close(number(frame, "/quota", "cpu_limit_ratio"), 0.2);
	ck_assert(isnan(number(frame, "/quota", "memory_bytes")));
	ck_assert_str_eq(frame_newest_notice(frame, "group")->text,
			 "memory of /quota is not counted: it is not in the hierarchy memory");
	rig_close(&rig);
}

/* Since Linux 6.9 version 1 prints no device before one has a limit: that is not "no I/O". */
START_TEST(io_that_is_not_counted)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	put(&rig, "blkio", "blkio.throttle.io_service_bytes_recursive", "Total 0\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	ck_assert(isnan(number(frame, "/a", "read_bytes")));
	ck_assert(isnan(number(frame, "(rest)", "read_bytes")));
	assert_close(number(frame, "/", "read_bytes"), 512000);
	ck_assert(frame_newest_notice(frame, "group") != NULL);
	rig_close(&rig);
}

/* Controllers of version 1, and services in version 2 alone, which counts CPU time. */
START_TEST(hybrid)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_remove(&rig, CG "/cpu,cpuacct/a");
	rig_put(&rig, "proc/self/mountinfo", "%s%s", MOUNTS_1,
		"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	make(&rig, "unified/web.service");
	put(&rig, "unified", "cgroup.procs", "1\n");
	put(&rig, "unified", "cpu.stat", "usage_usec 10000000\n");
	put(&rig, "unified/web.service", "cpu.stat", "usage_usec 3000000\n");
	put(&rig, "unified/web.service", "cpu.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	assert_close(number(frame, "/web.service", "cpu_seconds"), 3);
	assert_close(number(frame, "(rest)", "cpu_seconds"), 7);
	assert_close(number(frame, "/a", "memory_bytes"), (double)(64 * MIB));
	ck_assert(isnan(number(frame, "/web.service", "memory_bytes")));
	assert_closes(frame, "memory_bytes");
	rig_close(&rig);
}

START_TEST(removed_groups_leave_no_jump)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	open_topic(&rig);
	rig_sample(&rig, 2);
	put(&rig, "", "cpu.stat", "usage_usec 10500000\n");
	rig_remove(&rig, CG "/user.slice");
	frame = rig_sample(&rig, 2);
	ck_assert(!has_row(frame, "/user.slice"));
	assert_close(number(frame, "(rest)", "cpu_ratio"), 0.25);
	assert_close(number(frame, "/", "cpu_ratio"), 0.25);
	put(&rig, "", "cpu.stat", "usage_usec 11000000\n");
	put(&rig, "system.slice", "cpu.stat", "usage_usec 4500000\n");
	rig_remove(&rig, CG "/system.slice/ssh.service");
	frame = rig_sample(&rig, 2);
	ck_assert(!has_row(frame, "/system.slice/ssh.service"));
	assert_close(number(frame, "/system.slice", "own_cpu_ratio"), 0.25);
	assert_close(number(frame, "(rest)", "cpu_ratio"), 0);
	rig_close(&rig);
}

/* A group with the path of an earlier one: how fast its counters grew is not known, and never negative. */
START_TEST(a_group_made_again)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	open_topic(&rig);
	rig_sample(&rig, 2);
	rig_remove(&rig, CG "/user.slice");
	make(&rig, "between"); /* takes the number of the directory */
	put_group_2(&rig, "user.slice", 500000, MIB);
	put(&rig, "", "cpu.stat", "usage_usec 11000000\n");
	frame = rig_sample(&rig, 2);
	ck_assert(isnan(number(frame, "/user.slice", "cpu_ratio")));
	ck_assert(isnan(number(frame, "/user.slice", "read_bytes_per_second")));
	put_group_2(&rig, "user.slice", 1500000, MIB);
	put(&rig, "", "cpu.stat", "usage_usec 12000000\n");
	rig_sample(&rig, 2);
	put_group_2(&rig, "user.slice", 2500000, MIB);
	put(&rig, "", "cpu.stat", "usage_usec 14000000\n");
	frame = rig_sample(&rig, 2);
	assert_close(number(frame, "/user.slice", "cpu_ratio"), 0.5);
	assert_close(number(frame, "(rest)", "cpu_ratio"), 0.5);
	assert_closes(frame, "cpu_ratio");
	rig_close(&rig);
}

/* Its counters are set back, as if it was made again with the same number. */
START_TEST(counters_that_shrink)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	open_topic(&rig);
	rig_sample(&rig, 2);
	put_group_2(&rig, "user.slice", 500000, MIB);
	put(&rig, "user.slice", "io.stat", "8:0 rbytes=10 wbytes=20\n");
	put(&rig, "", "cpu.stat", "usage_usec 11000000\n");
	frame = rig_sample(&rig, 2);
	ck_assert(isnan(number(frame, "/user.slice", "cpu_ratio")));
	ck_assert(isnan(number(frame, "/user.slice", "read_bytes_per_second")));
	ck_assert(!(number(frame, "(rest)", "cpu_ratio") > 0.5));
	ck_assert(!(number(frame, "(rest)", "read_bytes_per_second") > 0));
	rig_close(&rig);
}

START_TEST(pressure_that_is_not_measured)
{
	static const char *const names[] = { "cpu", "memory", "io" };
	static const char *const places[] = { "system.slice", "system.slice/ssh.service", "user.slice" };
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	for (unsigned i = 0; i < 9; i++)
		rig_remove(&rig, textf(CG "/%s/%s.pressure", places[i / 3], names[i % 3]));
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	ck_assert(isnan(number(frame, "/user.slice", "memory_stalled_seconds")));
	ck_assert(frame_newest_notice(frame, "group") != NULL);
	rig_close(&rig);
}

START_TEST(hostile_names)
{
	char path[700] = "system.slice/";
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	put_group_2(&rig, "a\nb", 1, MIB);
	put_group_2(&rig, "\xff\xc3 \\x2d \x1b[31m.service", 1, MIB);
	put_group_2(&rig, "(rest)", 1, MIB);
	memset(path + 13, 'x', 200);
	path[213] = '\0';
	put_group_2(&rig, path, 1, MIB);
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	ck_assert(has_row(frame, "/a\nb"));
	ck_assert(has_row(frame, "/\xff\xc3 \\x2d \x1b[31m.service"));
	ck_assert_str_eq(text_at(frame, "/\xff\xc3 \\x2d \x1b[31m.service", "name"),
			 "\xff\xc3 - \x1b[31m.service");
	ck_assert(has_row(frame, "/(rest)") && has_row(frame, "(rest)"));
	ck_assert_str_eq(text_at(frame, "(rest)", "kind"), "rest");
	assert_closes(frame, "memory_bytes");
	rig_close(&rig);
}

#define IDLE_GROUPS 400

static void open_idle(struct rig *rig)
{
	char place[64];

	open_version_2(rig);
	for (unsigned i = 0; i < IDLE_GROUPS; i++) {
		snprintf(place, sizeof(place), "system.slice/idle-%u.service", i);
		make(rig, place);
		put(rig, place, "cpu.stat", "usage_usec 5\n");
		put(rig, place, "memory.current", "4096\n");
		put(rig, place, "memory.stat", "anon 4096\n");
	}
}

START_TEST(idle_groups_in_turns)
{
	const struct frame *frame;
	uint64_t first, most = 0;
	double oldest = 0;
	struct rig rig;

	open_idle(&rig);
	open_topic(&rig);
	rig_sample(&rig, 1);
	first = rig.env.reads;
	for (unsigned i = 0; i < 40; i++) {
		uint64_t before = rig.env.reads;

		frame = rig_sample(&rig, 1);
		most = rig.env.reads - before > most ? rig.env.reads - before : most;
	}
	ck_assert_msg(most * 8 < first, "%u reads, %u at first", (unsigned)most, (unsigned)first);
	for (unsigned i = 0; i < IDLE_GROUPS; i++) {
		oldest = fmax(oldest, number(frame, textf("/system.slice/idle-%u.service", i),
			      "age_seconds"));
	}
	ck_assert_msg(oldest > 20 && oldest <= 30, "%g", oldest);
	put(&rig, "", "cpu.stat", "usage_usec 13000000\n");
	put(&rig, "system.slice", "cpu.stat", "usage_usec 5000000\n");
	put(&rig, "system.slice/idle-7.service", "cpu.stat", "usage_usec 500005\n");
	put(&rig, "system.slice/idle-7.service", "memory.current", "8192\n");
	frame = rig_sample(&rig, 1);
	assert_close(number(frame, "/system.slice/idle-7.service", "cpu_ratio"), 0.5);
	assert_close(number(frame, "/system.slice/idle-7.service", "memory_bytes"), 8192);
	assert_close(number(frame, "/system.slice/idle-7.service", "age_seconds"), 0);
	rig_close(&rig);
}

static double age_of(const struct frame *frame, const char *format, unsigned number_in_name)
{
	char path[64];

	snprintf(path, sizeof(path), format, number_in_name);
	return number(frame, path, "age_seconds");
}

static double idle_age(const struct frame *frame, unsigned i)
{
	return age_of(frame, "/system.slice/idle-%u.service", i);
}

/* The oldest of the first n_groups. */
static double oldest_idle(const struct frame *frame, unsigned n_groups)
{
	double oldest = 0;

	for (unsigned i = 0; i < n_groups; i++)
		oldest = fmax(oldest, idle_age(frame, i));
	return oldest;
}

/* Each is read every 30 s, and in every n-th sample of n hundreds of groups, if that is later. */
START_TEST(a_round_of_idle_groups)
{
	const struct frame *frame;
	struct rig rig;

	open_idle(&rig);
	open_topic(&rig);
	for (unsigned i = 0; i < 30; i++)
		rig_sample(&rig, 1);
	for (unsigned i = 0; i < 31; i++)
		ck_assert_double_eq(oldest_idle(rig_sample(&rig, 1), IDLE_GROUPS), 29);
	for (unsigned i = 0; i < 20; i++)
		frame = rig_sample(&rig, 5);
	ck_assert_double_eq(oldest_idle(frame, IDLE_GROUPS), 25);
	for (unsigned i = 0; i < 20; i++)
		frame = rig_sample(&rig, 10); /* of 404 groups a quarter, not a third */
	ck_assert_double_eq(oldest_idle(frame, IDLE_GROUPS), 30);
	rig_close(&rig);
}

/* In the first sample in which they are busy all are read. */
START_TEST(busy_groups_are_read_at_once)
{
	const struct frame *frame;
	struct rig rig;

	open_idle(&rig);
	open_topic(&rig);
	for (unsigned i = 0; i < 3; i++)
		rig_sample(&rig, 1);
	put(&rig, "", "cpu.stat", "usage_usec 13000000\n");
	put(&rig, "system.slice", "cpu.stat", "usage_usec 5000000\n");
	for (unsigned i = 0; i < 100; i++) {
		char place[64];

		snprintf(place, sizeof(place), "system.slice/idle-%u.service", i);
		put(&rig, place, "cpu.stat", "usage_usec 10\n");
		put(&rig, place, "memory.current", "8192\n");
	}
	frame = rig_sample(&rig, 1);
	for (unsigned i = 0; i < 100; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/system.slice/idle-%u.service", i);
		ck_assert_double_eq(number(frame, path, "memory_bytes"), 8192);
		ck_assert_double_eq(number(frame, path, "age_seconds"), 0);
	}
	ck_assert_double_gt(oldest_idle(frame, IDLE_GROUPS), 0); /* the others wait */
	rig_close(&rig);
}

/* So many of them work in each of six samples: the greatest age that one has in the last three. */
static double oldest_busy(struct rig *rig, unsigned n_groups)
{
	static unsigned used = 100;
	double oldest = 0;

	for (unsigned tick = 0; tick < 6; tick++) {
		const struct frame *frame;

		put(rig, "", "cpu.stat", textf("usage_usec %u\n", 20000000 + ++used));
		put_group_2(rig, "system.slice", 5000000 + used, 64 * MIB);
		for (unsigned i = 0; i < n_groups; i++) {
			char place[64];

			snprintf(place, sizeof(place), "system.slice/idle-%u.service", i);
			put(rig, place, "cpu.stat", textf("usage_usec %u\n", used));
		}
		frame = rig_sample(rig, 1);
		if (tick >= 3)
			oldest = fmax(oldest, oldest_idle(frame, n_groups));
	}
	return oldest;
}

/* At most 128 in each sample, with system.slice. */
START_TEST(many_busy_groups_are_read_in_turns)
{
	struct rig rig;

	open_idle(&rig);
	open_topic(&rig);
	rig_sample(&rig, 1);
	ck_assert_double_eq(oldest_busy(&rig, 127), 0);
	ck_assert_double_eq(oldest_busy(&rig, 128), 1);
	ck_assert_double_eq(oldest_busy(&rig, 255), 1);
	ck_assert_double_eq(oldest_busy(&rig, 256), 2);
	rig_close(&rig);
}

/* The first 64 of them; without their numbers the rest would be wrong. */
START_TEST(groups_below_the_top_are_always_read)
{
	unsigned n_always = 0;
	bool waited[95] = { false };
	struct rig rig;

	open_version_2(&rig);
	rig_remove(&rig, CG "/system.slice");
	rig_remove(&rig, CG "/user.slice");
	for (unsigned i = 0; i < 95; i++) {
		char place[32];

		snprintf(place, sizeof(place), "first-%u.slice", i);
		make(&rig, place);
		put(&rig, place, "cpu.stat", "usage_usec 5\n");
		put(&rig, place, "memory.current", "4096\n");
		put(&rig, place, "memory.stat", "anon 4096\n");
	}
	open_topic(&rig);
	rig_sample(&rig, 1);
	for (unsigned tick = 0; tick < 40; tick++) {
		const struct frame *frame = rig_sample(&rig, 1);

		for (unsigned i = 0; i < 95; i++)
			waited[i] |= age_of(frame, "/first-%u.slice", i) > 0;
	}
	for (unsigned i = 0; i < 95; i++)
		n_always += !waited[i];
	ck_assert_uint_eq(n_always, 64);
	rig_close(&rig);
}

/* With the top. */
START_TEST(of_32_groups_all_are_read)
{
	struct rig rig;

	open_version_2(&rig);
	for (unsigned i = 0; i < 28; i++) {
		char place[64];

		snprintf(place, sizeof(place), "system.slice/idle-%u.service", i);
		make(&rig, place);
		put(&rig, place, "cpu.stat", "usage_usec 5\n");
	}
	open_topic(&rig);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_double_eq(oldest_idle(rig_sample(&rig, 1), 28), 0);
	make(&rig, "system.slice/idle-28.service");
	put(&rig, "system.slice/idle-28.service", "cpu.stat", "usage_usec 5\n");
	for (unsigned i = 0; i < 4; i++)
		rig_sample(&rig, 1);
	ck_assert_double_gt(oldest_idle(&rig.frames[rig.present], 29), 0);
	rig_close(&rig);
}

/* 128 with the top; the others wait, with a limit or without one where nothing has run yet. */
START_TEST(the_first_128_groups_do_not_wait)
{
	const struct frame *frame;
	unsigned n_waiting = 0;
	struct rig rig;

	open_idle(&rig);
	put(&rig, "system.slice/idle-399.service", "memory.max", "4096\n");
	put(&rig, "system.slice/idle-399.service", "cpu.stat", "usage_usec 0\n");
	open_topic(&rig);
	rig.request.batch = false;
	frame = rig_sample(&rig, 1);
	for (unsigned i = 0; i < IDLE_GROUPS; i++)
		n_waiting += isnan(idle_age(frame, i)) ? 1 : 0;
	ck_assert_uint_eq(n_waiting, IDLE_GROUPS - (128 - 3)); /* the top and two slices */
	ck_assert(isnan(number(frame, "/system.slice/idle-399.service", "memory_limit_bytes")));
	rig_close(&rig);
}

START_TEST(a_limit_of_nothing_is_not_near)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	put(&rig, "user.slice", "memory.max", "0\n");
	put(&rig, "user.slice", "memory.stat", "anon 4096\nactive_file 0\ninactive_file 0\n");
	put(&rig, "system.slice", "memory.max", "1\n");
	put(&rig, "system.slice", "memory.stat", "anon 4096\nactive_file 3\ninactive_file 5\n");
	open_topic(&rig);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number(frame, "/user.slice", "memory_limit_bytes"), 0);
	ck_assert(isnan(number(frame, "/user.slice", "memory_limit_used_ratio")));
	ck_assert_double_eq(number(frame, "/system.slice", "memory_limit_used_ratio"),
			    (double)(64 * MIB - 8));
	rig_close(&rig);
}

/* On a screen that shows no groups, only those that may be near a limit are read at first. */
START_TEST(groups_wait_for_their_turn)
{
	const char *limited = "/system.slice/idle-300.service", *waiting = "/system.slice/idle-399.service";
	const struct frame *frame;
	uint64_t reads;
	struct rig rig;

	open_idle(&rig);
	put(&rig, "system.slice/idle-300.service", "memory.max", "4096\n");
	put(&rig, "system.slice/idle-300.service", "memory.stat",
	    "anon 4096\nactive_file 0\ninactive_file 0\n");
	put(&rig, "system.slice/idle-301.service", "cpu.max", "50000 100000\n");
	put(&rig, "system.slice/idle-301.service", "memory.max", "max\n");
	put(&rig, "system.slice/idle-398.service", "cpu.stat", "usage_usec 0\n");
	open_topic(&rig);
	rig.request.batch = false;
	reads = rig.env.reads;
	frame = rig_sample(&rig, 1);
	reads = rig.env.reads - reads;
	ck_assert_msg(reads < 3 * IDLE_GROUPS, "%u reads", (unsigned)reads);
	assert_close(number(frame, limited, "memory_limit_used_ratio"), 1);
	assert_close(number(frame, limited, "age_seconds"), 0);
	assert_close(number(frame, "/system.slice/idle-301.service", "cpu_limit_ratio"), 0.5);
	assert_close(number(frame, waiting, "cpu_seconds"), 5e-6);
	ck_assert(isnan(number(frame, waiting, "memory_bytes")));
	ck_assert(isnan(number(frame, waiting, "age_seconds")));
	ck_assert(isnan(number(frame, "/system.slice", "own_memory_bytes")));
	assert_close(number(frame, "/system.slice", "memory_bytes"), 64 * MIB);
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(number(frame, "/system.slice", "own_memory_bytes")));
	rig.request.all_groups = true;
	frame = rig_sample(&rig, 1);
	assert_close(number(frame, waiting, "memory_bytes"), 4096);
	assert_close(number(frame, "/system.slice", "own_memory_bytes"),
		     64 * MIB - 16 * MIB - IDLE_GROUPS * 4096);
	assert_closes(frame, "memory_bytes");
	rig_close(&rig);
}

/* On a screen that shows no groups, one that gets a limit, and one below a busy group, are found at once. */
START_TEST(groups_without_limit_are_read_in_turns)
{
	const char *group = "/system.slice/idle-7.service", *below = "/system.slice/idle-7.service/new";
	const struct frame *frame;
	uint64_t reads[3];
	struct rig rig;

	open_version_2(&rig);
	put_group_2(&rig, "system.slice/idle-7.service", 1, MIB);
	open_topic(&rig);
	rig.request.batch = false;
	for (unsigned i = 0; i < 3; i++) {
		reads[i] = rig.env.reads;
		rig_sample(&rig, 1);
	}
	ck_assert_msg(2 * (rig.env.reads - reads[2]) < reads[1] - reads[0], "%u reads, %u at first",
		      (unsigned)(rig.env.reads - reads[2]), (unsigned)(reads[1] - reads[0]));
	put(&rig, "", "cpu.stat", "usage_usec 13000000\n");
	put(&rig, "system.slice", "cpu.stat", "usage_usec 5000000\n");
	put(&rig, "system.slice/idle-7.service", "cpu.stat",
	    "usage_usec 1500000\nnr_periods 4\nnr_throttled 3\n");
	put(&rig, "system.slice/idle-7.service", "cpu.max", "50000 100000\n");
	put_group_2(&rig, "system.slice/idle-7.service/new", 1, MIB);
	frame = rig_sample(&rig, 1);
	assert_close(number(frame, group, "cpu_limit_ratio"), 0.5);
	assert_close(number(frame, group, "age_seconds"), 0);
	ck_assert(has_row(frame, below));
	rig_close(&rig);
}

/* They are all read within a round, and no counter of theirs or of the groups above seems to grow. */
START_TEST(groups_that_waited)
{
	const struct frame *frame;
	double oldest = 0;
	struct rig rig;

	open_idle(&rig);
	for (unsigned i = 0; i < IDLE_GROUPS; i++) {
		put(&rig, textf("system.slice/idle-%u.service", i), "io.stat",
		    "8:0 rbytes=1 wbytes=2 rios=1 wios=1\n");
	}
	open_topic(&rig);
	rig.request.batch = false;
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 31; i++) {
		double rate;

		frame = rig_sample(&rig, 1);
		rate = number(frame, "/system.slice", "read_bytes_per_second");
		ck_assert_msg(isnan(rate) || rate == 0, "%g", rate);
		rate = number(frame, "/system.slice/idle-399.service", "read_bytes_per_second");
		ck_assert_msg(isnan(rate) || rate == 0, "%g", rate);
	}
	for (unsigned i = 0; i < IDLE_GROUPS; i++) {
		char path[64];
		double age;

		snprintf(path, sizeof(path), "/system.slice/idle-%u.service", i);
		age = number(frame, path, "age_seconds");
		ck_assert_msg(!isnan(age), "%s waits", path);
		oldest = fmax(oldest, age);
	}
	ck_assert_msg(oldest <= 30, "%g", oldest);
	rig_close(&rig);
}

START_TEST(names_from_engines)
{
	const struct frame *frame;
	struct rig rig;

	open_version_2(&rig);
	put_group_2(&rig, "system.slice/docker-" ID ".scope", 1, MIB);
	put_group_2(&rig, "machine.slice", 1, MIB);
	put_group_2(&rig, "machine.slice/libpod-" ID ".scope", 1, MIB);
	put_group_2(&rig, "kubepods.slice", 1, MIB);
	put_group_2(&rig, "kubepods.slice/kubepods-pod0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice", 1, MIB);
	put_group_2(&rig,
		    "kubepods.slice/kubepods-pod0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice/cri-containerd-" ID
		    ".scope",
		    1, MIB);
	rig_make(&rig, "var/lib/docker/containers/" ID);
	rig_put(&rig, "var/lib/docker/containers/" ID "/config.v2.json",
		"{\"ID\":\"" ID "\",\"Name\":\"/web\",\"Config\":{\"Labels\":{}}}");
	rig_make(&rig, "var/lib/containers/storage/overlay-containers");
	rig_put(&rig, "var/lib/containers/storage/overlay-containers/containers.json",
		"[{\"id\":\"00\",\"names\":[\"no\"]},{\"id\":\"" ID "\",\"names\":[\"db\",\"other\"]}]");
	rig_make(&rig, "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID);
	rig_put(&rig, "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		"{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\",\"io.kubernetes.cri."
		"sandbox-name\":\"shop-0\",\"io.kubernetes.cri.sandbox-namespace\":\"prod\"}}");
	open_topic(&rig);
	frame = rig_sample(&rig, 2);
	ck_assert_str_eq(text_at(frame, "/system.slice/docker-" ID ".scope", "name"), "web");
	ck_assert_str_eq(text_at(frame, "/system.slice/docker-" ID ".scope", "kind"), "container");
	ck_assert_str_eq(text_at(frame, "/machine.slice/libpod-" ID ".scope", "name"), "db");
	ck_assert_str_eq(text_at(frame,
				 "/kubepods.slice/kubepods-pod0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice",
				 "name"),
			 "prod/shop-0");
	ck_assert_str_eq(text_at(frame,
				 "/kubepods.slice/kubepods-pod0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice/"
				 "cri-containerd-" ID ".scope",
				 "name"),
			 "app");
	rig_close(&rig);
}

#define SCOPE "system.slice/docker-" ID ".scope"

/* An engine may write it late, but not for ever. */
static const char *name_after(unsigned n_samples)
{
	static char name[64];
	struct rig rig;

	open_version_2(&rig);
	put_group_2(&rig, SCOPE, 1, MIB);
	open_topic(&rig);
	for (unsigned i = 0; i < n_samples; i++)
		rig_sample(&rig, 1);
	rig_make(&rig, "var/lib/docker/containers/" ID);
	rig_put(&rig, "var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\":\"/late\"}");
	rig_sample(&rig, 1);
	snprintf(name, sizeof(name), "%s", text_at(rig_sample(&rig, 1), "/" SCOPE, "name"));
	rig_close(&rig);
	return name;
}

START_TEST(a_name_is_looked_for_three_times)
{
	ck_assert_str_eq(name_after(0), "late");
	ck_assert_str_eq(name_after(2), "late");
	ck_assert_str_ne(name_after(3), "late");
}

#define CONTAINERS "var/lib/containers/storage/"
#define CONTAINERD "run/containerd/io.containerd.runtime.v2.task/"

/* A name that is only in this file of a new tree. */
static void check_place(enum container_engine engine, const char *folder, const char *file, const char *text,
			const char *expected)
{
	static const enum container_engine others[] = { ENGINE_DOCKER, ENGINE_CONTAINERD, ENGINE_CRIO,
							ENGINE_PODMAN };
	struct container_name name;
	char path[300];
	struct rig rig;

	rig_open(&rig, "cgroup-v2", (const char *const[]){ NULL });
	ck_assert(!container_name_find(&rig.env.root, engine, ID, &name));
	rig_make(&rig, folder);
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	rig_put(&rig, path, "%s", text);
	ck_assert_msg(container_name_find(&rig.env.root, engine, ID, &name), "%s", path);
	ck_assert_str_eq(name.name, expected);
	ck_assert(container_name_find(&rig.env.root, ENGINE_UNKNOWN, ID, &name));
	ck_assert_str_eq(name.name, expected);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		bool also = others[i] == ENGINE_CRIO && engine == ENGINE_PODMAN; /* they share the storage */

		if (others[i] != engine)
			ck_assert_msg(container_name_find(&rig.env.root, others[i], ID, &name) == also, "%s",
				      path);
	}
	rig_close(&rig);
}

START_TEST(where_engines_keep_names)
{
	static const char list[] = "[{\"id\":\"" ID "0\",\"names\":[\"longer\"]},{\"names\":[\"none\"]},"
				   "{\"id\":\"" ID "\",\"names\":[\"db\"]},{\"id\":\"" ID "\"}]";

	check_place(ENGINE_DOCKER, "var/lib/docker/containers/" ID, "config.v2.json", "{\"Name\":\"web\"}",
		    "web");
	check_place(ENGINE_CONTAINERD, CONTAINERD "k8s.io/" ID, "config.json",
		    "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\"}}", "app");
	check_place(ENGINE_CONTAINERD, CONTAINERD "default/" ID, "config.json",
		    "{\"annotations\":{\"nerdctl/name\":\"nerd\"}}", "nerd");
	check_place(ENGINE_CRIO, "run/containers/storage/overlay-containers/" ID "/userdata", "config.json",
		    "{\"annotations\":{\"io.kubernetes.container.name\":\"crio\"}}", "crio");
	check_place(ENGINE_PODMAN, CONTAINERS "overlay-containers", "containers.json", list, "db");
	check_place(ENGINE_PODMAN, CONTAINERS "vfs-containers", "containers.json", list, "db");
	check_place(ENGINE_PODMAN, CONTAINERS "btrfs-containers", "containers.json", list, "db");
}

static bool parses(const char *json, struct container_name *name)
{
	return container_name_parse(json, strlen(json), name);
}

START_TEST(hostile_files_of_engines)
{
	struct container_name name;
	struct env env;
	char json[2000] = "{\"Name\":\"/";
	struct rig rig;

	ck_assert(!parses("", &name));
	ck_assert(!parses("[[[[", &name));
	ck_assert(!parses("{\"Name\":7,\"Config\":[],\"annotations\":\"x\"}", &name));
	ck_assert(!parses("{\"Name\":\"a\\u0000b\"}", &name)); /* refused as a whole */
	ck_assert(!parses("{\"Name\":\"\xff\"}", &name));
	ck_assert(parses("{\"Name\":\"a\\n\\u001b[2J\"}", &name)); /* cleaned where it is shown */
	memset(json + strlen(json), 'n', 1000);
	strcat(json, "\"}");
	ck_assert(parses(json, &name));
	ck_assert_uint_eq(strlen(name.name), CGROUP_NAME_MAX - 1);
	ck_assert(parses("{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
			 "\"io.kubernetes.cri.sandbox-name\":\"p\"}}",
			 &name));
	ck_assert_str_eq(name.name, "sandbox");
	ck_assert_str_eq(name.pod, "p");

	rig_open(&rig, "cgroup-v2", (const char *const[]){ NULL });
	env = rig.env;
	rig_make(&rig, "var/lib/docker/containers/" ID "/config.v2.json"); /* a directory */
	ck_assert(!container_name_find(&env.root, ENGINE_DOCKER, ID, &name));
	rig_remove(&rig, "var/lib/docker/containers/" ID "/config.v2.json");
	rig_put(&rig, "var/lib/docker/containers/" ID "/config.v2.json",
		"{\"Name\":\"/x\",\"y\":\"%2000000d\"}", 1);
	ck_assert(!container_name_find(&env.root, ENGINE_DOCKER, ID, &name)); /* too long */
	rig_close(&rig);
}

/* As in a snap without plugs: mounted, but nothing of it may be read. */
START_TEST(hierarchies_that_cannot_be_read)
{
	const struct frame *frame;
	struct rig rig;

	open_version_1(&rig);
	rig_put(&rig, "proc/self/mountinfo", "%s", MOUNTS_1);
	rig_remove(&rig, "sys/fs/cgroup");
	open_topic(&rig);
	for (int i = 0; i < 2; i++)
		frame = rig_sample(&rig, 2);
	ck_assert(has_row(frame, "/") && !has_row(frame, "/a"));
	ck_assert(isnan(number(frame, "/", "memory_limit_bytes")));
	rig_close(&rig);
}

START_TEST(no_groups_at_all)
{
	struct sample sample = { .topic = topic_find("group") };
	struct rig rig;

	rig_open(&rig, "cgroup-v2", (const char *const[]){ NULL });
	rig_put(&rig, "proc/self/mountinfo", "24 1 0:22 / /sys rw - sysfs sysfs rw\n");
	sample.env = &rig.env;
	ck_assert_int_eq(topic_open(&sample), -ENODEV);
	topic_forget(&sample);
	rig_close(&rig);
}
