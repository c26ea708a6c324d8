/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parsers of kernel files, on good and on hostile text. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "core/buffer.h"
#include "kernel/arcstats.h"
#include "kernel/battery.h"
#include "kernel/cgroup.h"
#include "kernel/cpu_list.h"
#include "kernel/cpu_times.h"
#include "kernel/diskstats.h"
#include "kernel/hwmon.h"
#include "kernel/interrupts.h"
#include "kernel/meminfo.h"
#include "kernel/net/net_dev.h"
#include "kernel/net/net_socket.h"
#include "kernel/net/sockstat.h"
#include "kernel/node_meminfo.h"
#include "kernel/oom_record.h"
#include "kernel/passwd.h"
#include "kernel/perf_read.h"
#include "kernel/pid/drm_client.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_fd.h"
#include "kernel/pid/pid_limits.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_status.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/pid/smaps_rollup.h"
#include "kernel/pid/taskstats.h"
#include "kernel/pid/timens.h"
#include "kernel/pmu_event.h"
#include "kernel/powercap.h"
#include "kernel/pressure.h"
#include "kernel/system.h"
#include "kernel/vmstat.h"
#include "kernel/zoneinfo.h"
#include "suite.h"

START_TEST(meminfo_takes_bytes_and_counts)
{
	struct meminfo meminfo;

	meminfo_parse(
		span_text(
			"MemTotal:   10 kB\nHugePages_Total:  3\nHugepagesize: 2048 kB\nActive(anon): 7 kB\n"
			"Bogus\nMemFree 5 kB\nMemAvailable: 18446744073709551615 kB\n"),
		&meminfo);
	ck_assert_uint_eq(meminfo.total, 10240);
	ck_assert_uint_eq(meminfo.active_anon, 7168);
	ck_assert_uint_eq(meminfo.free, U64_UNKNOWN);      /* no colon */
	ck_assert_uint_eq(meminfo.available, U64_UNKNOWN); /* too large for bytes */
	ck_assert_uint_eq(meminfo.hugetlb, 3 * 2048 * 1024);   /* before 4.19 from count and size */
}
END_TEST

START_TEST(meminfo_lines_in_any_order)
{
	struct meminfo meminfo;

	meminfo_parse(span_text("SwapFree: 1 kB\nMemTotal: 2 kB\nInactive(file): 3 kB\nActive: 4 kB\n"),
		      &meminfo);
	ck_assert_uint_eq(meminfo.swap_free, 1024);
	ck_assert_uint_eq(meminfo.total, 2048);
	ck_assert_uint_eq(meminfo.inactive_file, 3072);
	ck_assert_uint_eq(meminfo.active, 4096);
}
END_TEST

START_TEST(vmstat_adds_up_zones)
{
	static const char *const names[] = { "pgscan_kswapd", "pgscan_direct", "allocstall", "pgpgin",
					     "oom_kill" };
	uint64_t values[5];

	vmstat_parse(
		span_text("pgpgin 7\npgscan_kswapd_dma 1\npgscan_kswapd_normal 2\npgscan_kswapd_movable 4\n"
			  "pgscan_direct 9\npgscan_direct_throttle 100\nallocstall_dma32 "
			  "5\nallocstall_device 6\n"
			  "pgpgin_fast 50\n"),
		names, 5, values);
	ck_assert_uint_eq(values[0], 7);
	ck_assert_uint_eq(values[1], 9);
	ck_assert_uint_eq(values[2], 11);
	ck_assert_uint_eq(values[3], 7);
	ck_assert_uint_eq(values[4], U64_UNKNOWN);
}
END_TEST

START_TEST(zoneinfo_sums_reserves)
{
	struct zoneinfo zones;

	zoneinfo_parse(
		span_text("Node 0, zone DMA\n  pages free 5\n min 1\n low 10\n high 20\n present 90\n"
			  " managed 80\n protection: (0, 30, 50, 40)\n pagesets\n cpu: 0\n high: 186\n"
			  "Node 0, zone Normal\n low 100\n high 200\n present 150\n protection: (0, 0)\n"
			  "Node 0, zone Movable\n low 32\n high 32\n managed 0\n protection: (0, 0)\n"),
		&zones);
	ck_assert_uint_eq(zones.zones, 2);
	ck_assert_uint_eq(zones.low_pages, 110);
	ck_assert_uint_eq(zones.reserve_pages, 70 + 150); /* 50 + 20; 200 but not more than present */
	zoneinfo_parse(span_text("low 5\nhigh 6\n"), &zones);
	ck_assert_uint_eq(zones.zones, 0);
}
END_TEST

START_TEST(pressure_takes_whole_lines_only)
{
	struct span text = span_text("some avg10=1.50 avg60=0.00 avg300=0.10 total=12345\nfull avg10=0.00\n"
				     "full avg10=0.00 avg60=2.00 avg300=0.00 total=7\n");
	struct pressure_line line;

	ck_assert(pressure_next(&text, &line) && span_is(line.kind, "some"));
	ck_assert(line.avg10 == 1.5 && line.avg300 == 0.1 && line.total_us == 12345);
	ck_assert(pressure_next(&text, &line) && span_is(line.kind, "full"));
	ck_assert(line.avg60 == 2 && line.total_us == 7);
	ck_assert(!pressure_next(&text, &line));
}
END_TEST

START_TEST(system_files)
{
	struct loadavg load = { .load1 = -1 };
	struct stat_totals totals;
	double uptime = -1;

	ck_assert(loadavg_parse(span_text("0.42 0.31 0.20 2/214 9000\n"), &load) && load.last_pid == 9000);
	ck_assert(load.load1 == 0.42 && load.load15 == 0.2 && load.threads == 214);
	ck_assert(!loadavg_parse(span_text("0.5 0.3"), &load));
	ck_assert(load.load1 == 0.42); /* untouched on failure */
	ck_assert(uptime_parse(span_text("12.50 3.0\n"), &uptime) && uptime == 12.5);
	ck_assert(!uptime_parse(span_text("-1"), &uptime));
	stat_totals_parse(
		span_text("cpu  1 2\ncpu0 1 2\ncpu17 1 2\nintr 99 1 2 3\nctxt 5\nprocs_running 3\n"),
		&totals);
	ck_assert_uint_eq(totals.cpus, 2);
	ck_assert_uint_eq(totals.interrupts, 99);
	ck_assert_uint_eq(totals.context_switches, 5);
	ck_assert_uint_eq(totals.running, 3);
	ck_assert_uint_eq(totals.forks, U64_UNKNOWN);
}
END_TEST

static bool is_path(const char *cgroups, const char *path)
{
	return span_is(cgroup_path(span_text(cgroups)), path);
}

START_TEST(one_path_stands_for_a_process)
{
	ck_assert(is_path("0::/user.slice/a.scope\n", "/user.slice/a.scope"));
	ck_assert(is_path("4:cpu,cpuacct:/a\n3:memory:/a/b\n1:name=systemd:/a\n0::/\n", "/a/b"));
	ck_assert(is_path("9:freezer:/x/y/z\n4:memory:/b\n3:cpu:/a\n0::/\n", "/a")); /* cpu before memory */
	ck_assert(is_path("3:cpu:/\n1:name=systemd:/s\n0::/s/t\n", "/s/t"));
	ck_assert(is_path("2:pids:/a:b/c\n", "/a:b/c") && is_path("0::/\n", "/"));
	ck_assert(is_path("0::/a/b (deleted)\n", "/a/b") && is_path("0::/../x", "/../x"));
	ck_assert(is_path("", "") && is_path("nonsense", "") && is_path("0::\n", "") &&
		  is_path("0::x\n", "") && is_path("1:freezer:/a\n", ""));
}
END_TEST

START_TEST(paths_of_a_process_in_each_hierarchy)
{
	struct span cgroups = span_text("5:memory:/a/b\n4:cpu:/x\n1:name=systemd:/s (deleted)\n"), path;
	unsigned found = 0;

	for (unsigned i = 0; i < CGROUP_PATHS; i++) {
		if (!cgroup_path_in(cgroups, i, &path))
			continue;
		ck_assert(span_is(path, "/x") || span_is(path, "/a/b") || span_is(path, "/s"));
		found++;
	}
	ck_assert_uint_eq(found, 3);
}
END_TEST

START_TEST(cgroup_version_by_controller)
{
	static const char cgroups[] = "4:cpu,memory:/a b/c\n1:name=systemd:/\n0::/unified/x\n";
	static const char mounts[] =
		"35 31 0:32 /a\\040b /sys/fs/cgroup/memory rw shared:9 - cgroup none rw,memory\n"
		"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n";
	struct cgroup_place place;

	ck_assert(cgroup_find(span_text(cgroups), span_text(mounts), "memory", &place));
	ck_assert_int_eq(place.version, 1);
	ck_assert_str_eq(place.mount, "sys/fs/cgroup/memory");
	ck_assert(cgroup_find(span_text(cgroups), span_text(mounts), "pids", &place));
	ck_assert_int_eq(place.version, 2);
	ck_assert_str_eq(place.mount, "sys/fs/cgroup/unified");
	ck_assert_str_eq(place.group, "unified/x");
	ck_assert(!cgroup_find(span_text(""), span_text(mounts), "memory", &place));
	ck_assert(!cgroup_find(span_text(cgroups), span_text("1 2 3\n"), "memory", &place));
}
END_TEST

START_TEST(cgroup_takes_the_mount_root_off)
{
	struct cgroup_place place;

	ck_assert(cgroup_find(span_text("0::/docker/ab\n"),
			      span_text("35 31 0:32 /docker /cg rw - cgroup2 none rw\n"), "memory", &place));
	ck_assert_str_eq(place.mount, "cg");
	ck_assert_str_eq(place.group, "ab");
	ck_assert(cgroup_find(span_text("0::/dockers/ab\n"),
			      span_text("35 31 0:32 /docker /cg rw - cgroup2 none rw\n"), "memory", &place));
	ck_assert_str_eq(place.group, "dockers/ab");
	ck_assert(cgroup_find(span_text("0::/docker/ab\n"),
			      span_text("35 31 0:32 /other /other rw - cgroup2 none rw\n"
					"36 31 0:32 / /cg rw - cgroup2 none rw\n"), "memory", &place));
	ck_assert_str_eq(place.mount, "cg"); /* the first mount does not show the group */
	ck_assert_str_eq(place.group, "docker/ab");
}
END_TEST

/* Mounts are escaped by the kernel, paths of groups are not. */
START_TEST(cgroup_with_a_backslash)
{
	static const char mounts[] = "35 31 0:32 /a\\134b\\040c /c\\040g rw - cgroup2 none rw\n";
	struct cgroup_place place;
	struct span rest = span_text(mounts);

	ck_assert(cgroup_find(span_text("0::/a\\040x\n"),
			      span_text("35 31 0:32 / /cg rw - cgroup2 none rw\n"), "memory", &place));
	ck_assert_str_eq(place.group, "a\\040x");
	ck_assert(cgroup_find(span_text("0::/a\\b c/d\\134\n"), span_text(mounts), "memory", &place));
	ck_assert_str_eq(place.mount, "c g");
	ck_assert_str_eq(place.group, "d\\134");
	ck_assert(cgroup_next(&rest, "/a\\b c/e\\040", &place));
	ck_assert_int_eq(place.version, 2);
	ck_assert_str_eq(place.group, "e\\040");
}
END_TEST

START_TEST(cgroup_limits)
{
	uint64_t bytes;

	ck_assert(cgroup_limit_parse(span_text("max\n"), &bytes) && bytes == CGROUP_NO_LIMIT);
	ck_assert(cgroup_limit_parse(span_text("4096\n"), &bytes) && bytes == 4096);
	ck_assert(cgroup_limit_parse(span_text("9223372036854771712\n"), &bytes) && bytes == CGROUP_NO_LIMIT);
	ck_assert(!cgroup_limit_parse(span_text("maximum\n"), &bytes));
	ck_assert(!cgroup_limit_parse(span_text(""), &bytes));
	/* none, of a kernel with pages of 64 KiB; a limit of 8 EiB less 64 KiB less a byte */
	ck_assert(cgroup_limit_parse(span_text("9223372036854710272"), &bytes) && bytes == CGROUP_NO_LIMIT);
	ck_assert(cgroup_limit_parse(span_text("9223372036854710271"), &bytes) &&
		  bytes == UINT64_C(9223372036854710271));
}
END_TEST

START_TEST(cgroup_quotas)
{
	double cpus;

	ck_assert(cgroup_quota_parse(span_text("150000"), span_text(" 100000\n"), &cpus) && cpus == 1.5);
	ck_assert(cgroup_quota_parse(span_text("1000"), span_text("1000000"), &cpus) && cpus == 0.001);
	ck_assert(cgroup_quota_parse(span_text("max"), span_text("100000"), &cpus) && cpus == 0);
	ck_assert(cgroup_quota_parse(span_text("-1"), span_text("100000"), &cpus) && cpus == 0);
	ck_assert(!cgroup_quota_parse(span_text("1000"), span_text("0"), &cpus));
	ck_assert(!cgroup_quota_parse(span_text("1000"), span_text(""), &cpus));
	ck_assert(!cgroup_quota_parse(span_text(""), span_text("1000"), &cpus));
}
END_TEST

/* Mounts of a container show only what is below their root. */
START_TEST(mounts_of_groups_in_turn)
{
	static const char text[] = "30 1 0:3 / /proc rw - proc proc rw\n"
				   "31 1 0:4 /a/b /cg1/cpu/ rw - cgroup cgroup rw,cpu,cpuacct\n"
				   "32 1 0:5 / //cg2 rw - cgroup2 cgroup2 rw\n";
	struct span rest = span_text(text);
	struct cgroup_mount mount;
	struct cgroup_place place;

	ck_assert(cgroup_mount_next(&rest, &mount) && mount.version == 1);
	ck_assert_str_eq(mount.point, "cg1/cpu");
	ck_assert(cgroup_mount_has(&mount, "cpuacct") && !cgroup_mount_has(&mount, "cpua"));
	ck_assert(cgroup_mount_next(&rest, &mount) && mount.version == 2);
	ck_assert_str_eq(mount.point, "cg2");
	ck_assert(!cgroup_mount_next(&rest, &mount));
	rest = span_text(text);
	ck_assert(cgroup_next(&rest, "/a", &place) && place.version == 0); /* above its root */
	ck_assert(cgroup_next(&rest, "/a", &place) && place.version == 2);
	ck_assert_str_eq(place.group, "a");
	ck_assert(!cgroup_next(&rest, "/a", &place));
	rest = span_text(text);
	ck_assert(cgroup_next(&rest, "/a/b", &place) && place.version == 1);
	ck_assert_str_eq(place.group, "");
	rest = span_text(text);
	ck_assert(cgroup_next(&rest, "/a/b/c/", &place) && place.version == 1);
	ck_assert_str_eq(place.group, "c");
	rest = span_text(text);
	ck_assert(cgroup_next(&rest, "/a/x/c", &place) && place.version == 0);
}
END_TEST

START_TEST(arcstats_above_minimum)
{
	struct arcstats arc;

	ck_assert(arcstats_parse(span_text("13 1 0x01\nname type data\nsize 4 100\nc_min 4 30\n"), &arc));
	ck_assert_uint_eq(arcstats_reclaimable(&arc), 70);
	ck_assert(arcstats_parse(span_text("size 4 10\nc_min 4 30\n"), &arc));
	ck_assert_uint_eq(arcstats_reclaimable(&arc), 0);
	ck_assert(!arcstats_parse(span_text("size 4 10\n"), &arc));
}
END_TEST

/* A line whose n-th field, as proc(5) counts them, is 1000 + n, but for the field with that text. */
static void stat_line(char text[512], int n_fields, int other, const char *value)
{
	int length = sprintf(text, "5 (x) S");

	for (int field = 4; field <= n_fields; field++)
		length += field == other ? sprintf(text + length, " %s", value)
					 : sprintf(text + length, " %d", 1000 + field);
}

START_TEST(fields_of_stat)
{
	struct pid_stat stat;
	uint64_t policy, disk_ticks;
	char text[512];
	int status;

	stat_line(text, 52, 0, "");
	ck_assert(pid_stat_parse(span_text(text), &stat));
	ck_assert(stat.state == 'S' && stat.parent_pid == 1004 && stat.process_group == 1005);
	ck_assert(stat.session == 1006 && stat.terminal == 1007 && stat.flags == 1009);
	ck_assert(stat.minor_faults == 1010 && stat.major_faults == 1012);
	ck_assert(stat.user_ticks == 1014 && stat.system_ticks == 1015);
	ck_assert(stat.children_user_ticks == 1016 && stat.children_system_ticks == 1017);
	ck_assert(stat.priority == 1018 && stat.nice == 1019 && stat.threads == 1020);
	ck_assert(stat.start_ticks == 1022 && stat.resident_pages == 1024 && stat.processor == 1039);
	ck_assert(pid_stat_late_fields(span_text(text), &policy, &disk_ticks));
	ck_assert(policy == 1041 && disk_ticks == 1042);
	ck_assert(pid_stat_exit_status(span_text(text), &status) && status == 1052);
	for (int n_fields = 3; n_fields < 52; n_fields++) {
		stat_line(text, n_fields, 0, NULL);
		ck_assert_int_eq(pid_stat_parse(span_text(text), &stat), n_fields >= 22);
		ck_assert_int_eq(pid_stat_late_fields(span_text(text), &policy, &disk_ticks), n_fields >= 42);
		ck_assert(!pid_stat_exit_status(span_text(text), &status));
		if (n_fields >= 22)
			ck_assert(stat.resident_pages == (n_fields >= 24 ? 1024 : U64_UNKNOWN) &&
				  stat.processor == (n_fields >= 39 ? 1039 : U64_UNKNOWN));
	}
}
END_TEST

/* What does not fit is not cut. */
START_TEST(numbers_of_stat_at_their_limits)
{
	struct pid_stat stat;
	char text[512];
	int status;

	stat_line(text, 52, 9, "4294967295");
	ck_assert(pid_stat_parse(span_text(text), &stat) && stat.flags == UINT32_MAX);
	stat_line(text, 52, 9, "4294967296");
	ck_assert(!pid_stat_parse(span_text(text), &stat));
	stat_line(text, 52, 18, "-2147483648");
	ck_assert(pid_stat_parse(span_text(text), &stat) && stat.priority == INT32_MIN);
	stat_line(text, 52, 18, "2147483647");
	ck_assert(pid_stat_parse(span_text(text), &stat) && stat.priority == INT32_MAX);
	stat_line(text, 52, 18, "2147483648");
	ck_assert(!pid_stat_parse(span_text(text), &stat));
	stat_line(text, 52, 18, "-2147483649");
	ck_assert(!pid_stat_parse(span_text(text), &stat));
	stat_line(text, 52, 52, "2147483647");
	ck_assert(pid_stat_exit_status(span_text(text), &status) && status == INT32_MAX);
	stat_line(text, 52, 52, "2147483648");
	ck_assert(!pid_stat_exit_status(span_text(text), &status));
}
END_TEST

START_TEST(pid_stat_of_hostile_names)
{
	static const struct {
		const char *text, *comm;
	} cases[] = {
		{ "7 (a) R (b) S 1 1 1 0 -1 4 100 200 9 5 6 7 8 9 20 0 1 0 500 1 2 3", "a) R (b" },
		{ "8 (x\ny) Z 1 1 1 0 -1 4 100 200 9 5 6 7 8 9 20 0 1 0 500\n", "x\ny" },
		{ "9 () R 1 1 1 0 -1 4 100 200 9 5 6 7 8 9 20 0 1 0 500\n", "" },
	};
	struct pid_stat stat;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert(pid_stat_parse(span_text(cases[i].text), &stat));
		ck_assert(span_is(stat.comm, cases[i].comm));
		ck_assert_uint_eq(stat.major_faults, 9);
		ck_assert_uint_eq(stat.start_ticks, 500);
	}
	ck_assert(!pid_stat_parse(span_text("7 (a) R 1 1 1"), &stat));
	ck_assert(!pid_stat_parse(span_text("7 a R 1"), &stat));
	ck_assert(!pid_stat_parse(span_text("7 )(a R 1"), &stat));
	ck_assert(!pid_stat_parse(span_text(""), &stat));
}
END_TEST

START_TEST(pid_stat_to_the_processor)
{
	static const char line[] =
		"7 (x) D 3 -1 6 34817 -1 2097152 100 200 9 5 6 7 8 9 39 -20 12 0 500 1 2 3 4 5 6 7 8 9 10 "
		"11 12 13 14 15 17 3 0\n";
	struct pid_stat stat;

	ck_assert(pid_stat_parse(span_text(line), &stat));
	ck_assert(stat.state == 'D' && stat.parent_pid == 3 && stat.flags == PID_FLAG_KERNEL_THREAD);
	ck_assert(stat.process_group == -1 && stat.session == 6 && stat.terminal == 34817);
	ck_assert(stat.minor_faults == 100 && stat.user_ticks == 6 && stat.system_ticks == 7);
	ck_assert(stat.children_user_ticks == 8 && stat.children_system_ticks == 9);
	ck_assert(stat.nice == -20 && stat.threads == 12 && stat.resident_pages == 2 && stat.processor == 3);
	ck_assert(pid_stat_parse(span_of(line, 65), &stat)); /* cut behind the start time */
	ck_assert(stat.resident_pages == U64_UNKNOWN && stat.processor == U64_UNKNOWN);
}
END_TEST

START_TEST(pid_status_effective_user)
{
	uint32_t real = 7, uid = 7;

	ck_assert(pid_status_uids(span_text("Name:\tUid: 3\nUid:\t1000\t0\t0\t0\n"), &real, &uid) &&
		  uid == 0);
	ck_assert_uint_eq(real, 1000);
	ck_assert(!pid_status_uids(span_text("Uid:\t1000\n"), &real, &uid) &&
		  !pid_status_uids(span_text(""), &real, &uid));
	ck_assert(!pid_status_uids(span_text("Uid:\t1\t4294967296\n"), &real, &uid));
}
END_TEST

START_TEST(cpu_times_of_old_and_new_kernels)
{
	struct span text = span_text("cpu  1 2 3 4 5 6 7 8 9 10\ncpu12 1 2 3 4\ncpux 1\ncpu3 1 2\nintr 5\n");
	struct cpu_times times;

	ck_assert(cpu_times_next(&text, &times) && times.cpu == CPU_ALL);
	ck_assert(times.user == 1 && times.steal == 8 && times.guest_nice == 10);
	ck_assert(cpu_times_next(&text, &times) && times.cpu == 12);
	ck_assert(times.idle == 4 && times.iowait == U64_UNKNOWN && times.guest == U64_UNKNOWN);
	ck_assert(!cpu_times_next(&text, &times));
}
END_TEST

/* As long as none was counted the kernel does not count them. */
START_TEST(time_in_interrupts_is_measured_or_not)
{
	struct cpu_times times = { .irq = 0 };

	ck_assert(!cpu_times_measures_interrupts(&times));
	times.irq = U64_UNKNOWN;
	ck_assert(!cpu_times_measures_interrupts(&times));
	times.irq = 1;
#if !defined(__powerpc__) && !defined(__s390__) /* which count it elsewhere */
	ck_assert(cpu_times_measures_interrupts(&times));
#endif
}
END_TEST

START_TEST(cpuinfo_speeds)
{
	struct span text = span_text("processor\t: 3\nmodel name\t: x @ 2.6GHz\ncpu MHz\t\t: 2600.250\n\n"
				     "processor\t: 4\n\ncpu MHz : nonsense\n");
	uint64_t cpu;
	double hertz;

	ck_assert(cpuinfo_next_speed(&text, &cpu, &hertz) && cpu == 3);
	ck_assert_double_eq(hertz, 2600.25e6);
	ck_assert(!cpuinfo_next_speed(&text, &cpu, &hertz));
}
END_TEST

START_TEST(passwd_names)
{
	static const char text[] =
		"root:x:0:0::/:/bin/sh\n:x:5:5::/:\nbad\nada:x:1000:1000::/home/ada:\nbob:x:1000:1:::\n";
	struct span name;
	uint32_t uid = 7;

	ck_assert(passwd_find(span_text(text), 1000, &name) && span_is(name, "ada"));
	ck_assert(passwd_find(span_text(text), 0, &name) && span_is(name, "root"));
	ck_assert(passwd_number(span_text(text), span_text("ada"), &uid) && uid == 1000);
	ck_assert(passwd_number(span_text(text), span_text("root"), &uid) && uid == 0);
	ck_assert(!passwd_number(span_text(text), span_text("ad"), &uid) &&
		  !passwd_number(span_text(text), span_text(""), &uid));
	ck_assert(!passwd_find(span_text(text), 5, &name) && !passwd_find(span_text(text), 7, &name));
}
END_TEST

/* A line is of a user only if all of the name is the same; a number beyond UIDs is of no other one. */
START_TEST(passwd_lines_of_other_users)
{
	static const char text[] = "adam:x:1::/:\nada:x:4294967296::/:\nada::4294967294:0::/:\n"
				   "bob:x:12a::/:\nbob:x:7\nbob:x:8:";
	struct span name;
	uint32_t uid = 5;

	ck_assert(passwd_number(span_text(text), span_text("ada"), &uid) && uid == UINT32_MAX - 1);
	ck_assert(passwd_find(span_text(text), UINT32_MAX - 1, &name) && span_is(name, "ada"));
	ck_assert(passwd_number(span_text(text), span_text("adam"), &uid) && uid == 1);
	ck_assert(passwd_number(span_text(text), span_text("bob"), &uid) && uid == 8);
	ck_assert(!passwd_find(span_text(text), 0, &name) && !passwd_find(span_text(text), 12, &name));
	ck_assert(!passwd_number(span_text(text), span_text("adb"), &uid) && uid == 8);
}
END_TEST

START_TEST(pid_statm_pages)
{
	struct pid_statm statm;

	ck_assert(pid_statm_parse(span_text("580 392 360 5 0 100 0\n"), &statm));
	ck_assert(statm.virtual_pages == 580 && statm.resident_pages == 392 && statm.shared_pages == 360);
	ck_assert(!pid_statm_parse(span_text("580\n"), &statm));
	ck_assert(!pid_statm_parse(span_text("580 392\n"), &statm));
	ck_assert(!pid_statm_parse(span_text(""), &statm));
}
END_TEST

START_TEST(pid_io_read_bytes)
{
	struct pid_io io;

	ck_assert(pid_io_parse(span_text("rchar: 1\nread_bytes: 4096\n"), &io) && io.read_bytes == 4096);
	ck_assert_uint_eq(io.write_bytes, U64_UNKNOWN);
	ck_assert(pid_io_parse(span_text("read_bytes: 4096\nwrite_bytes: 12\ncancelled_write_bytes: 3\n"),
			       &io));
	ck_assert_uint_eq(io.write_bytes, 12);
	ck_assert_uint_eq(io.call_read_bytes, U64_UNKNOWN);
	ck_assert(pid_io_parse(span_text("rchar: 5\nwchar: 6\nsyscr: 7\nread_bytes: 0\n"), &io));
	ck_assert(io.call_read_bytes == 5 && io.call_write_bytes == 6 && io.read_bytes == 0);
	ck_assert(!pid_io_parse(span_text("rchar: 1\n"), &io));
}
END_TEST

START_TEST(pid_sched_task_clock)
{
	double seconds = -1;

	ck_assert(pid_sched_parse(span_text("x (9, #threads: 1)\n-----\nse.exec_start   :  12842623.155159\n"
					    "se.vruntime : 1.5\n"),
				  &seconds));
	ck_assert_double_eq_tol(seconds, 12842.623155159, 1e-9);
	ck_assert(!pid_sched_parse(span_text("se.exec_start (9, #threads: 1)\n"), &seconds));
	ck_assert(!pid_sched_parse(span_text("se.exec_start : \n"), &seconds));
	ck_assert(!pid_sched_parse(span_text("se.vruntime : 1.5\n"), &seconds));
}
END_TEST

#define FAMILY 31
#define STATS_BYTES 384 /* version 12 and its first field */

struct datagram {
	char bytes[2048];
	size_t length;
};

static void add(struct datagram *datagram, const void *bytes, size_t length)
{
	memcpy(datagram->bytes + datagram->length, bytes, length);
	datagram->length += length;
}

static void add_attribute(struct datagram *datagram, uint16_t type, const void *bytes, size_t length)
{
	struct nlattr header = { .nla_type = type, .nla_len = (uint16_t)(sizeof(header) + length) };

	add(datagram, &header, sizeof(header));
	add(datagram, bytes, length);
}

static void add_message(struct datagram *datagram, uint16_t type, uint8_t command,
			const struct datagram *attributes)
{
	struct nlmsghdr header = { .nlmsg_type = type, .nlmsg_seq = 5 };
	struct genlmsghdr generic = { .cmd = command, .version = 1 };

	header.nlmsg_len = (uint32_t)(sizeof(header) + sizeof(generic) + attributes->length);
	add(datagram, &header, sizeof(header));
	add(datagram, &generic, sizeof(generic));
	add(datagram, attributes->bytes, attributes->length);
}

/* Offsets as <linux/taskstats.h> gives them in all versions but 15. */
static void add_exit(struct datagram *datagram, uint16_t version, size_t stats_bytes)
{
	uint32_t exit_code = 0x700, uid = 1000, tid = 42, tgid = 40;
	uint64_t user_us = 2500, system_us = 1500, runs = 3, queued_ns = 2000, elapsed_us = 9, peak_kib = 800,
		 sleeps = 2;
	struct datagram thread = { 0 }, process = { 0 }, attributes = { 0 };
	char stats[2 * STATS_BYTES] = { 0 };
	uint8_t flags = 0x21;

	memset(stats + 368, 0xee, sizeof(stats) - 368);
	memcpy(stats, &version, 2);
	memcpy(stats + 4, &exit_code, 4);
	memcpy(stats + 8, &flags, 1);
	memcpy(stats + 16, &runs, 8);
	memcpy(stats + 24, &queued_ns, 8);
	memcpy(stats + 80, "a b) \033", 7);
	memcpy(stats + 120, &uid, 4);
	memcpy(stats + 128, &tid, 4);
	memcpy(stats + 144, &elapsed_us, 8);
	memcpy(stats + 152, &user_us, 8);
	memcpy(stats + 160, &system_us, 8);
	memcpy(stats + 200, &peak_kib, 8);
	memcpy(stats + 272, &sleeps, 8);
	memcpy(stats + 368, &tgid, 4);
	add_attribute(&thread, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
	add_attribute(&thread, TASKSTATS_TYPE_STATS, stats, stats_bytes);
	add_attribute(&process, TASKSTATS_TYPE_TGID, &tgid, sizeof(tgid));
	add_attribute(&attributes, TASKSTATS_TYPE_NULL, "", 0);
	add_attribute(&attributes, TASKSTATS_TYPE_AGGR_PID | NLA_F_NESTED, thread.bytes, thread.length);
	add_attribute(&attributes, TASKSTATS_TYPE_AGGR_TGID, process.bytes, process.length);
	add_message(datagram, FAMILY, TASKSTATS_CMD_NEW, &attributes);
}

static bool first_exit(const struct datagram *datagram, size_t length, struct exit_record *record)
{
	struct span rest = span_of(datagram->bytes, length);
	struct netlink_message message;

	return netlink_next(&rest, &message) && taskstats_exit(&message, FAMILY, record);
}

START_TEST(taskstats_two_exits_in_a_datagram)
{
	struct datagram datagram = { 0 };
	struct netlink_message message;
	struct exit_record record;
	struct span rest;

	add_exit(&datagram, 12, STATS_BYTES);
	add_exit(&datagram, 16, 2 * STATS_BYTES);
	rest = span_of(datagram.bytes, datagram.length);
	for (uint16_t version = 12; version <= 16; version += 4) {
		ck_assert(netlink_next(&rest, &message) && taskstats_exit(&message, FAMILY, &record));
		ck_assert_uint_eq(record.version, version);
		ck_assert_uint_eq(record.tid, 42);
		ck_assert_uint_eq(record.tgid, 40);
		ck_assert(record.last);
		ck_assert_uint_eq(record.uid, 1000);
		ck_assert_uint_eq(record.exit_code, 0x700);
		ck_assert_uint_eq(record.user_ns, 2500000);
		ck_assert_uint_eq(record.system_ns, 1500000);
		ck_assert_uint_eq(record.cpu_ns, 4000000);
		ck_assert_uint_eq(record.queued_ns, 2000);
		ck_assert_uint_eq(record.elapsed_ns, 9000);
		ck_assert_uint_eq(record.peak_kib, 800);
		ck_assert_uint_eq(record.sleeps, 2);
		ck_assert_str_eq(record.comm, "a b) \033");
	}
	ck_assert(!netlink_next(&rest, &message));
	ck_assert_uint_eq(span_length(rest), 0);
	ck_assert(!taskstats_exit(&message, FAMILY + 1, &record));
	ck_assert(!taskstats_exit(&message, FAMILY - 1, &record));
}
END_TEST

/* In memory of just that length, so that the sanitizers see a read beyond. */
START_TEST(taskstats_cut_anywhere)
{
	struct datagram datagram = { 0 };
	struct exit_record record;

	add_exit(&datagram, 12, STATS_BYTES);
	for (size_t length = 0; length < datagram.length; length++) {
		char *copy = malloc(length + !length);
		struct span rest = span_of(copy, length);
		struct nlmsghdr header;
		struct netlink_message message;

		memcpy(copy, datagram.bytes, length);
		ck_assert(!netlink_next(&rest, &message));
		ck_assert_uint_eq(span_length(rest), length);
		if (length >= sizeof(header)) { /* the header is right, the attributes are cut */
			memcpy(&header, copy, sizeof(header));
			header.nlmsg_len = (uint32_t)length;
			memcpy(copy, &header, sizeof(header));
			ck_assert(netlink_next(&rest, &message));
			if (taskstats_exit(&message, FAMILY, &record))
				ck_assert_uint_eq(record.cpu_ns, 4000000);
		}
		free(copy);
	}
}
END_TEST

START_TEST(taskstats_short_and_old_leave_unknowns)
{
	struct datagram old = { 0 }, shorter = { 0 }, shortest = { 0 }, other = { 0 };
	struct exit_record record;

	add_exit(&old, 11, STATS_BYTES);
	ck_assert(first_exit(&old, old.length, &record));
	ck_assert_uint_eq(record.tgid, 0);
	ck_assert_uint_eq(record.cpu_ns, 4000000);
	add_exit(&shorter, 12, 160);
	ck_assert(first_exit(&shorter, shorter.length, &record));
	ck_assert_uint_eq(record.user_ns, 2500000);
	ck_assert_uint_eq(record.system_ns, U64_UNKNOWN);
	ck_assert_uint_eq(record.cpu_ns, U64_UNKNOWN);
	ck_assert_uint_eq(record.peak_kib, U64_UNKNOWN);
	ck_assert_uint_eq(record.sleeps, U64_UNKNOWN);
	ck_assert_uint_eq(record.tgid, 0);
	add_exit(&shortest, 12, 2);
	ck_assert(first_exit(&shortest, shortest.length, &record));
	ck_assert_uint_eq(record.tid, 42);
	ck_assert_uint_eq(record.uid, U32_UNKNOWN);
	ck_assert_uint_eq(record.exit_code, U32_UNKNOWN);
	ck_assert_uint_eq(record.queued_ns, U64_UNKNOWN);
	ck_assert_uint_eq(record.elapsed_ns, U64_UNKNOWN);
	ck_assert_str_eq(record.comm, "");
	add_exit(&other, 15, STATS_BYTES); /* the fields are elsewhere in version 15 */
	ck_assert(first_exit(&other, other.length, &record));
	ck_assert_uint_eq(record.tid, 42);
	ck_assert_uint_eq(record.cpu_ns, U64_UNKNOWN);
}
END_TEST

START_TEST(taskstats_of_version_15)
{
	uint32_t tid = 42, tgid = 40;
	uint16_t version = 15;
	uint64_t user_us = 7, system_us = UINT64_MAX / 1000, elapsed_us = 8, sleeps = 3;
	struct datagram thread = { 0 }, attributes = { 0 }, datagram = { 0 };
	struct exit_record record;
	char stats[576] = { 0 };

	memcpy(stats, &version, 2);
	memset(stats + 128, 'x', 32);
	memcpy(stats + 176, &tid, 4);
	memcpy(stats + 192, &elapsed_us, 8);
	memcpy(stats + 200, &user_us, 8);
	memcpy(stats + 320, &sleeps, 8);
	memcpy(stats + 208, &system_us, 8);
	memcpy(stats + 464, &tgid, 4);
	add_attribute(&thread, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
	add_attribute(&thread, TASKSTATS_TYPE_STATS, stats, sizeof(stats));
	add_attribute(&attributes, TASKSTATS_TYPE_AGGR_PID, thread.bytes, thread.length);
	add_message(&datagram, FAMILY, TASKSTATS_CMD_NEW, &attributes);
	ck_assert(first_exit(&datagram, datagram.length, &record));
	ck_assert_uint_eq(record.tgid, 40);
	ck_assert_uint_eq(record.exit_code, 0);
	ck_assert_uint_eq(record.user_ns, 7000);
	ck_assert_uint_eq(record.elapsed_ns, 8000);
	ck_assert_uint_eq(record.queued_ns, U64_UNKNOWN); /* it never ran, as far as that is watched */
	ck_assert_uint_eq(record.sleeps, 3);
	ck_assert_uint_eq(record.cpu_ns, U64_UNKNOWN); /* more than 64 bits hold */
	ck_assert_str_eq(record.comm, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}
END_TEST

START_TEST(netlink_answers)
{
	struct datagram attributes = { 0 }, datagram = { 0 };
	struct nlmsgerr denied = { .error = -EPERM };
	struct nlmsghdr header = { .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 9 };
	uint16_t family = 0, id = FAMILY;
	struct netlink_message message;
	struct exit_record record;
	struct span rest;
	int error = 1;

	add_attribute(&attributes, CTRL_ATTR_FAMILY_NAME, "TASKSTATS\0\0", 12);
	add_attribute(&attributes, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	((struct nlattr *)attributes.bytes)->nla_len = 14; /* its padding does not count */
	add_message(&datagram, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, &attributes);
	header.nlmsg_len = sizeof(header) + sizeof(denied);
	datagram.length = NLMSG_ALIGN(datagram.length);
	add(&datagram, &header, sizeof(header));
	add(&datagram, &denied, sizeof(denied));
	rest = span_of(datagram.bytes, datagram.length);
	ck_assert(netlink_next(&rest, &message) && taskstats_family(&message, &family));
	ck_assert_uint_eq(family, FAMILY);
	ck_assert(!netlink_ack(&message, &error) && !taskstats_exit(&message, FAMILY, &record));
	ck_assert(netlink_next(&rest, &message) && netlink_ack(&message, &error));
	ck_assert_int_eq(error, -EPERM);
	ck_assert_uint_eq(message.sequence, 9);
	ck_assert(!taskstats_family(&message, &family) && !taskstats_exit(&message, FAMILY, &record));
}
END_TEST

START_TEST(perf_groups_are_taken_whole)
{
	const uint64_t words[] = { 2, 400, 100, 7, 9 };
	struct span bytes = span_of((const char *)words, sizeof(words));
	struct perf_times times = { .enabled_ns = 1 };
	uint64_t values[3] = { 1, 1, 1 };

	ck_assert(!perf_read_parse(bytes, values, 3, &times)); /* other events than were opened */
	ck_assert(!perf_read_parse(bytes, values, 1, &times));
	for (size_t length = 0; length < sizeof(words); length++)
		ck_assert(!perf_read_parse(span_of(bytes.at, length), values, 2, &times));
	ck_assert(!perf_read_parse(span_of(bytes.at, 4 * sizeof(words[0])), values, 1, &times));
	ck_assert(values[0] == 1 && times.enabled_ns == 1);
	ck_assert(perf_read_parse(bytes, values, 2, &times));
	ck_assert(values[0] == 7 && values[1] == 9 && values[2] == 1);
	ck_assert(times.enabled_ns == 400 && times.running_ns == 100);
}
END_TEST

START_TEST(perf_counts_are_scaled)
{
	ck_assert_uint_eq(perf_scaled(7, (struct perf_times){ 400, 100 }), 28);
	ck_assert_uint_eq(perf_scaled(0, (struct perf_times){ 400, 1 }), 0);
	ck_assert_uint_eq(perf_scaled(7, (struct perf_times){ 400, 0 }), U64_UNKNOWN);
	ck_assert_uint_eq(perf_scaled(0, (struct perf_times){ 0, 0 }), U64_UNKNOWN);
	ck_assert_uint_eq(perf_scaled(7, (struct perf_times){ 400, 401 }), 7);
	/* exact where nothing is estimated, also above 53 bits */
	ck_assert_uint_eq(perf_scaled((UINT64_C(1) << 60) + 1, (struct perf_times){ 400, 400 }),
			  (UINT64_C(1) << 60) + 1);
	ck_assert_uint_eq(perf_scaled(UINT64_C(1) << 62, (struct perf_times){ 400, 1 }), U64_UNKNOWN);
}
END_TEST

START_TEST(lists_of_cpus)
{
	struct span list = span_text("0-3,8,10-11\n");
	uint32_t first, last;

	ck_assert(cpu_list_next(&list, &first, &last) && first == 0 && last == 3);
	ck_assert(cpu_list_next(&list, &first, &last) && first == 8 && last == 8);
	ck_assert(cpu_list_next(&list, &first, &last) && first == 10 && last == 11);
	ck_assert(!cpu_list_next(&list, &first, &last));
	ck_assert(cpu_list_has(span_text("0-3,8"), 2) && cpu_list_has(span_text("0-3,8"), 8));
	ck_assert(!cpu_list_has(span_text("0-3,8"), 5) && !cpu_list_has(span_text("\n"), 0));
	ck_assert(!cpu_list_has(span_text("3-1"), 2) && !cpu_list_has(span_text("0-4294967295"), 2));
	ck_assert(!cpu_list_has(span_text("0-"), 0) && !cpu_list_has(span_text("-1"), 1));
}
END_TEST

START_TEST(powercap_zones)
{
	struct powercap_zone zone;

	ck_assert(powercap_zone_parse(span_text("intel-rapl:0"), &zone));
	ck_assert(span_is(zone.control, "intel-rapl") && span_length(zone.parent) == 0);
	ck_assert(powercap_zone_parse(span_text("intel-rapl-mmio:1:12"), &zone));
	ck_assert(span_is(zone.control, "intel-rapl-mmio") && span_is(zone.parent, "intel-rapl-mmio:1"));
	ck_assert(powercap_zone_parse(span_text("a:1:2:3"), &zone) && span_is(zone.parent, "a:1:2"));
	ck_assert(!powercap_zone_parse(span_text("intel-rapl"), &zone));
	ck_assert(!powercap_zone_parse(span_text("intel-rapl:"), &zone));
	ck_assert(!powercap_zone_parse(span_text(":0"), &zone));
	ck_assert(!powercap_zone_parse(span_text("intel-rapl:x:0"), &zone));
	ck_assert(!powercap_zone_parse(span_text("intel-rapl: 0"), &zone));
	ck_assert(!powercap_zone_parse(span_text("intel-rapl:0:"), &zone));
	ck_assert_uint_lt(powercap_rank(span_text("intel-rapl")),
			  powercap_rank(span_text("intel-rapl-mmio")));
	ck_assert_uint_lt(powercap_rank(span_text("intel-rapl-mmio")), powercap_rank(span_text("dtpm")));
	ck_assert_int_eq(powercap_part(span_text("package-1-die-0")), POWERCAP_PACKAGE);
	ck_assert_int_eq(powercap_part(span_text("dram")), POWERCAP_DRAM);
	ck_assert_int_eq(powercap_part(span_text("psys")), POWERCAP_PLATFORM);
	ck_assert_int_eq(powercap_part(span_text("uncore")), POWERCAP_OTHER);
}
END_TEST

START_TEST(energy_counters_wrap_or_are_reset)
{
	const uint64_t range = 1000000;

	ck_assert_uint_eq(energy_step(5, 12, range, 1, 100).grown_uj, 7);
	ck_assert_uint_eq(energy_step(999990, 5, range, 0.001, 100).grown_uj, 15);
	ck_assert(energy_step(999990, 5, range, 0.001, 100).wrapped);
	ck_assert(!energy_step(999990, 5, range, 0.001, 100).may_have_wrapped);
	/* 900,005 uJ in a millisecond would be 900 W */
	ck_assert_uint_eq(energy_step(100000, 5, range, 0.001, 100).grown_uj, U64_UNKNOWN);
	ck_assert_uint_eq(energy_step(999990, 5, U64_UNKNOWN, 0.001, 100).grown_uj, U64_UNKNOWN);
	ck_assert_uint_eq(energy_step(999990, 5, 0, 0.001, 100).grown_uj, U64_UNKNOWN);
	/* a count above its range */
	ck_assert_uint_eq(energy_step(2000000, 5, range, 0.001, 100).grown_uj, U64_UNKNOWN);
	ck_assert(energy_step(5, 12, range, 0.01, 100).may_have_wrapped);
	ck_assert(!energy_step(5, 12, range, 0.0099, 100).may_have_wrapped);
	ck_assert(!energy_step(5, 12, U64_UNKNOWN, 1e9, 100).may_have_wrapped);
}
END_TEST

START_TEST(pmu_events_and_scales)
{
	uint64_t event = 9;
	double scale = 9;

	ck_assert(pmu_event_parse(span_text("event=0x02\n"), &event) && event == 2);
	ck_assert(pmu_event_parse(span_text("event=0xAf"), &event) && event == 0xaf);
	event = 9;
	ck_assert(!pmu_event_parse(span_text("event=0x"), &event) && !pmu_event_parse(span_text(""), &event));
	ck_assert(!pmu_event_parse(span_text("event=0x02,umask=0x1"), &event));
	ck_assert(!pmu_event_parse(span_text("umask=0x02"), &event) && event == 9);
	ck_assert(!pmu_event_parse(span_text("event=0x11111111111111111"), &event));
	ck_assert(pmu_scale_parse(span_text("2.3283064365386962890625e-10\n"), &scale));
	ck_assert_double_eq_tol(scale, 0x1p-32, 0x1p-85);
	ck_assert(pmu_scale_parse(span_text("6.103515625e-05"), &scale) && scale == 0x1p-14);
	ck_assert(pmu_scale_parse(span_text("64"), &scale) && scale == 64);
	ck_assert(pmu_scale_parse(span_text("0.0000000000000000000125"), &scale));
	ck_assert_double_eq_tol(scale, 1.25e-20, 1e-33);
	scale = 9;
	ck_assert(!pmu_scale_parse(span_text("0"), &scale) && !pmu_scale_parse(span_text("-1"), &scale));
	ck_assert(!pmu_scale_parse(span_text("1e999"), &scale) && !pmu_scale_parse(span_text("1e"), &scale));
	ck_assert(!pmu_scale_parse(span_text("nan"), &scale) && !pmu_scale_parse(span_text(""), &scale));
	ck_assert(!pmu_scale_parse(span_text("1 2"), &scale) && scale == 9);
}
END_TEST

START_TEST(power_supplies)
{
	struct power_supply supply;

	power_supply_parse(span_text("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Not charging\n"
				     "POWER_SUPPLY_CURRENT_NOW=-1500000\nPOWER_SUPPLY_VOLTAGE_NOW=12000000\n"
				     "POWER_SUPPLY_CHARGE_NOW=1000000\nPOWER_SUPPLY_CHARGE_FULL=4000000\n"
				     "POWER_SUPPLY_CHARGE_FULL_DESIGN=5000000\nDEVTYPE=x\nbroken\n"),
			   &supply);
	ck_assert(power_supply_is_battery(&supply) && span_is(supply.status, "Not charging"));
	ck_assert_double_eq_tol(power_supply_watts(&supply), 18, 1e-9);
	ck_assert_double_eq_tol(power_supply_joules(&supply), 12 * 3600, 1e-9);
	ck_assert_double_eq_tol(power_supply_charge(&supply), 0.25, 1e-9);
	ck_assert_double_eq_tol(power_supply_health(&supply), 0.8, 1e-9);
	power_supply_parse(span_text("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\n"
				     "POWER_SUPPLY_CAPACITY=50\nPOWER_SUPPLY_POWER_NOW=many\n"),
			   &supply);
	ck_assert(!power_supply_is_battery(&supply) && isnan(power_supply_watts(&supply)));
	ck_assert_double_eq_tol(power_supply_charge(&supply), 0.5, 1e-9);
	power_supply_parse(span_text("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_PRESENT=0\n"), &supply);
	ck_assert(!power_supply_is_battery(&supply)); /* an empty bay */
	power_supply_parse(span_text("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_ENERGY_NOW=-5\n"
				     "POWER_SUPPLY_ENERGY_FULL=0\nPOWER_SUPPLY_CAPACITY=-1"),
			   &supply);
	ck_assert(isnan(power_supply_charge(&supply)) && isnan(power_supply_health(&supply)));
	power_supply_parse(span_text(""), &supply);
	ck_assert(!power_supply_is_battery(&supply) && supply.online == SUPPLY_UNKNOWN);
}
END_TEST

START_TEST(hwmon_names_and_values)
{
	enum sensor_kind kind;
	struct span item;
	uint64_t number;

	ck_assert(hwmon_name_parse(span_text("temp12_input"), &kind, &number, &item));
	ck_assert(kind == SENSOR_TEMPERATURE && number == 12 && span_is(item, "input"));
	ck_assert(hwmon_name_parse(span_text("in0_min"), &kind, &number, &item));
	ck_assert(kind == SENSOR_VOLTAGE && number == 0 && span_is(item, "min"));
	ck_assert(hwmon_name_parse(span_text("power1_average"), &kind, &number, &item));
	ck_assert(kind == SENSOR_POWER && span_is(item, "input"));
	ck_assert(!hwmon_name_parse(span_text("temp_input"), &kind, &number, &item));
	ck_assert(!hwmon_name_parse(span_text("temp1_"), &kind, &number, &item));
	ck_assert(!hwmon_name_parse(span_text("temp99999_input"), &kind, &number, &item));
	ck_assert(!hwmon_name_parse(span_text("intrusion0_alarm"), &kind, &number, &item));
	ck_assert(!hwmon_name_parse(span_text("pwm1"), &kind, &number, &item));
	ck_assert_double_eq_tol(hwmon_value(SENSOR_TEMPERATURE, -12500), -12.5, 1e-9);
	ck_assert_double_eq_tol(hwmon_value(SENSOR_POWER, 31000000), 31, 1e-9);
	ck_assert(isnan(sensor_plausible(SENSOR_TEMPERATURE, -128)));
	ck_assert(isnan(sensor_plausible(SENSOR_TEMPERATURE, 255)));
	ck_assert(isnan(sensor_plausible(SENSOR_FAN, -1)) && isnan(sensor_plausible(SENSOR_FAN, NAN)));
	ck_assert_double_eq(sensor_plausible(SENSOR_TEMPERATURE, -40), -40);
}
END_TEST

START_TEST(sensors_of_every_kind)
{
	static const struct {
		const char *prefix;
		double unit, least, most, below, above;
	} kinds[N_SENSOR_KINDS] = {
		[SENSOR_TEMPERATURE] = { "temp", 1000, -55, 200, -55.001, 200.001 },
		[SENSOR_FAN] = { "fan", 1, 0, 100000, -1, 100001 },
		[SENSOR_VOLTAGE] = { "in", 1000, -1000, 1000, -1000.001, 1000.001 },
		[SENSOR_POWER] = { "power", 1000000, 0, 1e6, -1e-6, 1e6 + 1e-6 },
		[SENSOR_ENERGY] = { "energy", 1000000, 0, 1e18, -1e-6, 1.001e18 },
	};

	for (int i = 0; i < N_SENSOR_KINDS; i++) {
		enum sensor_kind kind = N_SENSOR_KINDS;
		uint64_t number = 0;
		struct span item;
		char name[32];

		snprintf(name, sizeof(name), "%s4096_average", kinds[i].prefix);
		ck_assert_msg(hwmon_name_parse(span_text(name), &kind, &number, &item), "%s", name);
		ck_assert_msg((int)kind == i && number == 4096, "%s", name);
		ck_assert_msg(span_is(item, i == SENSOR_POWER ? "input" : "average"), "%s", name);
		snprintf(name, sizeof(name), "%s4097_input", kinds[i].prefix);
		ck_assert_msg(!hwmon_name_parse(span_text(name), &kind, &number, &item), "%s", name);
		snprintf(name, sizeof(name), "%s0_x", kinds[i].prefix);
		ck_assert_msg(hwmon_name_parse(span_text(name), &kind, &number, &item), "%s", name);
		ck_assert_msg(number == 0 && span_is(item, "x"), "%s", name);
		ck_assert_str_eq(hwmon_prefix((enum sensor_kind)i), kinds[i].prefix);
		ck_assert_double_eq(hwmon_value((enum sensor_kind)i, 3), 3 / kinds[i].unit);
		ck_assert_double_eq(sensor_plausible((enum sensor_kind)i, kinds[i].least), kinds[i].least);
		ck_assert_double_eq(sensor_plausible((enum sensor_kind)i, kinds[i].most), kinds[i].most);
		ck_assert_double_eq(sensor_plausible((enum sensor_kind)i, 0.5), 0.5);
		ck_assert_msg(isnan(sensor_plausible((enum sensor_kind)i, kinds[i].below)), "%d", i);
		ck_assert_msg(isnan(sensor_plausible((enum sensor_kind)i, kinds[i].above)), "%d", i);
	}
}
END_TEST

START_TEST(names_that_are_no_sensor)
{
	static const char *const names[] = { "",
					     "temp",
					     "temp1",
					     "temp 1_input",
					     "temp1 _input",
					     "curr1_input",
					     "power_average",
					     "tem1_input",
					     "xtemp1_input" };
	enum sensor_kind kind;
	struct span item;
	uint64_t number;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(!hwmon_name_parse(span_text(names[i]), &kind, &number, &item), "%s", names[i]);
}
END_TEST

START_TEST(signed_numbers)
{
	struct span text = span_text(" -274000 +5 - 9223372036854775808");
	int64_t value = 1;

	ck_assert(span_i64(&text, &value) && value == -274000);
	ck_assert(span_i64(&text, &value) && value == 5);
	ck_assert(!span_i64(&text, &value) && *text.at == ' ');
	text = span_text("9223372036854775808");
	ck_assert(!span_i64(&text, &value) && value == 5);
	text = span_text("- 5");
	ck_assert(!span_i64(&text, &value));
	text = span_text("9223372036854775807 -9223372036854775807");
	ck_assert(span_i64(&text, &value) && value == INT64_MAX);
	ck_assert(span_i64(&text, &value) && value == -INT64_MAX && span_length(text) == 0);
	text = span_text("+-5");
	ck_assert(!span_i64(&text, &value) && span_is(text, "+-5"));
	text = span_text("-");
	ck_assert(!span_i64(&text, &value) && value == -INT64_MAX);
}
END_TEST

START_TEST(tcp_sockets_in_use)
{
	ck_assert_uint_eq(sockstat_tcp(span_text("sockets: used 152\nTCP: inuse 9 orphan 0 tw 2\n")), 9);
	ck_assert_uint_eq(sockstat_tcp(span_text("TCP6: inuse 3\nUDP6: inuse 2\n")), 3);
	ck_assert_uint_eq(sockstat_tcp(span_text("TCPX: inuse 3\nTCP: orphan 3\nTCP:\nTCP: inuse x\n")), 0);
	ck_assert_uint_eq(sockstat_tcp(span_text("")), 0);
}
END_TEST

/* Sums that do not fit stay at the largest number. */
START_TEST(zoneinfo_of_hostile_numbers)
{
	struct zoneinfo zones;

	zoneinfo_parse(span_text("Node 0, zone A\n low 18446744073709551615\n high 18446744073709551615\n"
				 " managed 18446744073709551615\n protection: (18446744073709551615)\n"
				 "Node 0, zone B\n low 1\n high 1\n managed 5\n protection: (1)\n"
				 "Node 1, zone C\n low 2\n high 3\n high 9\n managed 1\n"
				 "Node 1, zone D\n low 4\n present 7\n managed 0\n high 5\n"),
		       &zones);
	ck_assert_uint_eq(zones.zones, 3);
	ck_assert_uint_eq(zones.low_pages, UINT64_MAX);
	ck_assert_uint_eq(zones.reserve_pages, UINT64_MAX);
	zoneinfo_parse(span_text("Node 1, zone C\n low 2\n high 3\n high 9\n managed 1\n"
				 "Node 1, zone D\n low 4\n high 3\n high 9\n managed 50\n"
				 "Node 1, zone E\n low 8\n managed 1\n"),
		       &zones);
	ck_assert(zones.zones == 3 && zones.low_pages == 14 && zones.reserve_pages == 4);
}
END_TEST

START_TEST(huge_pages_before_linux_4_19)
{
	static const struct {
		const char *text;
		uint64_t hugetlb;
	} cases[] = {
		{ "HugePages_Total: 3\nHugepagesize: 2048 kB\nHugetlb: 4 kB\n", 4096 },
		{ "Hugetlb: 4 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n", 4096 },
		{ "HugePages_Total: 0\nHugepagesize: 2048 kB\n", 0 },
		{ "HugePages_Total: 3\n", U64_UNKNOWN },
		{ "Hugepagesize: 2048 kB\n", U64_UNKNOWN },
		{ "HugePages_Total: 3\nHugepagesize: 0 kB\n", U64_UNKNOWN },
		{ "HugePages_Total: 3 kB\nHugepagesize: 2048 kB\n", U64_UNKNOWN },
		{ "HugePages_Total: 3\nHugepagesize: 2048\n", U64_UNKNOWN },
		{ "HugePages_Total: 18014398509481984\nHugepagesize: 1 kB\n", U64_UNKNOWN },
		{ "HugePages_Total: 18014398509481982\nHugepagesize: 1 kB\n",
		  UINT64_C(18446744073709549568) },
	};
	struct meminfo meminfo;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		meminfo_parse(span_text(cases[i].text), &meminfo);
		ck_assert_msg(meminfo.hugetlb == cases[i].hugetlb, "%s", cases[i].text);
	}
	meminfo_parse(span_text("MemTotal: 18014398509481982 kB\nMemFree: 18014398509481984 kB\n"
				"Buffers: 5\nCached: 6 KB\nSlab: 0 kB\n"),
		      &meminfo);
	ck_assert_uint_eq(meminfo.total, UINT64_C(18446744073709549568));
	ck_assert(meminfo.free == U64_UNKNOWN && meminfo.buffers == U64_UNKNOWN);
	ck_assert(meminfo.cached == U64_UNKNOWN && meminfo.slab == 0);
}
END_TEST

/* Each line goes to its own number, in the order of the kernel and the other way round. */
START_TEST(meminfo_of_every_line)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "MemTotal", offsetof(struct meminfo, total) },
		{ "MemFree", offsetof(struct meminfo, free) },
		{ "MemAvailable", offsetof(struct meminfo, available) },
		{ "Buffers", offsetof(struct meminfo, buffers) },
		{ "Cached", offsetof(struct meminfo, cached) },
		{ "SwapCached", offsetof(struct meminfo, swap_cached) },
		{ "Active", offsetof(struct meminfo, active) },
		{ "Inactive", offsetof(struct meminfo, inactive) },
		{ "SwapTotal", offsetof(struct meminfo, swap_total) },
		{ "Zswap", offsetof(struct meminfo, zswap) },
		{ "AnonPages", offsetof(struct meminfo, anon_pages) },
		{ "Shmem", offsetof(struct meminfo, shmem) },
		{ "KReclaimable", offsetof(struct meminfo, kernel_reclaimable) },
		{ "SUnreclaim", offsetof(struct meminfo, unreclaimable_slab) },
		{ "PageTables", offsetof(struct meminfo, page_tables) },
		{ "Percpu", offsetof(struct meminfo, percpu) },
		{ "Hugetlb", offsetof(struct meminfo, hugetlb) },
	};
	const size_t n = sizeof(keys) / sizeof(keys[0]);

	for (int backward = 0; backward < 2; backward++) {
		struct buffer text = { 0 };
		struct meminfo meminfo;

		for (size_t i = 0; i < n; i++)
			buffer_print(&text, "%s: %zu kB\n", keys[backward ? n - 1 - i : i].key,
				     (backward ? n - 1 - i : i) + 1);
		meminfo_parse(span_of(text.bytes, text.length), &meminfo);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(*(uint64_t *)((char *)&meminfo + keys[i].offset), 1024 * (i + 1));
		buffer_free(&text);
	}
}
END_TEST

START_TEST(meminfo_of_a_node)
{
	struct node_meminfo meminfo;

	node_meminfo_parse(span_text("Node 0 MemTotal: 10 kB\nNode 0 MemFree: 7 kB\nNode 0 MemUsed: 3 kB\n"
				     "Node 0 AnonPages: 2 kB\nNode 0 FilePages: 1 kB\n"),
			   &meminfo);
	ck_assert(meminfo.total == 10240 && meminfo.free == 7168);
	ck_assert(meminfo.anonymous == 2048 && meminfo.file == 1024);
	node_meminfo_parse(span_text("MemTotal: 10 kB\nNode MemFree: 7 kB\nNodes 0 FilePages: 1 kB\n"
				     "Node 0 AnonPages: 2\nNode 0MemTotal: 3 kB\n"),
			   &meminfo);
	ck_assert(meminfo.total == U64_UNKNOWN && meminfo.free == U64_UNKNOWN);
	ck_assert(meminfo.anonymous == U64_UNKNOWN && meminfo.file == U64_UNKNOWN);
}
END_TEST

/* Names may hold what stands around them, so that they are parted from the end. */
START_TEST(kills_for_want_of_memory)
{
	static const struct {
		const char *line;
		uint64_t boot_us, pid;
		const char *limit, *command;
	} cases[] = {
		{ "6,902,77000123,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		  "mems_allowed=0,oom_memcg=/a/b,task_memcg=/a/b/c,task=worker,pid=4711,uid=1000",
		  77000123, 4711, "/a/b", "worker" },
		{ "6,902,5,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
		  "global_oom,task_memcg=/,task=x,pid=1,uid=0",
		  5, 1, "", "x" },
		{ "6,902,5,-;oom-kill:constraint=C,oom_memcg=/a,task_memcg=/a,task=b,pid=7,uid=8,pid=9,uid=0",
		  5, 9, "/a", "b,pid=7,uid=8" },
		{ "6,902,x,-;oom-kill:constraint=C,task_memcg=/a,task=,pid=18446744073709551615,uid=0",
		  U64_UNKNOWN, UINT64_MAX, "", "" },
		{ "6;oom-kill:constraint=C,task_memcg=/a,task=b,pid=3,uid=0", U64_UNKNOWN, 3, "", "b" },
	};
	static const char *const others[] = {
		"6,902,5,-;Out of memory: Killed process 1 (x)",
		"6,902,5,-;oom-kill:constraint=C,task_memcg=/a,task=b,pid=3",
		"6,902,5,-;oom-kill:constraint=C,task_memcg=/a,task=b,uid=3",
		"6,902,5,-;oom-kill:constraint=C,task_memcg=/a,pid=3,uid=0",
		"6,902,5,-;oom-kill:constraint=C,task=b,pid=3,uid=0",
		"6,902,5,-;oom-kill:constraint=C,task_memcg=/a,task=b,pid=3x,uid=0",
		"6,902,5,-;oom-kill:constraint=C,task_memcg=/a,task=b,pid=,uid=0",
		"",
	};
	struct oom_record record;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(oom_record_parse(span_text(cases[i].line), &record), "%s", cases[i].line);
		ck_assert_uint_eq(record.boot_us, cases[i].boot_us);
		ck_assert_uint_eq(record.pid, cases[i].pid);
		ck_assert_msg(span_is(record.limit, cases[i].limit), "%s", cases[i].line);
		ck_assert_msg(span_is(record.command, cases[i].command), "%s", cases[i].line);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!oom_record_parse(span_text(others[i]), &record), "%s", others[i]);
}
END_TEST

/* Numbers from 1 on in the order of the columns; the carrier of what is received does not exist. */
START_TEST(traffic_of_interfaces)
{
	struct span text = span_text("Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n"
				     "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
				     "eth0:1:21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36\n"
				     "cut: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
				     "half: 1 2 3 4 5 6 7\n: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
				     "none 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
				     "x: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
	struct net_interface interface;

	ck_assert(net_interface_next(&text, &interface) && span_is(interface.name, "lo"));
	for (size_t i = 0; i + 1 < N_NET_COUNTS; i++) {
		ck_assert_uint_eq(interface.received.counts[i], i + 1);
		ck_assert_uint_eq(interface.sent.counts[i], i + 9);
	}
	ck_assert(interface.received.carrier == 0 && interface.sent.carrier == 15);
	ck_assert(net_interface_next(&text, &interface) && span_is(interface.name, "eth0:1"));
	ck_assert(interface.received.counts[0] == 21 && interface.sent.carrier == 35);
	ck_assert(net_interface_next(&text, &interface) && span_is(interface.name, "x"));
	ck_assert(!net_interface_next(&text, &interface));
}
END_TEST

START_TEST(offsets_of_time_namespaces)
{
	static const struct {
		const char *text;
		bool known;
		int64_t ns;
	} cases[] = {
		{ "monotonic 0 0\nboottime 5 7\n", true, 5000000007 },
		{ "boottime   -5   999999999\n", true, -4000000001 },
		{ "boottime 3155760000 999999999\n", true, INT64_C(3155760000999999999) },
		{ "boottime -3155760000 0\n", true, INT64_C(-3155760000000000000) },
		{ "boottime 3155760001 0\n", false, 3 },
		{ "boottime -3155760001 0\n", false, 3 },
		{ "boottime 5 1000000000\n", false, 3 },
		{ "boottime 5 -1\n", false, 3 },
		{ "boottime 5\n", false, 3 },
		{ "monotonic 5 7\nboottimes 5 7\n", false, 3 },
		{ "", false, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = 3;

		ck_assert_msg(timens_offset(span_text(cases[i].text), "boottime", &ns) == cases[i].known,
			      "%s", cases[i].text);
		ck_assert_int_eq(ns, cases[i].ns);
	}
}
END_TEST

/* What is unknown is not 0, and what is 0 is known. */
START_TEST(batteries_that_tell_different_things)
{
	static const struct {
		const char *text;
		double watts, joules, charge, health;
	} cases[] = {
		{ "POWER_NOW=5000000\nCURRENT_NOW=9\nVOLTAGE_NOW=10000000\nENERGY_NOW=2000000\n"
		  "ENERGY_FULL=8000000\nENERGY_FULL_DESIGN=10000000\nCHARGE_NOW=1\n"
		  "CHARGE_FULL=2\nCHARGE_FULL_DESIGN=4\nCAPACITY=90\n",
		  5, 7200, 0.25, 0.8 },
		{ "POWER_NOW=0\nCURRENT_NOW=1000000\nVOLTAGE_NOW=10000000\nENERGY_NOW=0\nENERGY_FULL=5\n", 0,
		  0, 0, NAN },
		{ "CURRENT_NOW=-2000000\nVOLTAGE_NOW=5000000\nCHARGE_NOW=1000000\nCHARGE_FULL=1000000\n", 10,
		  18000, 1, NAN },
		{ "CURRENT_NOW=2000000\nCHARGE_NOW=1000000\n", NAN, NAN, NAN, NAN },
		{ "VOLTAGE_NOW=2000000\n", NAN, NAN, NAN, NAN },
		{ "CAPACITY=0\nENERGY_FULL=1\nENERGY_FULL_DESIGN=0\n", NAN, NAN, 0, NAN },
		{ "CAPACITY=100\nENERGY_NOW=5\nCHARGE_FULL=0\nCHARGE_FULL_DESIGN=9\n", NAN, 0.018, 1, 0 },
		{ "ENERGY_NOW=1\nENERGY_FULL=0\nCHARGE_NOW=-1\nCHARGE_FULL=4\nCAPACITY=7\n", NAN, 0.0036,
		  0.07, NAN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer text = { 0 };
		struct span rest = span_text(cases[i].text), line;
		struct power_supply supply;
		double found[4],
			wanted[] = { cases[i].watts, cases[i].joules, cases[i].charge, cases[i].health };

		while (span_line(&rest, &line))
			buffer_print(&text, "POWER_SUPPLY_%.*s\n", (int)span_length(line), line.at);
		power_supply_parse(span_of(text.bytes, text.length), &supply);
		found[0] = power_supply_watts(&supply);
		found[1] = power_supply_joules(&supply);
		found[2] = power_supply_charge(&supply);
		found[3] = power_supply_health(&supply);
		for (unsigned k = 0; k < 4; k++)
			ck_assert_msg(isnan(wanted[k]) ? isnan(found[k]) : fabs(found[k] - wanted[k]) < 1e-9,
				      "case %zu: %g is not %g", i, found[k], wanted[k]);
		buffer_free(&text);
	}
}
END_TEST

START_TEST(what_supplies_are)
{
	static const struct {
		const char *text;
		bool is_battery;
	} cases[] = {
		{ "POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_PRESENT=1\n", true },
		{ "POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=System\n", true },
		{ "POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\nPOWER_SUPPLY_PRESENT=1\n", false },
		{ "POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_PRESENT=0\n", false },
		{ "POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_PRESENT=1\n", false },
		{ "TYPE=Battery\n", false },
	};
	struct power_supply supply;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		power_supply_parse(span_text(cases[i].text), &supply);
		ck_assert_msg(power_supply_is_battery(&supply) == cases[i].is_battery, "%s", cases[i].text);
	}
	power_supply_parse(
		span_text("POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=0\nPOWER_SUPPLY_CYCLE_COUNT="
			  "12\nPOWER_SUPPLY_MODEL_NAME=a=b\nPOWER_SUPPLY_CAPACITY=5%\n"),
		&supply);
	ck_assert(supply.online == 0 && supply.cycles == 12 && span_is(supply.model, "a=b"));
	ck_assert(supply.capacity_percent == SUPPLY_UNKNOWN && supply.present == SUPPLY_UNKNOWN);
}
END_TEST

START_TEST(totals_of_the_machine)
{
	struct stat_totals totals;
	struct loadavg load;

	stat_totals_parse(span_text("cpu  1 2\nctxt 5\nprocesses 6\nprocs_running 0\nprocs_blocked 7\n"),
			  &totals);
	ck_assert_uint_eq(totals.cpus, U64_UNKNOWN); /* none has a line */
	ck_assert_uint_eq(totals.interrupts, U64_UNKNOWN);
	ck_assert(totals.forks == 6 && totals.running == 0 && totals.blocked == 7);
	ck_assert(loadavg_parse(span_text("1.5 2.25 3.125 4/5"), &load));
	ck_assert(load.load1 == 1.5 && load.load5 == 2.25 && load.load15 == 3.125);
	ck_assert(load.threads == 5 && load.last_pid == U64_UNKNOWN);
	ck_assert(!loadavg_parse(span_text("1.5 2.25 3.125 4 5 6"), &load));
	ck_assert(!loadavg_parse(span_text("1.5 2.25 3.125 4/"), &load) && load.threads == 5);
}
END_TEST

/* A number that would not fit into a sum is left out of it. */
START_TEST(vmstat_of_all_zones)
{
	static const char *const names[] = { "a", "b" };
	uint64_t values[2];

	vmstat_parse(
		span_text("a_dma 1\na_dma32 2\na_normal 4\na_high 8\na_movable 16\na_device 32\na_other 64\n"
			  "adma 128\na_ 256\nb 18446744073709551613\nb_dma 2\nb_high 5\n"),
		names, 2, values);
	ck_assert_uint_eq(values[0], 63);
	ck_assert_uint_eq(values[1], UINT64_MAX - 2);
}
END_TEST

/* The first path that is deepest; a slash at the end, or twice, makes no path deeper. */
START_TEST(the_deepest_path_of_a_process)
{
	ck_assert(is_path("2:cpu:/a/\n3:memory:/b/c\n", "/b/c"));
	ck_assert(is_path("2:cpu:/a//\n3:memory:/b\n", "/a//"));
	ck_assert(is_path("2:cpu:/a/b\n3:memory:/c/d\n0::/e/f\n", "/a/b"));
	ck_assert(is_path("2:blkio:/a/b\n3:pids:/c\n", "/a/b") && is_path("2:cpu:/\n3:pids:/\n", "/"));
	ck_assert(is_path("1:name=systemd:/a (deleted)\n", "/a") && is_path("0:: (deleted)\n", ""));
	ck_assert(is_path("0::/(deleted)\n", "/(deleted)"));
}
END_TEST

START_TEST(zones_of_power_have_ranks)
{
	static const char *const names[] = { "intel-rapl", "intel-rapl-tpmi", "intel-rapl-mmio", "dtpm" };

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(powercap_rank(span_text(names[i])), i);
	ck_assert_int_eq(powercap_part(span_text("package-0")), POWERCAP_PACKAGE);
	ck_assert_int_eq(powercap_part(span_text("psys-1")), POWERCAP_PLATFORM);
	ck_assert_int_eq(powercap_part(span_text("dram-0")), POWERCAP_OTHER);
}
END_TEST

/* As much as 100 W explain in a 64th of a second, and not a microjoule more. */
START_TEST(energy_that_wraps_at_the_limit)
{
	static const struct {
		uint64_t before, now, range, grown;
		bool wrapped, may_have;
	} cases[] = {
		{ 9000000, 562500, 10000000, 1562500, true, false },
		{ 9000000, 562501, 10000000, U64_UNKNOWN, false, false },
		{ 10000000, 0, 10000000, 0, true, false },
		{ 10000001, 0, 10000000, U64_UNKNOWN, false, false },
		{ 5, 5, 1562500, 0, false, true },
		{ 5, 4, 1562500, 1562499, true, true },
		{ 5, 6, 1562501, 1, false, false },
		{ 5, 4, 0, U64_UNKNOWN, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct energy_step step =
			energy_step(cases[i].before, cases[i].now, cases[i].range, 1.0 / 64, 100);

		ck_assert_msg(step.grown_uj == cases[i].grown && step.wrapped == cases[i].wrapped &&
				      step.may_have_wrapped == cases[i].may_have,
			      "case %zu: %lld", i, (long long)step.grown_uj);
	}
}
END_TEST

START_TEST(sizes_in_status)
{
	static const struct {
		const char *name;
		size_t offset;
	} lines[] = {
		{ "VmPeak", offsetof(struct pid_status, vm_peak) },
		{ "VmSize", offsetof(struct pid_status, vm_size) },
		{ "VmHWM", offsetof(struct pid_status, vm_resident_peak) },
		{ "VmRSS", offsetof(struct pid_status, vm_resident) },
		{ "RssAnon", offsetof(struct pid_status, resident_anonymous) },
		{ "RssFile", offsetof(struct pid_status, resident_file) },
		{ "RssShmem", offsetof(struct pid_status, resident_shared) },
		{ "VmSwap", offsetof(struct pid_status, vm_swap) },
		{ "HugetlbPages", offsetof(struct pid_status, huge_pages) },
	};
	const size_t n = sizeof(lines) / sizeof(lines[0]);
	struct buffer text = { 0 };
	struct pid_status status;

	buffer_text(&text, "Name:\tVmPeak: 7 kB\n");
	for (size_t i = 0; i < n; i++)
		buffer_print(&text, "%s:\t%8zu kB\n", lines[i].name, i);
	pid_status_parse(span_of(text.bytes, text.length), &status);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(*(uint64_t *)((char *)&status + lines[i].offset), 1024 * i);
	ck_assert(status.vm_locked == U64_UNKNOWN && status.vm_library == U64_UNKNOWN);
	buffer_free(&text);
	pid_status_parse(span_text("VmPeak:\t5\nVmSize:\t5 MB\nVmRSS:\t18014398509481984 kB\n"
				   "VmSwap:\t18014398509481983 kB\nVmData:\t5 kB x\n"),
			 &status);
	ck_assert(status.vm_peak == U64_UNKNOWN && status.vm_size == U64_UNKNOWN);
	ck_assert(status.vm_resident == U64_UNKNOWN && status.vm_data == U64_UNKNOWN);
	ck_assert_uint_eq(status.vm_swap, UINT64_MAX - 1023);
}
END_TEST

START_TEST(sets_of_signals_are_all_there_or_none)
{
	static const char *const sets[] = { "SigPnd:\t1\n", "ShdPnd:\t2\n", "SigBlk:\t4\n", "SigIgn:\t8\n",
					    "SigCgt:\tf0\n" };
	static const struct {
		const char *line;
		uint64_t queued, most;
	} queues[] = {
		{ "SigQ:\t3/9\n", 3, 9 },           { "SigQ:\t3\n", 3, U64_UNKNOWN },
		{ "SigQ:\t3 9\n", 3, U64_UNKNOWN }, { "SigQ:\tx/9\n", U64_UNKNOWN, U64_UNKNOWN },
		{ "", U64_UNKNOWN, U64_UNKNOWN },
	};

	for (size_t left_out = 0; left_out <= 5; left_out++)
		for (size_t q = 0; q < sizeof(queues) / sizeof(queues[0]); q++) {
			struct pid_signals signals = { .queued = 7, .queued_max = 7 };
			struct buffer text = { 0 };

			buffer_text(&text, queues[q].line);
			for (size_t i = 0; i < 5; i++)
				buffer_text(&text, i == left_out ? "" : sets[i]);
			ck_assert_int_eq(pid_status_signals(span_of(text.bytes, text.length), &signals),
					 left_out == 5);
			ck_assert(signals.queued == queues[q].queued && signals.queued_max == queues[q].most);
			if (left_out == 5)
				ck_assert(signals.thread_pending == 1 && signals.pending == 2 &&
					  signals.blocked == 4 && signals.ignored == 8 &&
					  signals.caught == 240);
			buffer_free(&text);
		}
}
END_TEST

START_TEST(sizes_in_a_rollup)
{
	struct span text = span_text(
			    "400000-7fff000 ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nPss: 4 kB\n"
			    "Pss_Dirty: 3 kB\nBroken: 5\nHuge: 18014398509481984 kB\nSwapPss: 0 kB\n"),
		    rest = text, name;
	static const char *const names[] = { "Rss", "Pss", "Pss_Dirty", "SwapPss" };
	static const uint64_t sizes[] = { 9216, 4096, 3072, 0 };
	uint64_t bytes = 7;

	for (size_t i = 0; i < 4; i++) {
		ck_assert(smaps_rollup_next(&rest, &name, &bytes));
		ck_assert(span_is(name, names[i]) && bytes == sizes[i]);
	}
	ck_assert(!smaps_rollup_next(&rest, &name, &bytes));
	ck_assert(smaps_rollup_parse(text, &bytes) && bytes == 4096);
	ck_assert(!smaps_rollup_parse(span_text("Rss: 9 kB\nPss_Anon: 4 kB\n"), &bytes) && bytes == 4096);
}
END_TEST

/* Each of them is of the region above it; huge pages are of three kinds. */
START_TEST(sizes_in_smaps)
{
	struct span text = span_text(
		"1000-2000 rw-p 00000000 00:00 0 \nRss: 1 kB\nPss: 2 kB\nSwapPss: 3 kB\nReferenced: 4 kB\n"
		"AnonHugePages: 16 kB\nShmemPmdMapped: 32 kB\nFilePmdMapped: 64 kB\nLocked: 128 kB\n"
		"3000-4000 rw-p 00000000 00:00 0 \nFilePmdMapped: 5 kB\n"
		"5000-6000 rw-p 00000000 00:00 0 \nSwapPss: 18014398509481983 kB\n"
		"Referenced: 18014398509481984 kB\nAnonHugePages: 18014398509481983 kB\nFilePmdMapped: 1 kB\n"
		"7000-8000 rw-p 00000000 00:00 0 ");
	struct maps_region region;
	struct smaps_sizes sizes;

	ck_assert(smaps_next(&text, &region, &sizes) && region.start == 0x1000 && region.end == 0x2000);
	ck_assert(sizes.resident_bytes == 1024 && sizes.proportional_bytes == 2048);
	ck_assert(sizes.swap_proportional_bytes == 3072 && sizes.referenced_bytes == 4096);
	ck_assert_uint_eq(sizes.huge_bytes, 112 * 1024);
	ck_assert(smaps_next(&text, &region, &sizes) && region.start == 0x3000);
	ck_assert(sizes.huge_bytes == 5120 && sizes.resident_bytes == U64_UNKNOWN);
	ck_assert(smaps_next(&text, &region, &sizes) && region.start == 0x5000);
	ck_assert_uint_eq(sizes.swap_proportional_bytes, UINT64_MAX - 1023);
	ck_assert_uint_eq(sizes.referenced_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(sizes.huge_bytes, UINT64_MAX - 1023); /* more has no room */
	ck_assert(smaps_next(&text, &region, &sizes) && region.start == 0x7000);
	ck_assert(sizes.huge_bytes == U64_UNKNOWN && sizes.referenced_bytes == U64_UNKNOWN);
	ck_assert(!smaps_next(&text, &region, &sizes));
}
END_TEST

START_TEST(lines_that_are_no_regions)
{
	static const char *const wrong[] = {
		"1000-1000 rw-p 0 0:0 0", "1000 2000 rw-p 0 0:0 0", "1000-2000 rw-pp 0 0:0 0",
		"1000-2000 rw-p x 0:0 0", "1000-2000 rw-p 0 0:0",   "1000-2000 rw-p 0",
		"x-2000 rw-p 0 0:0 0",    "1000-x rw-p 0 0:0 0",
	};
	struct maps_region region;
	struct span text;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		text = span_text(wrong[i]);
		ck_assert_msg(!maps_next(&text, &region), "%s", wrong[i]);
	}
	text = span_text("0-1 rw-p 2 0:0 3");
	ck_assert(maps_next(&text, &region) && region.start == 0 && region.end == 1);
	ck_assert(region.offset == 2 && region.inode == 3 && !maps_is_special(&region));
}
END_TEST

START_TEST(places_of_open_files)
{
	static const struct {
		const char *link, *kind, *path;
		bool deleted;
		uint64_t inode;
	} links[] = {
		{ "/dev/mqueue/q", "file", "/dev/mqueue/q", false, U64_UNKNOWN },
		{ "/dev/hugepages/p", "file", "/dev/hugepages/p", false, U64_UNKNOWN },
		{ "/dev", "file", "/dev", false, U64_UNKNOWN },
		{ "/device", "file", "/device", false, U64_UNKNOWN },
		{ "/ (deleted)", "file", "/", true, U64_UNKNOWN },
		{ "/a(deleted)", "file", "/a(deleted)", false, U64_UNKNOWN },
		{ "/dev/pts/1 (deleted)", "device", "/dev/pts/1", true, U64_UNKNOWN },
		{ "socket:[42", "socket", "socket:[42", false, U64_UNKNOWN },
		{ "socket:[x]", "socket", "socket:[x]", false, U64_UNKNOWN },
		{ "socket:[0]", "socket", "socket:[0]", false, 0 },
		{ "pipe:[18446744073709551614]", "pipe", "pipe:[18446744073709551614]", false,
		  UINT64_MAX - 1 },
		{ "mnt:[4026531840]", "other", "mnt:[4026531840]", false, U64_UNKNOWN },
	};
	static const struct {
		const char *link, *kind;
	} anonymous[] = {
		{ "anon_inode:[eventfd]", "eventfd" },
		{ "anon_inode:bpf-map", "bpf-map" },
		{ "anon_inode:[]", "" },
		{ "anon_inode:[", "" },
		{ "anon_inode:[x", "x" },
		{ "anon_inode:", "" },
	};
	struct pid_fd_link parsed;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		pid_fd_link_parse(span_text(links[i].link), &parsed);
		ck_assert_str_eq(parsed.kind, links[i].kind);
		ck_assert_msg(span_is(parsed.path, links[i].path), "%s", links[i].link);
		ck_assert_msg(parsed.deleted == links[i].deleted && parsed.inode == links[i].inode, "%s",
			      links[i].link);
	}
	for (size_t i = 0; i < sizeof(anonymous) / sizeof(anonymous[0]); i++) {
		pid_fd_link_parse(span_text(anonymous[i].link), &parsed);
		ck_assert(!parsed.kind && !parsed.deleted);
		ck_assert_msg(span_is(parsed.anonymous, anonymous[i].kind), "%s", anonymous[i].link);
	}
}
END_TEST

START_TEST(flags_of_open_files)
{
	static const struct {
		uint64_t flags;
		const char *text;
		bool is_directory;
	} cases[] = {
		{ O_RDONLY, "r", false },
		{ O_WRONLY, "w", false },
		{ O_RDWR, "rw", false },
		{ O_ACCMODE, "-", false },
		{ O_PATH, "path", false },
		{ O_PATH | O_DIRECTORY | O_CLOEXEC, "path,cloexec", true },
		{ O_DIRECTORY | O_RDONLY, "r", true },
		{ O_TMPFILE | O_RDWR, "rw", false },
		{ O_RDWR | O_APPEND | O_NONBLOCK | O_DSYNC | O_ASYNC | O_DIRECT | O_CLOEXEC,
		  "rw,append,nonblock,dsync,async,direct,cloexec", false },
	};
	static const struct {
		const char *text;
		uint64_t flags;
	} lines[] = {
		{ "flags:\t0\n", 0 },    { "flags:\t017\n", 15 },       { "flags:\t0100000\n", 0100000 },
		{ "flags:\t0189\n", 1 }, { "flags:\t\n", U64_UNKNOWN }, { "xflags:\t07\n", U64_UNKNOWN },
	};
	char text[PID_FD_FLAGS_MAX];
	struct pid_fd_info info;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(pid_fd_flags_text(cases[i].flags, text), cases[i].text);
		ck_assert_int_eq(pid_fd_is_directory(cases[i].flags), cases[i].is_directory);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		pid_fd_info_parse(span_text(lines[i].text), &info);
		ck_assert_msg(info.flags == lines[i].flags, "%s", lines[i].text);
		ck_assert(info.position == U64_UNKNOWN && info.mount == U64_UNKNOWN);
	}
}
END_TEST

START_TEST(arguments_of_system_calls)
{
	static const struct {
		int number;
		uint64_t first;
		int64_t fd;
	} calls[] = {
		{ SYS_read, 0, 0 },         { SYS_read, INT32_MAX, INT32_MAX },
		{ SYS_read, 1U << 31, -1 }, { SYS_mq_timedsend, 6, 6 },
		{ SYS_getpid, 5, -1 },      { SYS_close, 7, 7 },
	};
	static const char *const wrong[] = {
		"0 0x1 0x2 0x3 0x4 0x5 0x6 0x700000000",
		"0 0x1 0x2 0x3 0x4 0x5 0x6 0x700000000 8",
		"0 0x1 0x2 0x3 0x4 0x5 0x6 0x700000000 ",
		"0 0x1 0x2 0x3 0x4 0x5 0xg 0x700000000 0x8",
		"0 0x1 0x2 0x3 0x4 0x5 x6 0x7 0x8",
		"0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8",
		"-1 0x7",
		"-1",
	};
	struct pid_syscall call;
	char text[160];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		snprintf(text, sizeof(text), "%d 0x%llx 0x2 0x3 0x4 0x5 0xffffffffffffffff 0x%zx 0x8\n",
			 calls[i].number, (unsigned long long)calls[i].first, SIZE_MAX);
		ck_assert(pid_syscall_parse(span_text(text), &call) && !call.running && !call.none);
		ck_assert(call.number == (uint64_t)calls[i].number && call.arguments[0] == calls[i].first);
		for (unsigned k = 1; k < 5; k++)
			ck_assert_uint_eq(call.arguments[k], k + 1);
		ck_assert_uint_eq(call.arguments[5], UINT64_MAX);
		ck_assert_int_eq(pid_syscall_fd(&call), calls[i].fd);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!pid_syscall_parse(span_text(wrong[i]), &call), "%s", wrong[i]);
	ck_assert(pid_syscall_parse(span_text("-1 0x100000000 0x1"), &call) && call.none);
	ck_assert_int_eq(call.foreign, sizeof(void *) == 4);
	ck_assert(pid_syscall_parse(span_text("-1 0xffffffff 0x1"), &call) && call.none);
	ck_assert_int_eq(call.foreign, sizeof(void *) == 8);
	ck_assert(pid_syscall_parse(span_text("running"), &call) && call.running && !call.none);
}
END_TEST

START_TEST(limits_of_a_process)
{
	static const struct {
		const char *line, *name;
		uint64_t soft, hard;
		const char *unit; /* NULL: it is no limit */
	} lines[] = {
		{ "Max file size             0 1", "Max file size", 0, 1, "" },
		{ "Max file size             18446744073709551613 unlimited bytes", "Max file size",
		  UINT64_MAX - 2, PID_UNLIMITED, "bytes" },
		{ "Max file size             18446744073709551614 5 bytes", "", 0, 0, NULL },
		{ "Max file size             5 5x bytes", "", 0, 0, NULL },
		{ "Max file size             5", "", 0, 0, NULL },
		{ "Max file size             ", "", 0, 0, NULL },
		{ "                          5 6 bytes", "", 0, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct span text = span_text(lines[i].line);
		struct pid_limit limit;

		ck_assert_msg(pid_limits_next(&text, &limit) == (lines[i].unit != NULL), "%s", lines[i].line);
		if (!lines[i].unit)
			continue;
		ck_assert(span_is(limit.name, lines[i].name) && span_is(limit.unit, lines[i].unit));
		ck_assert(limit.soft == lines[i].soft && limit.hard == lines[i].hard);
	}
}
END_TEST

START_TEST(states_and_times_of_a_task)
{
	static const char letters[] = "RSDTtZXxKWPI";
	struct pid_schedstat schedstat = { .run_ns = 7 };

	for (size_t i = 0; letters[i]; i++) {
		ck_assert_int_eq(pid_state_text(letters[i])[0], letters[i]);
		ck_assert_int_eq(pid_state_text(letters[i])[1], '\0');
	}
	ck_assert_str_eq(pid_state_text('r'), "?");
	ck_assert_str_eq(pid_state_text('\0'), "?");
	ck_assert(pid_schedstat_parse(span_text("1 2 3\n"), &schedstat));
	ck_assert(schedstat.run_ns == 1 && schedstat.wait_ns == 2 && schedstat.runs == 3);
	ck_assert(!pid_schedstat_parse(span_text("1 2\n"), &schedstat));
	ck_assert(!pid_schedstat_parse(span_text("1 x 3\n"), &schedstat));
}
END_TEST

START_TEST(numbers_of_cpus_have_a_limit)
{
	struct span list = span_text("0-65535,65536");
	uint32_t first = 7, last = 7;

	ck_assert(cpu_list_next(&list, &first, &last) && first == 0 && last == 65535);
	ck_assert(!cpu_list_next(&list, &first, &last) && span_is(list, "65536"));
	ck_assert(first == 0 && last == 65535);
	ck_assert(cpu_list_has(span_text("5"), 5) && cpu_list_has(span_text("3-5"), 3));
	ck_assert(cpu_list_has(span_text("3-5"), 5) && !cpu_list_has(span_text("3-5"), 6));
	ck_assert(!cpu_list_has(span_text("3-5"), 2) && cpu_list_has(span_text("5-5,7"), 7));
}
END_TEST

/* Fields from 1 on, as far as a kernel has them: 11, 15 since Linux 4.18, 17 since 5.5. */
START_TEST(disks_with_more_and_more_fields)
{
	for (unsigned n_fields = 9; n_fields <= 18; n_fields++) {
		bool discards = n_fields >= 15, flushes = n_fields >= 17;
		struct buffer text = { 0 };
		struct disk_stats stats;
		struct span rest;

		buffer_text(&text, "no device\n 8 16 sdb");
		for (unsigned field = 1; field <= n_fields; field++)
			buffer_print(&text, " %u", field);
		rest = span_of(text.bytes, text.length);
		ck_assert_int_eq(disk_stats_next(&rest, &stats), n_fields >= 11);
		if (n_fields >= 11) {
			ck_assert(stats.major == 8 && stats.minor == 16 && span_is(stats.name, "sdb"));
			ck_assert(stats.reads.completed == 1 && stats.reads.merged == 2);
			ck_assert(stats.reads.sectors == 3 && stats.reads.milliseconds == 4);
			ck_assert(stats.writes.completed == 5 && stats.writes.milliseconds == 8);
			ck_assert(stats.in_flight == 9 && stats.busy_ms == 10 && stats.queue_ms == 11);
			ck_assert_uint_eq(stats.discards.completed, discards ? 12 : U64_UNKNOWN);
			ck_assert_uint_eq(stats.discards.milliseconds, discards ? 15 : U64_UNKNOWN);
			ck_assert_uint_eq(stats.flushes, flushes ? 16 : U64_UNKNOWN);
			ck_assert_uint_eq(stats.flush_ms, flushes ? 17 : U64_UNKNOWN);
		}
		ck_assert(!disk_stats_next(&rest, &stats));
		buffer_free(&text);
	}
}
END_TEST

START_TEST(disks_that_others_store)
{
	static const char *const stacked[] = { "loop0", "ram1",  "zram0",   "dm-3",
					       "md127", "drbd5", "bcache0", "zd16" };
	static const char *const others[] = { "sda", "nvme0n1", "vda1", "xloop", "lo", "dm", "" };

	for (size_t i = 0; i < sizeof(stacked) / sizeof(stacked[0]); i++)
		ck_assert_msg(disk_is_stacked(span_text(stacked[i])), "%s", stacked[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!disk_is_stacked(span_text(others[i])), "%s", others[i]);
}
END_TEST

static bool same(double one, double other)
{
	return one == other || (isnan(one) && isnan(other));
}

START_TEST(limits_that_nobody_has_set)
{
	static const struct {
		enum sensor_kind kind;
		struct sensor_limits read, kept;
	} cases[] = {
		{ SENSOR_TEMPERATURE, { NAN, 80, 95 }, { NAN, 80, 95 } },
		{ SENSOR_TEMPERATURE, { -5, 80, 95 }, { -5, 80, 95 } },
		{ SENSOR_TEMPERATURE, { NAN, 0, 95 }, { NAN, NAN, 95 } },
		{ SENSOR_TEMPERATURE, { NAN, 80, 0 }, { NAN, 80, NAN } },
		{ SENSOR_TEMPERATURE, { NAN, -1, -128 }, { NAN, NAN, NAN } },
		{ SENSOR_TEMPERATURE, { 127, -50, NAN }, { NAN, NAN, NAN } },
		{ SENSOR_TEMPERATURE, { 20, 20, 90 }, { NAN, NAN, 90 } },
		{ SENSOR_TEMPERATURE, { 0, 0.5, 127 }, { 0, 0.5, 127 } },
		{ SENSOR_VOLTAGE, { -12, -11, NAN }, { -12, -11, NAN } },
		{ SENSOR_VOLTAGE, { 0, 0, NAN }, { NAN, NAN, NAN } },
		{ SENSOR_VOLTAGE, { 2, 1, NAN }, { NAN, NAN, NAN } },
		{ SENSOR_FAN, { 300, NAN, NAN }, { 300, NAN, NAN } },
		{ SENSOR_FAN, { 65535, NAN, NAN }, { NAN, NAN, NAN } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sensor_limits limits = cases[i].read;
		const struct sensor_limits *kept = &cases[i].kept;

		sensor_limits_check(cases[i].kind, &limits);
		ck_assert_msg(same(limits.low, kept->low), "%zu: low", i);
		ck_assert_msg(same(limits.high, kept->high), "%zu: high", i);
		ck_assert_msg(same(limits.critical, kept->critical), "%zu: critical", i);
	}
}
END_TEST

START_TEST(inputs_without_a_sensor)
{
	static const struct {
		enum sensor_kind kind;
		double value, high, critical;
		bool open;
	} cases[] = {
		{ SENSOR_TEMPERATURE, 127, 127, NAN, true },  { SENSOR_TEMPERATURE, 127, NAN, NAN, true },
		{ SENSOR_TEMPERATURE, 127.75, 80, 90, true }, { SENSOR_TEMPERATURE, 128, 80, 90, false },
		{ SENSOR_TEMPERATURE, 126.9, 80, 90, false }, { SENSOR_TEMPERATURE, 127, 80, 150, false },
		{ SENSOR_TEMPERATURE, 127, 140, NAN, false }, { SENSOR_TEMPERATURE, NAN, 80, 90, false },
		{ SENSOR_FAN, 65535, NAN, NAN, true },        { SENSOR_FAN, 65534, NAN, NAN, false },
		{ SENSOR_VOLTAGE, 127, NAN, NAN, false },     { SENSOR_POWER, 65535, NAN, NAN, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sensor_limits limits = { NAN, cases[i].high, cases[i].critical };

		ck_assert_msg(sensor_is_open(cases[i].kind, cases[i].value, &limits) == cases[i].open, "%zu",
			      i);
	}
}
END_TEST

START_TEST(paths_to_nvme_disks)
{
	static const struct {
		const char *name, *head; /* NULL: it is none */
	} cases[] = {
		{ "nvme0c0n1", "nvme0n1" }, { "nvme12c345n67", "nvme12n67" }, { "nvme0n1", NULL },
		{ "nvme0c0n1p1", NULL },    { "nvme0c0", NULL },              { "nvmec0n1", NULL },
		{ "nvme0cn1", NULL },       { "xnvme0c0n1", NULL },           { "", NULL },
		{ "nvme18446744073709551615c0n18446744073709551615",
		  "nvme18446744073709551615n18446744073709551615" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char head[DISK_HEAD_MAX] = "";

		ck_assert_int_eq(disk_path_head(span_text(cases[i].name), head), cases[i].head != NULL);
		ck_assert_str_eq(head, cases[i].head ? cases[i].head : "");
	}
}
END_TEST

/* Waiting for storage is idle, and guests are part of user and nice. */
START_TEST(busy_ticks_of_a_cpu)
{
	struct cpu_times times = { .user = 1,
				   .nice = 2,
				   .system = 4,
				   .idle = 8,
				   .iowait = 16,
				   .irq = 32,
				   .softirq = 64,
				   .steal = 128,
				   .guest = 256,
				   .guest_nice = 512 };

	ck_assert_double_eq(cpu_times_busy(&times), 1 + 2 + 4 + 32 + 64 + 128);
	times.irq = times.softirq = times.steal = U64_UNKNOWN;
	ck_assert_double_eq(cpu_times_busy(&times), 7);
}
END_TEST

START_TEST(lines_of_cpus_that_are_short)
{
	struct span text =
		span_text("cpu0 1 2 3\ncpu1 5 6 7 8 9 x 11\ncpu 1 2 3 4 5 6 7 8 9 10\ncpu2a 1 2 3 4\n"
			  "xcpu2 1 2 3 4\ncpu3 1 2 3 4 5 6 7 8 9");
	struct cpu_times times;

	ck_assert(cpu_times_next(&text, &times) && times.cpu == 1 && times.idle == 8 && times.iowait == 9);
	ck_assert(times.irq == U64_UNKNOWN && times.softirq == U64_UNKNOWN &&
		  times.guest_nice == U64_UNKNOWN);
	ck_assert(cpu_times_next(&text, &times) && times.cpu == CPU_ALL && times.guest == 9);
	ck_assert(cpu_times_next(&text, &times) && times.cpu == 3);
	ck_assert(times.guest == 9 && times.guest_nice == U64_UNKNOWN);
	ck_assert(!cpu_times_next(&text, &times));
}
END_TEST

START_TEST(speeds_of_cpus_in_turn)
{
	struct span text =
		span_text("cpu MHz : 1\nprocessor : 0\ncpu MHz\t: 800.5\nprocessor : x\ncpu MHz : 3\n"
			  "processor\t: 7\nflags\nprocessors : 9\ncpu MHz: 2\n");
	uint64_t cpu = 5;
	double hertz = 6;

	ck_assert(cpuinfo_next_speed(&text, &cpu, &hertz) && cpu == 0 && hertz == 800.5e6);
	ck_assert(cpuinfo_next_speed(&text, &cpu, &hertz) && cpu == 7 && hertz == 2e6);
	ck_assert(!cpuinfo_next_speed(&text, &cpu, &hertz) && cpu == 7);
}
END_TEST

/* The main thread may end before others. */
START_TEST(processes_end_with_their_last_thread)
{
	static const char letters[] = "RSDTtIZXx";

	for (size_t i = 0; letters[i]; i++) {
		bool ended = strchr("ZXx", letters[i]) != NULL;

		for (uint32_t threads = 0; threads <= 2; threads++) {
			struct pid_stat stat = { .state = letters[i], .threads = threads };

			ck_assert_int_eq(pid_stat_main_ended(&stat), ended);
			ck_assert_int_eq(pid_stat_goes_on(&stat), ended && threads == 2);
			ck_assert_int_eq(pid_stat_has_ended(&stat), ended && threads < 2);
		}
	}
}
END_TEST

/* Each begins at a multiple of 4 bytes; a malformed one ends them. */
START_TEST(attributes_of_netlink_in_turn)
{
	struct datagram attributes = { 0 };
	struct span all, value;
	struct nlattr broken = { .nla_type = 5, .nla_len = 3 };

	add_attribute(&attributes, 1, "a\0\0\0", 1);
	add(&attributes, "\0\0", 3);
	add_attribute(&attributes, 2 | NLA_F_NESTED, "bcde", 4);
	add_attribute(&attributes, 2, "second", 6);
	add(&attributes, "\0", 2);
	add_attribute(&attributes, 3 | NLA_F_NET_BYTEORDER, "", 0);
	add_attribute(&attributes, 4, "f\0\0", 1);
	all = span_of(attributes.bytes, attributes.length);
	ck_assert(netlink_attribute(all, 1, &value) && span_is(value, "a"));
	ck_assert(netlink_attribute(all, 2, &value) && span_is(value, "bcde"));
	ck_assert(netlink_attribute(all, 3, &value) && span_is(value, ""));
	ck_assert(netlink_attribute(all, 4, &value) && span_is(value, "f"));
	ck_assert(!netlink_attribute(all, 5, &value) && !netlink_attribute(all, 0, &value));
	ck_assert(!netlink_attribute(span_of(NULL, 0), 1, &value));
	all.end--;
	ck_assert(!netlink_attribute(all, 4, &value) && netlink_attribute(all, 3, &value));
	attributes.length = 8;
	add(&attributes, &broken, sizeof(broken));
	add_attribute(&attributes, 6, "x\0\0\0", 4);
	all = span_of(attributes.bytes, attributes.length);
	ck_assert(netlink_attribute(all, 1, &value) && !netlink_attribute(all, 5, &value));
	ck_assert(!netlink_attribute(all, 6, &value));
}
END_TEST

START_TEST(acknowledgements_have_an_error)
{
	static const struct {
		uint16_t type;
		int32_t code;
		size_t bytes;
		bool is_ack;
	} cases[] = {
		{ NLMSG_ERROR, 0, 4, true },
		{ NLMSG_ERROR, -EPERM, 4, true },
		{ NLMSG_ERROR, -1, 3, false },
		{ NLMSG_ERROR, 1, 4, false },
		{ NLMSG_DONE, -1, 4, false },
		{ NLMSG_ERROR, INT32_MIN, 4, false },
		{ NLMSG_ERROR, INT32_MIN + 1, 4, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct netlink_message message = { .type = cases[i].type,
						   .payload = span_of((const char *)&cases[i].code,
								      cases[i].bytes) };
		int error = 7;

		ck_assert_msg(netlink_ack(&message, &error) == cases[i].is_ack, "case %zu", i);
		ck_assert_int_eq(error, cases[i].is_ack ? cases[i].code : 7);
	}
}
END_TEST

/* Every field has its own number, where the version has it. */
START_TEST(taskstats_fields_of_both_layouts)
{
	static const struct {
		uint16_t version, run_ns, comm, uid, pid, parent, elapsed, user, system, peak, sleeps, tgid;
	} layouts[] = {
		{ 12, 72, 80, 120, 128, 132, 144, 152, 160, 200, 272, 368 },
		{ 15, 120, 128, 168, 176, 180, 192, 200, 208, 248, 320, 464 },
		{ 16, 72, 80, 120, 128, 132, 144, 152, 160, 200, 272, 368 },
	};
	static const uint8_t flags[] = { 0x20, 0xff, 0xdf, 0 };

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		for (size_t f = 0; f < sizeof(flags); f++) {
			const uint32_t tid = 42, exit_code = 0x1ff, uid = 1001, parent = 7, tgid = 41;
			const uint64_t runs = 1, numbers[] = { 0x1100, 12, 13, 14, 15, 16, 17 };
			struct datagram thread = { 0 }, attributes = { 0 }, datagram = { 0 };
			struct exit_record record;
			char stats[576] = { 0 };

			memcpy(stats, &layouts[i].version, 2);
			memcpy(stats + 4, &exit_code, 4);
			memcpy(stats + 8, &flags[f], 1);
			memcpy(stats + 16, &runs, 8);
			memcpy(stats + 24, &numbers[0], 8);
			memcpy(stats + layouts[i].run_ns, &numbers[1], 8);
			memcpy(stats + layouts[i].comm, "name", 5);
			memcpy(stats + layouts[i].uid, &uid, 4);
			memcpy(stats + layouts[i].pid, &tid, 4);
			memcpy(stats + layouts[i].parent, &parent, 4);
			memcpy(stats + layouts[i].elapsed, &numbers[2], 8);
			memcpy(stats + layouts[i].user, &numbers[3], 8);
			memcpy(stats + layouts[i].system, &numbers[4], 8);
			memcpy(stats + layouts[i].peak, &numbers[5], 8);
			memcpy(stats + layouts[i].sleeps, &numbers[6], 8);
			memcpy(stats + layouts[i].tgid, &tgid, 4);
			add_attribute(&thread, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
			add_attribute(&thread, TASKSTATS_TYPE_STATS, stats, sizeof(stats));
			add_attribute(&attributes, TASKSTATS_TYPE_AGGR_PID, thread.bytes, thread.length);
			add_message(&datagram, FAMILY, TASKSTATS_CMD_NEW, &attributes);
			ck_assert(first_exit(&datagram, datagram.length, &record));
			ck_assert(record.tid == 42 && record.tgid == 41 && record.exit_code == 0x1ff);
			ck_assert_int_eq(record.last, f < 2);
			ck_assert(record.uid == 1001 && record.parent_pid == 7);
			ck_assert_str_eq(record.comm, "name");
			ck_assert(record.queued_ns == 0x1100 && record.run_ns == 12 &&
				  record.elapsed_ns == 13000);
			ck_assert(record.user_ns == 14000 && record.system_ns == 15000 &&
				  record.cpu_ns == 29000);
			ck_assert(record.peak_kib == 16 && record.sleeps == 17);
		}
}
END_TEST

/* Before version 12 a status of 0 may be that of another thread; times of 64 bits may not fit. */
START_TEST(taskstats_that_are_not_known)
{
	static const struct {
		uint16_t version;
		uint32_t pid, exit_code, expected;
		uint64_t user_us, user_ns;
	} cases[] = {
		{ 11, 42, 0, U32_UNKNOWN, 1, 1000 },
		{ 11, 42, 9, 9, 1, 1000 },
		{ 12, 42, 0, 0, UINT64_MAX / 1000, UINT64_MAX / 1000 * 1000 },
		{ 12, 42, 0, 0, UINT64_MAX / 1000 + 1, U64_UNKNOWN },
		{ 12, 43, 9, U32_UNKNOWN, 1, U64_UNKNOWN }, /* of another layout */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t tid = 42;
		struct datagram thread = { 0 }, attributes = { 0 }, datagram = { 0 };
		struct exit_record record;
		char stats[STATS_BYTES] = { 0 };

		memcpy(stats, &cases[i].version, 2);
		memcpy(stats + 4, &cases[i].exit_code, 4);
		memcpy(stats + 8, "\x20", 1);
		memcpy(stats + 128, &cases[i].pid, 4);
		memcpy(stats + 152, &cases[i].user_us, 8);
		add_attribute(&thread, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
		add_attribute(&thread, TASKSTATS_TYPE_STATS, stats, sizeof(stats));
		add_attribute(&attributes, TASKSTATS_TYPE_AGGR_PID, thread.bytes, thread.length);
		add_message(&datagram, FAMILY, TASKSTATS_CMD_NEW, &attributes);
		ck_assert(first_exit(&datagram, datagram.length, &record));
		ck_assert_uint_eq(record.exit_code, cases[i].expected);
		ck_assert_uint_eq(record.user_ns, cases[i].user_ns);
		ck_assert_int_eq(record.last, cases[i].version >= 12 && cases[i].pid == 42);
		ck_assert_uint_eq(record.queued_ns, U64_UNKNOWN); /* it is not counted */
	}
}
END_TEST

START_TEST(memory_of_gpus)
{
	static const struct {
		const char *text;
		uint64_t memory, local, shared;
	} cases[] = {
		{ "drm-total-vram0: 9\ndrm-resident-vram0: 5\ndrm-memory-vram0: 7\ndrm-shared-vram0: 2\n", 5,
		  5, 2 },
		{ "drm-memory-vram: 7\ndrm-total-vram: 9\n", 7, 7, U64_UNKNOWN },
		{ "drm-total-local0: 9\ndrm-total-gtt: 1\n", 10, 9, U64_UNKNOWN },
		{ "drm-resident-cpu: 4\ndrm-shared-cpu: 4\n", U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN },
		{ "drm-resident-cpu: 4\ndrm-resident-gtt: 0\ndrm-shared-gtt: 0\n", 0, U64_UNKNOWN, 0 },
		{ "drm-shared-vram: 3\n", U64_UNKNOWN, U64_UNKNOWN, 3 },
		{ "drm-total-a: 1 KiB\ndrm-total-b: 1 MiB\ndrm-total-c: 1 GiB\ndrm-total-d: 1 "
		  "ns\ndrm-total-e: 1 kB\n",
		  1074791425, U64_UNKNOWN, U64_UNKNOWN },
		{ "drm-total-a: 17179869183 GiB\n", UINT64_C(18446744072635809792), U64_UNKNOWN,
		  U64_UNKNOWN },
		{ "drm-total-a: 17179869184 GiB\n", U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN },
		{ "drm-total-a: 1\ndrm-total-a: 5\ndrm-total-b: 7\ndrm-total-b: x\n", 12, U64_UNKNOWN,
		  U64_UNKNOWN },
		{ "drm-total-: 1\ndrm-total: 1\nxdrm-total-a: 1\n", U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN },
	};
	static struct drm_client client;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer text = { 0 };

		buffer_print(&text, "drm-driver: x\n%s", cases[i].text);
		ck_assert(drm_client_parse(span_of(text.bytes, text.length), &client));
		ck_assert_msg(drm_client_memory(&client) == cases[i].memory, "%s", cases[i].text);
		ck_assert_msg(drm_client_local(&client) == cases[i].local, "%s", cases[i].text);
		ck_assert_msg(drm_client_shared(&client) == cases[i].shared, "%s", cases[i].text);
		buffer_free(&text);
	}
}
END_TEST

START_TEST(engines_of_gpus)
{
	static struct drm_client client;
	char name[DRM_NAME_MAX + 1] = "", text[512];

	ck_assert(drm_client_parse(span_text("drm-engine-a: 5 ns\ndrm-driver: first\ndrm-driver: second\n"
					     "drm-engine-capacity-b: 4\ndrm-cycles-b: 6\ndrm-engine-b: 0 ns\n"
					     "drm-total-cycles-b: 9\ndrm-engine-capacity-b: 0\n"),
				   &client));
	ck_assert(span_is(client.driver, "second") && span_is(client.device, "") && client.id == U64_UNKNOWN);
	ck_assert(client.n_engines == 2 && client.n_regions == 0);
	ck_assert(span_is(client.engines[0].name, "a") && client.engines[0].busy_ns == 5);
	ck_assert(client.engines[0].capacity == 1 && client.engines[0].cycles == U64_UNKNOWN);
	ck_assert(span_is(client.engines[1].name, "b") && client.engines[1].busy_ns == 0);
	ck_assert(client.engines[1].capacity == 4 && client.engines[1].cycles == 6);
	ck_assert_uint_eq(client.engines[1].total_cycles, 9);
	for (size_t length = DRM_NAME_MAX - 1; length <= DRM_NAME_MAX; length++) { /* with room for a NUL */
		memset(name, 'n', length);
		snprintf(text, sizeof(text),
			 "drm-driver: x\ndrm-driver: %s\ndrm-pdev: %s\ndrm-engine-%s: 1 ns\n", name, name,
			 name);
		ck_assert(drm_client_parse(span_text(text), &client));
		ck_assert_uint_eq(client.n_engines, length < DRM_NAME_MAX);
		ck_assert(span_is(client.driver, length < DRM_NAME_MAX ? name : "x"));
		ck_assert(span_is(client.device, length < DRM_NAME_MAX ? name : ""));
	}
}
END_TEST

START_TEST(headings_of_interrupts_are_cpus)
{
	static const struct {
		const char *heading;
		bool is_cpu;
		uint32_t cpu;
	} cases[] = {
		{ "  CPU0  CPU1", true, 0 }, { "CPU65535", true, 65535 },
		{ "CPU65536", false, 7 },    { "CPU", false, 7 },
		{ "CPUx", false, 7 },        { "XCPU1", false, 7 },
		{ "CPU1x", false, 7 },       { "", false, 7 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span heading = span_text(cases[i].heading);
		uint32_t cpu = 7;

		ck_assert_msg(interrupt_cpu_next(&heading, &cpu) == cases[i].is_cpu, "%s", cases[i].heading);
		ck_assert_uint_eq(cpu, cases[i].cpu);
		ck_assert(cases[i].is_cpu || heading.at == cases[i].heading);
	}
}
END_TEST

/* The last word, or several that commas part; without words, and without a number, the label. */
START_TEST(names_of_interrupts)
{
	static const struct {
		const char *line, *label, *name;
	} cases[] = {
		{ "0: 5 6 IO-APIC 2-edge timer", "0", "timer" },
		{ "9: 5 6 IO-APIC 9-edge a, b, c", "9", "a, b, c" },
		{ "19: 5 6 PCI-MSI x y, z w", "19", "w" },
		{ "5:", "5", "5" },
		{ "a: 5 6 words of it", "a", "a" },
		{ "/: 5 6 words", "/", "/" },
		{ ";: 5 6 words", ";", ";" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span text = span_text(cases[i].line);
		struct interrupt_line line;

		ck_assert_msg(interrupt_next(&text, &line), "%s", cases[i].line);
		ck_assert_msg(span_is(line.label, cases[i].label), "%s", cases[i].line);
		ck_assert_msg(span_is(interrupt_name(&line), cases[i].name), "%s", cases[i].line);
		ck_assert(!interrupt_next(&text, &line));
	}
}
END_TEST

/* Addresses are of one word or of four, in hexadecimal digits. */
START_TEST(sockets_that_are_malformed_or_not_of_tcp)
{
	static const struct {
		const char *local, *remote, *state;
		bool tcp, is_socket;
		const char *name;
	} cases[] = {
		{ "00000000:0050", "00000000:0001", "01", true, true, "established" },
		{ "00000000:0050", "00000000:0001", "01", false, true, "established" },
		{ "00000000:0050", "00000000:0001", "02", true, true, "syn-sent" },
		{ "00000000:0050", "00000000:0001", "02", false, true, "" },
		{ "00000000:0050", "00000000:0001", "0D", true, true, "" },
		{ "00000000:0050", "00000000:0001", "x", true, false, "" },
		{ "00000000:x", "00000000:0001", "01", true, false, "" },
		{ "0000000:0050", "00000000:0001", "01", true, false, "" },
		{ "000000000:0050", "00000000:0001", "01", true, false, "" },
		{ "0000000g:0050", "00000000:0001", "01", true, false, "" },
		{ "0000000000000000:0050", "00000000:0001", "01", true, false, "" },
		{ "00000000:0050", "000000000000000000000000:0001", "01", true, false, "" },
	};
	struct net_socket socket;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span text;
		char line[160];

		snprintf(line, sizeof(line), "0: %s %s %s 0:0 0:0 0 0 0 77 1", cases[i].local,
			 cases[i].remote, cases[i].state);
		text = span_text(line);
		ck_assert_msg(net_socket_next(&text, cases[i].tcp, &socket) == cases[i].is_socket, "%s",
			      line);
		if (!cases[i].is_socket)
			continue;
		ck_assert_uint_eq(socket.inode, 77);
		ck_assert_str_eq(socket.state, cases[i].name);
		ck_assert_str_eq(socket.local, "0.0.0.0:80");
		ck_assert_str_eq(socket.remote, "0.0.0.0:1");
	}
}
END_TEST

START_TEST(sockets_of_this_machine_alone)
{
	static const struct {
		const char *line, *state, *path;
		uint64_t inode; /* 0: it is none */
	} cases[] = {
		{ "0: 2 0 00010000 0001 01 21 /run/a", "listening", "/run/a", 21 },
		{ "0: 2 0 00010000 0001 03 21", "listening", "", 21 },
		{ "0: 2 0 00000000 0001 03 22 @x", "connected", "@x", 22 },
		{ "0: 2 0 00000001 0001 01 23  y", "", " y", 23 },
		{ "0: 2 0 00000000 0001 02 24", "", "", 24 },
		{ "0: 2 0 xx 0001 01 21 /run/a", "", "", 0 },
		{ "0: 2 0 00010000 0001 x 21", "", "", 0 },
		{ "0: 2 0 00010000 0001 01 x", "", "", 0 },
		{ "0: 2 0", "", "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span text = span_text(cases[i].line);
		struct net_unix socket;

		ck_assert_msg(net_unix_next(&text, &socket) == (cases[i].inode != 0), "%s", cases[i].line);
		if (cases[i].inode == 0)
			continue;
		ck_assert_uint_eq(socket.inode, cases[i].inode);
		ck_assert_str_eq(socket.state, cases[i].state);
		ck_assert_msg(span_is(socket.path, cases[i].path), "%s", cases[i].line);
	}
}
END_TEST
