/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of decoders of the kernel's binary answers, and of what is made of numbers that were parsed. */
#include "suite.h"

#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <sys/syscall.h>

#include "core/unknown.h"
#include "kernel/net/netlink.h"
#include "kernel/perf_record.h"
#include "kernel/pid/pid_fd.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/power.h"
#include "kernel/system.h"

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

/* Where its fields lie, as <linux/taskstats.h> gives it. */
static const struct layout {
	size_t run_ns, comm, uid, pid, parent, elapsed, user, system, peak, read, written, sleeps, tgid;
} usual = { 72, 80, 120, 128, 132, 144, 152, 160, 200, 248, 256, 272, 368 },
  of_version_15 = { 120, 128, 168, 176, 180, 192, 200, 208, 248, 296, 304, 320, 464 };

/* A thread that exited: what is not given here is 42 of process 40, of user 1000, whose parent was 7. */
struct exit {
	uint16_t version;
	size_t bytes; /* of the numbers */
	uint32_t pid, exit_code;
	uint8_t flags;
	uint64_t runs, user_us, system_us;
	const char *told;
};

static void add_exit(struct datagram *datagram, const struct exit *exit)
{
	const struct layout *at = exit->version == 15 ? &of_version_15 : &usual;
	const uint32_t tid = 42, uid = 1000, tgid = 40, parent = 7;
	const uint64_t queued_ns = 2000, run_ns = 12, elapsed_us = 9, peak_kib = 800, sleeps = 2;
	const uint64_t read_bytes = 1024, write_bytes = 2048;
	struct datagram thread = { 0 }, process = { 0 }, attributes = { 0 };
	char stats[800] = { 0 };

	memset(stats + at->tgid, 0xee, sizeof(stats) - at->tgid);
	memcpy(stats, &exit->version, 2);
	memcpy(stats + 4, &exit->exit_code, 4);
	memcpy(stats + 8, &exit->flags, 1);
	memcpy(stats + 16, &exit->runs, 8);
	memcpy(stats + 24, &queued_ns, 8);
	memcpy(stats + at->run_ns, &run_ns, 8);
	memcpy(stats + at->comm, "a b) \033", 7);
	memcpy(stats + at->uid, &uid, 4);
	memcpy(stats + at->pid, &exit->pid, 4);
	memcpy(stats + at->parent, &parent, 4);
	memcpy(stats + at->elapsed, &elapsed_us, 8);
	memcpy(stats + at->user, &exit->user_us, 8);
	memcpy(stats + at->system, &exit->system_us, 8);
	memcpy(stats + at->peak, &peak_kib, 8);
	memcpy(stats + at->read, &read_bytes, 8);
	memcpy(stats + at->written, &write_bytes, 8);
	memcpy(stats + at->sleeps, &sleeps, 8);
	memcpy(stats + at->tgid, &tgid, 4);
	add_attribute(&thread, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
	add_attribute(&thread, TASKSTATS_TYPE_STATS, stats, exit->bytes);
	add_attribute(&process, TASKSTATS_TYPE_TGID, &tgid, sizeof(tgid));
	add_attribute(&attributes, TASKSTATS_TYPE_NULL, "", 0);
	add_attribute(&attributes, TASKSTATS_TYPE_AGGR_PID | NLA_F_NESTED, thread.bytes, thread.length);
	add_attribute(&attributes, TASKSTATS_TYPE_AGGR_TGID, process.bytes, process.length);
	add_message(datagram, FAMILY, TASKSTATS_CMD_NEW, &attributes);
}

/* Its numbers as text; those that are not known are left out. */
static const char *text_of(const struct exit_record *record)
{
	const struct {
		const char *name;
		uint64_t number;
	} fields[] = {
		{ "tid", record->tid },
		{ "tgid", record->tgid },
		{ "last", record->last },
		{ "uid", record->uid == U32_UNKNOWN ? U64_UNKNOWN : record->uid },
		{ "parent", record->parent_pid == U32_UNKNOWN ? U64_UNKNOWN : record->parent_pid },
		{ "code", record->exit_code == U32_UNKNOWN ? U64_UNKNOWN : record->exit_code },
		{ "cpu", record->cpu_ns },
		{ "run", record->run_ns },
		{ "user", record->user_ns },
		{ "system", record->system_ns },
		{ "elapsed", record->elapsed_ns },
		{ "queued", record->queued_ns },
		{ "peak", record->peak_kib },
		{ "sleeps", record->sleeps },
		{ "read", record->read_bytes },
		{ "written", record->write_bytes },
	};
	static char text[512];
	size_t length = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].number != U64_UNKNOWN)
			length += (size_t)sprintf(text + length, "%s=%" PRIu64 " ", fields[i].name,
						  fields[i].number);
	strcpy(text + length, record->comm);
	return text;
}

#define WHO "uid=1000 parent=7 "
#define TIMES "cpu=4000000 run=12 user=2500000 system=1500000 elapsed=9000 "
#define REST "peak=800 sleeps=2 read=1024 written=2048 a b) \033"
#define MOST_US (UINT64_MAX / 1000)

/*
 * Before version 12 (Linux 5.19) a status of 0 may be that of another thread, and no process is told; shorter
 * messages leave unknown what they lack; times may not fit; a thread that never ran was not watched.
 */
static const struct exit exits[] = {
	{ 12, 384, 42, 0x700, 0x21, 3, 2500, 1500,
	  "tid=42 tgid=40 last=1 " WHO "code=1792 " TIMES "queued=2000 " REST },
	{ 16, 768, 42, 0, 0xdf, 3, 2500, 1500,
	  "tid=42 tgid=40 last=0 " WHO "code=0 " TIMES "queued=2000 " REST },
	{ 15, 576, 42, 9, 0x20, 3, 2500, 1500,
	  "tid=42 tgid=40 last=1 " WHO "code=9 " TIMES "queued=2000 " REST },
	{ 11, 384, 42, 9, 0x20, 3, 2500, 1500,
	  "tid=42 tgid=0 last=0 " WHO "code=9 " TIMES "queued=2000 " REST },
	{ 11, 384, 42, 0, 0x20, 3, 2500, 1500, "tid=42 tgid=0 last=0 " WHO TIMES "queued=2000 " REST },
	{ 12, 384, 42, 0, 0x20, 0, 2500, 1500, "tid=42 tgid=40 last=1 " WHO "code=0 " TIMES REST },
	{ 12, 384, 42, 0, 0x20, 0, MOST_US, MOST_US,
	  "tid=42 tgid=40 last=1 " WHO "code=0 run=12 user=18446744073709551000 system=18446744073709551000 "
	  "elapsed=9000 " REST },
	{ 12, 384, 42, 0, 0x20, 0, MOST_US + 1, 1500,
	  "tid=42 tgid=40 last=1 " WHO "code=0 run=12 system=1500000 elapsed=9000 " REST },
	{ 12, 160, 42, 0, 0x20, 3, 2500, 1500,
	  "tid=42 tgid=0 last=1 " WHO "code=0 run=12 user=2500000 elapsed=9000 queued=2000 a b) \033" },
	{ 12, 2, 42, 0, 0x20, 3, 2500, 1500, "tid=42 tgid=0 last=0 " },
	{ 12, 384, 43, 9, 0x20, 3, 2500, 1500, "tid=42 tgid=0 last=0 " }, /* of another layout */
};

START_TEST(taskstats_of_exits)
{
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		struct datagram datagram = { 0 };
		struct netlink_message message;
		struct exit_record record;
		struct span rest;

		add_exit(&datagram, &exits[0]); /* another one is before it */
		add_exit(&datagram, &exits[i]);
		rest = span_of(datagram.bytes, datagram.length);
		ck_assert(netlink_next(&rest, &message) && netlink_next(&rest, &message));
		ck_assert(taskstats_exit(&message, FAMILY, &record));
		ck_assert_uint_eq(record.version, exits[i].version);
		ck_assert_str_eq(text_of(&record), exits[i].told);
		ck_assert(!netlink_next(&rest, &message) && span_length(rest) == 0);
		ck_assert(!taskstats_exit(&message, FAMILY + 1, &record));
	}
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

	for (enum sensor_kind kind = 0; kind < N_SENSOR_KINDS; kind++) {
		ck_assert_str_eq(hwmon_prefix(kind), kinds[kind].prefix);
		ck_assert_double_eq(hwmon_value(kind, -3), -3 / kinds[kind].unit);
		ck_assert_double_eq(sensor_plausible(kind, kinds[kind].least), kinds[kind].least);
		ck_assert_double_eq(sensor_plausible(kind, kinds[kind].most), kinds[kind].most);
		ck_assert_msg(isnan(sensor_plausible(kind, kinds[kind].below)), "%s", kinds[kind].prefix);
		ck_assert_msg(isnan(sensor_plausible(kind, kinds[kind].above)), "%s", kinds[kind].prefix);
		ck_assert_msg(isnan(sensor_plausible(kind, NAN)), "%s", kinds[kind].prefix);
	}
}

START_TEST(zones_of_power_have_ranks)
{
	static const char *const names[] = { "intel-rapl", "intel-rapl-tpmi", "intel-rapl-mmio", "dtpm" };

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(powercap_rank(span_text(names[i])), i);
}

/* As much as 100 W explain in a 64th of a second, and not a microjoule more. */
START_TEST(energy_counters_wrap_or_are_reset)
{
	static const struct {
		uint64_t before, now, range, grown;
		bool wrapped, may_have;
	} cases[] = {
		{ 5, 12, 10000000, 7, false, false },
		{ 9000000, 562500, 10000000, 1562500, true, false },
		{ 9000000, 562501, 10000000, U64_UNKNOWN, false, false },
		{ 10000000, 0, 10000000, 0, true, false },
		{ 10000001, 0, 10000000, U64_UNKNOWN, false, false },
		{ 5, 5, 1562500, 0, false, true },
		{ 5, 4, 1562500, 1562499, true, true },
		{ 5, 6, 1562501, 1, false, false },
		{ 5, 4, 0, U64_UNKNOWN, false, false },
		{ 5, 12, U64_UNKNOWN, 7, false, false },
		{ 5, 4, U64_UNKNOWN, U64_UNKNOWN, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct energy_step step =
			energy_step(cases[i].before, cases[i].now, cases[i].range, 1.0 / 64, 100);

		ck_assert_msg(step.grown_uj == cases[i].grown && step.wrapped == cases[i].wrapped &&
				      step.may_have_wrapped == cases[i].may_have,
			      "case %zu: %lld", i, (long long)step.grown_uj);
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
	char text[PID_FD_FLAGS_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(pid_fd_flags_text(cases[i].flags, text), cases[i].text);
		ck_assert_int_eq(pid_fd_is_directory(cases[i].flags), cases[i].is_directory);
	}
}

START_TEST(files_of_system_calls)
{
	static const struct {
		struct pid_syscall call;
		int64_t fd;
	} cases[] = {
		{ { .number = SYS_read, .arguments = { 0 } }, 0 },
		{ { .number = SYS_read, .arguments = { INT32_MAX } }, INT32_MAX },
		{ { .number = SYS_read, .arguments = { 1U << 31 } }, -1 },
		{ { .number = SYS_mq_timedsend, .arguments = { 6 } }, 6 },
		{ { .number = SYS_getpid, .arguments = { 5 } }, -1 },
	};
	struct pid_syscall call;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(pid_syscall_fd(&cases[i].call) == cases[i].fd, "case %zu", i);
	ck_assert(pid_syscall_parse(span_text("-1 0x100000000 0x1"), &call) && call.none);
	ck_assert_int_eq(call.foreign, sizeof(void *) == 4);
	ck_assert(pid_syscall_parse(span_text("-1 0xffffffff 0x1"), &call) && call.none);
	ck_assert_int_eq(call.foreign, sizeof(void *) == 8);
}

START_TEST(states_of_a_task)
{
	for (const char *letter = "RSDTtZXxKWPI"; *letter; letter++)
		ck_assert_str_eq(pid_state_text(*letter), textf("%c", *letter));
	ck_assert_str_eq(pid_state_text('r'), "?");
	ck_assert_str_eq(pid_state_text('\0'), "?");
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
	struct cpu_times times = { .user = 1, .nice = 2, .system = 4, .idle = 8, .iowait = 16, .irq = 32,
				   .softirq = 64, .steal = 128, .guest = 256, .guest_nice = 512 };

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
