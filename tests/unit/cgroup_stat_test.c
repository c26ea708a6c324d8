/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of control groups, as several kernels print them. */
#include <config.h>

#include "kernel/cgroup.h"
#include "kernel/cgroup_stat.h"
#include "suite.h"

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
