/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parsers of kernel files, on good and on hostile text. */
#include <config.h>

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/arcstats.h"
#include "kernel/battery.h"
#include "kernel/cgroup.h"
#include "kernel/cpu_list.h"
#include "kernel/cpu_times.h"
#include "kernel/hwmon.h"
#include "kernel/meminfo.h"
#include "kernel/net/sockstat.h"
#include "kernel/passwd.h"
#include "kernel/perf_read.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_status.h"
#include "kernel/pid/taskstats.h"
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
