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

START_TEST(zones_of_power_have_ranks)
{
	static const char *const names[] = { "intel-rapl", "intel-rapl-tpmi", "intel-rapl-mmio", "dtpm" };

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(powercap_rank(span_text(names[i])), i);
	ck_assert_int_eq(powercap_part(span_text("package-0")), POWERCAP_PACKAGE);
	ck_assert_int_eq(powercap_part(span_text("psys-1")), POWERCAP_PLATFORM);
	ck_assert_int_eq(powercap_part(span_text("dram-0")), POWERCAP_OTHER);
}

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

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *text = textf("%d 0x%llx 0x2 0x3 0x4 0x5 0xffffffffffffffff 0x%zx 0x8\n",
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
