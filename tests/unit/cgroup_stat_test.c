/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of control groups, as several kernels print them. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernel/cgroup.h"
#include "kernel/cgroup_stat.h"
#include "suite.h"
#include "sys/cgroup_path.h"

START_TEST(memory_stat_of_version_1)
{
	static const char linux_6[] =
		"cache 1\nrss 2\nworkingset_refault_anon 7\ntotal_cache 8192\ntotal_rss 4096\n"
		"total_rss_huge 99\ntotal_swap 16\ntotal_workingset_refault_anon 3\n"
		"total_workingset_refault_file 4\ntotal_inactive_file 5\n"
		"total_active_file 6\ntotal_unevictable x\n";
	static const char linux_5[] = "total_cache 1\ntotal_workingset_refault 9\n";
	struct cgroup_memory_stat stat;

	cgroup_memory_stat_parse(span_text(linux_6), 1, &stat);
	ck_assert_uint_eq(stat.anonymous, 4096);
	ck_assert_uint_eq(stat.file, 8192);
	ck_assert_uint_eq(stat.swap, 16);
	ck_assert_uint_eq(stat.refaults, 7);
	ck_assert_uint_eq(stat.active_file + stat.inactive_file, 11);
	ck_assert_uint_eq(stat.kernel, U64_UNKNOWN);
	cgroup_memory_stat_parse(span_text(linux_5), 1, &stat);
	ck_assert_uint_eq(stat.refaults, 9);
	ck_assert_uint_eq(stat.anonymous, U64_UNKNOWN);
}
END_TEST

START_TEST(memory_stat_of_version_2)
{
	static const char linux_6[] =
		"anon 4096\nfile 8192\nkernel 100\nkernel_stack 60\npagetables 30\nslab 9\n"
		"anon_thp 5\nworkingset_refault_anon 3\nworkingset_refault_file 4\n";
	static const char linux_5[] = "anon 1\nfile 2\nkernel_stack 60\npercpu 1\npagetables 30\nslab 9\n"
				      "slab_reclaimable 9\nworkingset_refault 5\n";
	struct cgroup_memory_stat stat;

	cgroup_memory_stat_parse(span_text(linux_6), 2, &stat);
	ck_assert_uint_eq(stat.anonymous, 4096);
	ck_assert_uint_eq(stat.kernel, 100);
	ck_assert_uint_eq(stat.refaults, 7);
	ck_assert_uint_eq(stat.active_file, U64_UNKNOWN);
	cgroup_memory_stat_parse(span_text(linux_5), 2, &stat);
	ck_assert_uint_eq(stat.kernel, 100);
	ck_assert_uint_eq(stat.refaults, 5);
	cgroup_memory_stat_parse(span_text("anon 18446744073709551616\nfile\n\nfile 1"), 2, &stat);
	ck_assert_uint_eq(stat.anonymous, U64_UNKNOWN);
	ck_assert_uint_eq(stat.file, 1);
}
END_TEST

START_TEST(cpu_stat_of_both)
{
	struct cgroup_cpu_stat stat;

	cgroup_cpu_stat_parse(
		span_text("usage_usec 7\nuser_usec 5\nnr_periods 4\nnr_throttled 2\nthrottled_usec 9\n"),
		&stat);
	ck_assert_uint_eq(stat.used_ns, 7000);
	ck_assert_uint_eq(stat.periods, 4);
	ck_assert_uint_eq(stat.throttled_periods, 2);
	ck_assert_uint_eq(stat.throttled_ns, 9000);
	cgroup_cpu_stat_parse(span_text("nr_periods 4\nnr_throttled 2\nthrottled_time 9\n"), &stat);
	ck_assert_uint_eq(stat.throttled_ns, 9);
	ck_assert_uint_eq(stat.used_ns, U64_UNKNOWN);
	cgroup_cpu_stat_parse(span_text("usage_usec 18446744073709551615\n"), &stat);
	ck_assert_uint_eq(stat.used_ns, U64_UNKNOWN);
	cgroup_cpu_stat_parse(span_text("usage_usec\nusage_usecs 4\nusage_usec -3\n"), &stat);
	ck_assert_uint_eq(stat.used_ns, U64_UNKNOWN);
}
END_TEST

START_TEST(io_of_both)
{
	struct span text = span_text("8:0 rbytes=1 wbytes=2 rios=3 wios=4\n253:1 \nbad\n8:16 wbytes=7\n");
	struct cgroup_io io;

	ck_assert(cgroup_io_next(&text, &io));
	ck_assert_uint_eq(io.major, 8);
	ck_assert_uint_eq(io.read_bytes, 1);
	ck_assert_uint_eq(io.write_bytes, 2);
	ck_assert(cgroup_io_next(&text, &io));
	ck_assert_uint_eq(io.minor, 16);
	ck_assert_uint_eq(io.read_bytes, 0);
	ck_assert_uint_eq(io.write_bytes, 7);
	ck_assert(!cgroup_io_next(&text, &io));
	text = span_text("254:0 Read 8\n254:0 Write 16\n254:0 Sync 24\n254:0 Total 24\nTotal 24\n");
	ck_assert(cgroup_io_next(&text, &io) && io.read_bytes == 8 && io.write_bytes == 0);
	ck_assert(cgroup_io_next(&text, &io) && io.read_bytes == 0 && io.write_bytes == 16);
	ck_assert(!cgroup_io_next(&text, &io));
}
END_TEST

START_TEST(values_by_name)
{
	uint64_t value = 5;

	ck_assert(cgroup_value_parse(span_text("oom 3\noom_kill 2\noom_group_kill 0\n"), "oom_kill", &value));
	ck_assert_uint_eq(value, 2);
	ck_assert(!cgroup_value_parse(span_text("oom_kill_disable 0\nunder_oom 0\n"), "oom_kill", &value));
	ck_assert_uint_eq(value, 2);
}
END_TEST

START_TEST(quotas)
{
	double cpus;

	ck_assert(cgroup_quota_parse(span_text("50000"), span_text("100000\n"), &cpus) && cpus == 0.5);
	ck_assert(cgroup_quota_parse(span_text("max"), span_text(" 100000\n"), &cpus) && cpus == 0);
	ck_assert(cgroup_quota_parse(span_text("-1"), span_text("100000\n"), &cpus) && cpus == 0);
	ck_assert(!cgroup_quota_parse(span_text("50000"), span_text("0\n"), &cpus));
	ck_assert(!cgroup_quota_parse(span_text(""), span_text("100000\n"), &cpus));
}
END_TEST

START_TEST(mounts_of_hierarchies)
{
	struct span text =
		span_text("24 1 0:22 / /sys rw - sysfs sysfs rw\n"
			  "42 31 0:39 /docker /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
			  "41 31 0:38 / /cg\\040x rw - cgroup2 cgroup2 rw\n");
	static struct cgroup_mount mount;

	ck_assert(cgroup_mount_next(&text, &mount));
	ck_assert_int_eq(mount.version, 1);
	ck_assert(cgroup_mount_has(&mount, "cpuacct") && !cgroup_mount_has(&mount, "cpua"));
	ck_assert_str_eq(mount.point, "sys/fs/cgroup/cpu,cpuacct");
	ck_assert(cgroup_mount_next(&text, &mount));
	ck_assert_int_eq(mount.version, 2);
	ck_assert_str_eq(mount.point, "cg x");
	ck_assert(!cgroup_mount_next(&text, &mount));
}
END_TEST

/* Times that nanoseconds of 64 bits hold, and sums that have room; what is known stays. */
START_TEST(numbers_at_their_limits)
{
	struct cgroup_memory_stat memory;
	struct cgroup_cpu_stat cpu;

	cgroup_cpu_stat_parse(span_text("usage_usec 18446744073709551\nthrottled_usec 18446744073709552\n"
					"nr_periods 0\n"),
			      &cpu);
	ck_assert_uint_eq(cpu.used_ns, UINT64_C(18446744073709551000));
	ck_assert(cpu.throttled_ns == U64_UNKNOWN && cpu.periods == 0 &&
		  cpu.throttled_periods == U64_UNKNOWN);
	cgroup_memory_stat_parse(
		span_text("kernel_stack 18446744073709551613\nslab 1\npagetables 2\npercpu 0\n"), 2, &memory);
	ck_assert_uint_eq(memory.kernel, UINT64_MAX - 1); /* 2 more have no room */
	cgroup_memory_stat_parse(span_text("kernel 0\nslab 5\nswap 7\nactive_file 1\ninactive_file 2\n"), 2,
				 &memory);
	ck_assert(memory.kernel == 0 && memory.active_file == 1 && memory.inactive_file == 2);
	cgroup_memory_stat_parse(
		span_text("total_active_file 1\ntotal_inactive_file 2\ntotal_swap 0\nslab 3\n"
			  "swap 9\n"),
		1, &memory);
	ck_assert(memory.active_file == 1 && memory.inactive_file == 2 && memory.swap == 0);
	ck_assert(memory.kernel == U64_UNKNOWN && memory.file == U64_UNKNOWN);
}
END_TEST

START_TEST(lines_of_io_that_say_nothing)
{
	struct span text =
		span_text("8:0 rios=3 wios=4\n8 1 rbytes=5\nx:1 rbytes=5\n8:x rbytes=5\n8:1 rbytes=x\n"
			  "8:2 Read\n8:3 Read x\n8:4 Discard 7\n8:5 wbytes=6 rbytes=x dbytes=9\n"
			  "8:6 rbytes=0\n8:7 Write 0\n");
	struct cgroup_io io;

	ck_assert(cgroup_io_next(&text, &io) && io.minor == 5 && io.write_bytes == 6 && io.read_bytes == 0);
	ck_assert(cgroup_io_next(&text, &io) && io.minor == 6 && io.write_bytes == 0);
	ck_assert(cgroup_io_next(&text, &io) && io.minor == 7 && io.major == 8);
	ck_assert(!cgroup_io_next(&text, &io));
}
END_TEST

/* The number of this directory below one of cgroup2, or skips the test. */
static uint64_t number_of(int mount, const char *name)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} of = { .handle = { .handle_bytes = MAX_HANDLE_SZ } };
	uint64_t number;
	int id;

	if (name_to_handle_at(mount, name, &of.handle, &id, 0) < 0 ||
	    of.handle.handle_bytes != sizeof(number))
		skip_test("groups have no numbers before Linux 5.5");
	memcpy(&number, of.handle.f_handle, sizeof(number));
	return number;
}

/* Where cgroup2 is mounted; -1: nowhere. */
static int open_groups(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int mount = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (mount >= 0 && fstatfs(mount, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return mount;
		if (mount >= 0)
			close(mount);
	}
	return -1;
}

START_TEST(groups_have_paths_by_their_numbers)
{
	int mount = open_groups();
	DIR *groups = mount < 0 ? NULL : fdopendir(dup(mount));
	char path[300], wanted[300] = "";
	const struct dirent *entry;

	if (!groups)
		skip_test("there is no cgroup2");
	while (!*wanted && (entry = readdir(groups)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			snprintf(wanted, sizeof(wanted), "/%s", entry->d_name);
	closedir(groups);
	if (!cgroup_path_by_number(mount, number_of(mount, "."), path, sizeof(path)))
		skip_test("a right is missing");
	ck_assert_str_eq(path, "/");
	ck_assert(!cgroup_path_by_number(mount, UINT64_MAX, path, sizeof(path)));
	if (*wanted) {
		uint64_t number = number_of(mount, wanted + 1);

		ck_assert(cgroup_path_by_number(mount, number, path, sizeof(path)));
		ck_assert_str_eq(path, wanted);
		ck_assert(cgroup_path_by_number(mount, number, path, strlen(wanted) + 1));
		ck_assert_str_eq(path, wanted);
		ck_assert(!cgroup_path_by_number(mount, number, path, strlen(wanted)));
	}
	close(mount);
}
END_TEST
