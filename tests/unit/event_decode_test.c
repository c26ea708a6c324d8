/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoders of the proc connector and of tracepoints: what Linux 6.18 told, and never should. */
#include "rig.h"

#include <linux/connector.h>
#include <linux/netlink.h>

#include "kernel/net/netlink.h"
#include "kernel/trace_format.h"
#include "topic/kernel_clock.h"

#define PROC_MESSAGE_BYTES 76
#define WHAT_AT 36 /* in a message of the proc connector: behind two headers */
#define WORDS_AT 52

static char *capture; /* of the seed that was loaded last */

static struct span load(const char *name)
{
	size_t length;

	capture = load_seed(name, &length);
	return span_of(capture, length);
}

static void put32(char *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* What happened: a comm, a thread; setsid, setresgid, setresuid, exec; ptrace and SIGKILL; SIGABRT. */
static const struct {
	enum proc_event_kind kind;
	uint32_t tid, pid, parent, other, real, effective, exit_code;
	const char *comm;
} told[] = {
	{ PROC_EVENT_KIND_ACK, 0, 0, 0, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_FORK, 20282, 20282, 20281, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_COMM, 20282, 20282, 0, 0, 0, 0, 0, "worker one" },
	{ PROC_EVENT_KIND_FORK, 20283, 20282, 20281, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_EXIT, 20283, 20282, 0, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_FORK, 20284, 20284, 20282, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_SID, 20284, 20284, 0, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_GID, 20284, 20284, 0, 0, 65534, 65534, 0, "" },
	{ PROC_EVENT_KIND_UID, 20284, 20284, 0, 0, 65534, 0, 0, "" },
	{ PROC_EVENT_KIND_UID, 20284, 20284, 0, 0, 65534, 65534, 0, "" },
	{ PROC_EVENT_KIND_EXEC, 20284, 20284, 0, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_EXIT, 20284, 20284, 20282, 0, 0, 0, 3 << 8, "" },
	{ PROC_EVENT_KIND_FORK, 20285, 20285, 20282, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_PTRACE, 20285, 20285, 0, 20282, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_PTRACE, 20285, 20285, 0, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_EXIT, 20285, 20285, 20282, 0, 0, 0, 9, "" },
	{ PROC_EVENT_KIND_FORK, 20286, 20286, 20282, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_CORE, 20286, 20286, 20282, 0, 0, 0, 0, "" },
	{ PROC_EVENT_KIND_EXIT, 20286, 20286, 20282, 0, 0, 0, 6, "" },
	{ PROC_EVENT_KIND_EXIT, 20282, 20282, 20281, 0, 0, 0, 0, "" },
};
#define N_TOLD (sizeof(told) / sizeof(told[0]))

#define SAID "%d of %u/%u, parent %u, other %u, ids %u/%u, code %u, '%s'"

START_TEST(proc_events_of_every_kind)
{
	struct span rest = load("proc_event/every-kind");
	struct proc_event event;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < N_TOLD; i++) {
		ck_assert_msg(proc_event_next(&rest, &event), "%zu", i);
		ck_assert_str_eq(textf(SAID, event.kind, event.pid, event.tid, event.parent_pid,
				       event.other_pid,
				       event.real, event.effective, event.exit_code, event.comm),
				 textf(SAID, told[i].kind, told[i].pid, told[i].tid, told[i].parent,
				       told[i].other,
				       told[i].real, told[i].effective, told[i].exit_code, told[i].comm));
		ck_assert(event.parent_tid == told[i].parent && event.other_tid == told[i].other);
		ck_assert(event.acknowledged == (i == 0 ? 78 : 0) && event.error == 0);
		ck_assert_uint_gt(event.time_ns, time_ns);
		time_ns = event.time_ns;
	}
	ck_assert_uint_eq(time_ns, 4452290388472);
	ck_assert(event.cpu == 0 && event.sequence == 11);
	ck_assert(!proc_event_next(&rest, &event) && span_length(rest) == 0);
}

/* The first two events, the first of them changed: what comes of it. */
static bool next_of_two(struct proc_event *event, struct span *rest)
{
	*rest = span_of(capture, 2 * (size_t)PROC_MESSAGE_BYTES);
	return proc_event_next(rest, event);
}

static struct cn_msg *reload_proc(size_t index)
{
	load("proc_event/every-kind");
	memmove(capture, capture + index * PROC_MESSAGE_BYTES, 2 * (size_t)PROC_MESSAGE_BYTES);
	return (struct cn_msg *)(capture + sizeof(struct nlmsghdr));
}

START_TEST(proc_events_whose_lengths_lie)
{
	static const uint16_t wrong[] = { 0, 15, 19, 31, 41, UINT16_MAX };
	struct proc_event event = { .pid = 7 };
	struct span rest;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		reload_proc(3)->len = wrong[i];
		ck_assert_msg(!next_of_two(&event, &rest), "%u", wrong[i]);
		ck_assert_uint_eq(span_length(rest), 2 * PROC_MESSAGE_BYTES);
	}
	for (uint32_t length = 0; length < PROC_MESSAGE_BYTES; length++) {
		reload_proc(3);
		put32(capture, length);
		if (length >= sizeof(struct nlmsghdr) + sizeof(struct cn_msg))
			ck_assert_msg(!next_of_two(&event, &rest), "%u", length);
	}
	reload_proc(2)->len = 39; /* a comm without its last byte */
	ck_assert(!next_of_two(&event, &rest));
	ck_assert_uint_eq(event.pid, 7);
}

/* Of each kind, with the least that follows its head, and a byte less. */
START_TEST(proc_events_as_short_as_they_may_be)
{
	static const struct {
		size_t index;
		uint16_t length;
	} cases[] = {
		{ 0, 20 }, { 1, 32 },  { 2, 40 },  { 6, 24 },  { 7, 32 },
		{ 8, 32 }, { 10, 24 }, { 11, 32 }, { 13, 32 }, { 17, 24 },
	};
	struct proc_event event;
	struct span rest;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reload_proc(cases[i].index)->len = cases[i].length;
		ck_assert_msg(next_of_two(&event, &rest), "%zu", cases[i].index);
		ck_assert(event.kind == told[cases[i].index].kind && event.pid == told[cases[i].index].pid);
		/* of older kernels, before Linux 4.18 */
		ck_assert(cases[i].index != 11 || (event.exit_code == 3 << 8 && event.parent_pid == 0));
		reload_proc(cases[i].index)->len = (uint16_t)(cases[i].length - 1);
		ck_assert_msg(!next_of_two(&event, &rest), "%zu", cases[i].index);
	}
}

START_TEST(proc_events_that_are_none)
{
	static const char name[] = "sixteen bytes  !";
	struct proc_event event;
	struct span rest;

	for (unsigned i = 0; i < 3; i++) { /* of others, and an error: the next one comes */
		reload_proc(1)->id.idx += i == 0;
		((struct cn_msg *)(capture + sizeof(struct nlmsghdr)))->id.val += i == 1;
		((struct nlmsghdr *)capture)->nlmsg_type = i == 2 ? NLMSG_ERROR : NLMSG_DONE;
		ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_COMM);
		ck_assert_uint_eq(span_length(rest), 0);
	}
	reload_proc(1);
	put32(capture + WHAT_AT, 0x400); /* of a kind to come */
	ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_OTHER);
	ck_assert(event.pid == 0 && event.time_ns == 4452287175386);
	reload_proc(2);
	memcpy(capture + WORDS_AT + 8, name, PROC_COMM_BYTES); /* no NUL */
	ck_assert(next_of_two(&event, &rest));
	ck_assert_str_eq(event.comm, name);
	reload_proc(0);
	put32(capture + WORDS_AT, EPERM);
	ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_ACK && event.error == EPERM);
}

/* The format of a seed; sample is what follows it. */
static struct span load_format(const char *name, struct span *sample)
{
	struct span format;

	*sample = load(name);
	ck_assert(span_until(sample, '\0', &format));
	return format;
}

/* "@OFFSET+BYTES" of a field, with * where its text is elsewhere; "-": there is none. */
static const char *place_of(struct span format, const char *name)
{
	struct trace_field field;

	if (!trace_format_find(format, name, &field))
		return "-";
	return textf("@%u+%u%s", field.offset, field.bytes, field.is == TRACE_FIELD_ELSEWHERE ? "*" : "");
}

START_TEST(fields_of_tracepoints)
{
	static const char *const cases[][3] = {
		{ "exec", "filename", "@8+4*" },     { "exec", "pid", "@12+4" },
		{ "exec", "old_pid", "@16+4" },      { "exec", "common_type", "@0+2" },
		{ "exec", "name", "-" },             { "exec", "file", "-" },
		{ "exec", "", "-" },                 { "fork", "parent_comm", "@8+4*" },
		{ "fork", "child_comm", "@16+4*" },  { "switch", "prev_comm", "@8+16" },
		{ "switch", "next_comm", "@40+16" }, { "switch", "comm", "-" },
	};
	struct span sample;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(strcmp(place_of(load_format(textf("trace_format/%s", cases[i][0]), &sample),
					      cases[i][1]),
				     cases[i][2]) == 0,
			      "%s of %s", cases[i][1], cases[i][0]);
}

START_TEST(fields_that_are_not_well_formed)
{
	static const char *const lines[][2] = {
		{ "\tfield:char[] f;", "-" },
		{ "\tfield:char f;\toffset:8;", "-" },
		{ "\tfield:char f;\tsize:8;\toffset:8;", "-" },
		{ "\tfield:char f;\toffset:-8;\tsize:1;", "-" },
		{ "\tfield:char f;\toffset:8x;\tsize:1;", "-" },
		{ "\tfield:char f;\toffset:4294967296;\tsize:1;", "-" },
		{ "\tfield:char f;\toffset:8;\tsize:1", "-" },
		{ "\tfield:char f]; offset:8; size:1;", "-" },
		{ "\tfield:; offset:8; size:1;", "-" },
		{ "field:char f;", "-" },
		{ "print fmt: f;\toffset:8;\tsize:4;", "-" },
		{ "", "-" },
		{ "\tfield:const char *f;\toffset:8;\tsize:1;", "@8+1" },
		{ "\tfield:char f[];\toffset:8;\tsize:1;", "@8+1" },
		{ "name: x\n\tfield:f;\toffset:8;\tsize:4;", "@8+4" },
		{ "\tfield:char f;\toffset:4294967295;\tsize:4294967295;", "@4294967295+4294967295" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check_text(lines[i][0], place_of(span_text(lines[i][0]), "f"), lines[i][1]);
}

static void assert_text(struct trace_field field, struct span sample, const char *wanted)
{
	struct span text;

	if (!wanted) {
		ck_assert(!trace_field_text(&field, sample, &text));
		return;
	}
	ck_assert(trace_field_text(&field, sample, &text));
	ck_assert_msg(span_is(text, wanted), "%s", wanted);
}

/* What a declaration of a field f of this size means: its kind, and the bytes of its value. */
static const char *kind_of(const char *declaration, unsigned bytes, bool is_signed)
{
	static const char *const kinds[] = {
		[TRACE_FIELD_NUMBER] = "number",   [TRACE_FIELD_DEVICE] = "device",
		[TRACE_FIELD_POINTER] = "pointer", [TRACE_FIELD_ELSEWHERE] = "elsewhere",
		[TRACE_FIELD_TEXT] = "text",	   [TRACE_FIELD_ARRAY] = "array",
		[TRACE_FIELD_BEHIND] = "behind",   [TRACE_FIELD_OTHER] = "other",
	};
	const char *line = textf("\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%d;\n", declaration, bytes,
				 is_signed);
	struct span text = span_text(line);
	struct trace_field field;

	ck_assert_msg(trace_format_next(&text, &field), "%s", line);
	ck_assert_msg(span_is(field.name, "f") && field.bytes == bytes, "%s", line);
	return textf("%s %u%s", kinds[field.is], field.value_bytes, field.is_signed ? " signed" : "");
}

START_TEST(kinds_of_fields)
{
	static const struct {
		const char *declaration;
		unsigned bytes;
		const char *kind;
	} cases[] = {
		{ "unsigned int f", 4, "number 4" },
		{ "u8 f", 1, "number 1" },
		{ "u64 f", 8, "number 8" },
		{ "int f", 8, "number 4 signed" }, /* of a system call */
		{ "const clockid_t f", 8, "number 4 signed" },
		{ "unsigned int f", 8, "number 4" },
		{ "umode_t f", 8, "number 2" },
		{ "loff_t f", 8, "number 8 signed" },
		{ "size_t f", 8, "number 8" },
		{ "dev_t f", 4, "device 4" },
		{ "dev_t f", 8, "number 8" },
		{ "const char * f", 8, "pointer 8" },
		{ "struct mm_struct *f", 8, "pointer 8" },
		{ "struct robust_list_head * *f", 8, "pointer 8" },
		{ "char f[16]", 16, "text 16" },
		{ "char f[TASK_COMM_LEN]", 16, "text 16" },
		{ "const char f[3]", 3, "text 3" },
		{ "unsigned char f[16]", 16, "array 16" },
		{ "__u8 f[4]", 4, "array 4" },
		{ "char * f[2]", 16, "array 16" },
		{ "__data_loc char[] f", 4, "elsewhere 4" },
		{ "__data_loc char[] f", 8, "array 8" },
		{ "__rel_loc char[] f", 4, "behind 4" },
		{ "__data_loc u64[] f", 4, "array 4" },
		{ "__data_loc cpumask_t f", 4, "array 4" },
		{ "__rel_loc __u8[] f", 4, "array 4" },
		{ "u32[] f", 4, "array 4" },
		{ "struct timespec64 f", 16, "other 16" },
		{ "struct small f", 8, "other 8" },
		{ "u128 f", 16, "other 16" },
		{ "u24 f", 3, "other 3" },
		{ "void f", 0, "other 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_text(cases[i].declaration, kind_of(cases[i].declaration, cases[i].bytes, false),
			   cases[i].kind);
	ck_assert_str_eq(kind_of("enum zone_type f", 2, true), "number 2 signed");
}

/* The arguments of system calls, as they are declared, are words; a signed number is one of its own. */
START_TEST(arguments_are_narrower_than_words)
{
	static const char *const types[][2] = {
		{ "number 4 signed", "int __s32 s32 pid_t clockid_t timer_t mqd_t key_t rwf_t key_serial_t" },
		{ "number 4", "unsigned u32 __u32 uid_t gid_t qid_t" },
		{ "number 2", "umode_t" },
		{ "number 8 signed", "long off_t loff_t ssize_t" },
		{ "number 8", "size_t ints in" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct span rest = span_text(types[i][1]), type;

		while (span_word(&rest, &type)) {
			const char *declaration = textf("%.*s f", (int)span_length(type), type.at);

			check_text(declaration, kind_of(declaration, 8, false), types[i][0]);
			ck_assert_str_eq(kind_of(declaration, 8, true), "number 8 signed");
			ck_assert_str_eq(kind_of(declaration, 4, false), "number 4");
		}
	}
	ck_assert_str_eq(kind_of("long long f", 8, false), "number 8 signed");
	ck_assert_str_eq(kind_of("unsigned long f", 8, false), "number 8");
}

START_TEST(texts_that_are_outside)
{
	static const struct {
		enum trace_field_is is;
		uint32_t offset, bytes; /* of the field */
		uint32_t where;         /* the word at 4 */
		const char *text;
	} cases[] = {
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 4 << 16 | 8, "abcd" },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 3 << 16 | 8, "abc" },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 5 << 16 | 8, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 1 << 16 | 12, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 12, "" },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 13, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, UINT32_MAX, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 0xffff, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 4, 0xffff0000, NULL },
		{ TRACE_FIELD_ELSEWHERE, 9, 4, 4 << 16 | 8, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 2, 4 << 16 | 8, NULL },
		{ TRACE_FIELD_ELSEWHERE, 4, 8, 4 << 16 | 8, NULL },
		{ TRACE_FIELD_BEHIND, 4, 4, 4 << 16, "abcd" }, /* from the end of its word on */
		{ TRACE_FIELD_BEHIND, 4, 4, 3 << 16 | 1, "bcd" },
		{ TRACE_FIELD_BEHIND, 4, 4, 4 << 16 | 1, NULL },
		{ TRACE_FIELD_ARRAY, 4, 4, 4 << 16 | 8, NULL },
		{ TRACE_FIELD_TEXT, 8, 4, 0, "abcd" },
		{ TRACE_FIELD_TEXT, 12, 0, 0, "" },
		{ TRACE_FIELD_TEXT, 13, 0, 0, NULL },
		{ TRACE_FIELD_TEXT, 8, 5, 0, NULL },
		{ TRACE_FIELD_TEXT, UINT32_MAX, UINT32_MAX, 0, NULL },
	};
	char bytes[] = { 0, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c', 'd' };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trace_field field = { .is = cases[i].is,
						   .offset = cases[i].offset,
						   .bytes = cases[i].bytes };

		put32(bytes + 4, cases[i].where);
		assert_text(field, span_of(bytes, sizeof(bytes)), cases[i].text);
	}
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .bytes = 1 }, span_of(NULL, 0), NULL);
}

/* A live machine whose clock is that of a time namespace. */
static void open_clocks(struct rig *rig, const char *offsets)
{
	rig_open(rig, "empty", NULL);
	rig->env.live = true;
	rig->env.own_pid = 4711;
	rig_make(rig, "proc/4711/ns");
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(symlink("time:[4026531834]", textf("%s/proc/4711/ns/%s", rig->root, i ?
				 "time" : "time_for_children")), 0);
	}
	if (offsets)
		rig_put(rig, "proc/4711/timens_offsets", "%s", offsets);
}

START_TEST(clocks_of_a_time_namespace_are_ahead)
{
	static const char offsets[] = "monotonic 100 5\nboottime -7 250000000\n";
	/* the offsets may be those of children alone; before Linux 5.6 there are none */
	enum { PLAIN, NO_OFFSETS, NOT_LIVE, NOT_SEEN, NO_TIME, NO_CHILDREN, OTHER_TIME, N_CASES };

	for (int i = 0; i < N_CASES; i++) {
		struct rig rig;
		const char *own;

		open_clocks(&rig, i == NO_OFFSETS ? NULL : offsets);
		rig.env.live = i != NOT_LIVE;
		rig.env.own_pid = i == NOT_SEEN ? 0 : 4711;
		own = textf("%s/proc/4711/ns/%s", rig.root, i == NO_CHILDREN ? "time_for_children" : "time");
		if (i >= NO_TIME)
			ck_assert_int_eq(unlink(own), 0);
		if (i == OTHER_TIME)
			ck_assert_int_eq(symlink("time:[4026531835]", own), 0);
		ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), i == PLAIN ? 100000000005 : 0);
		ck_assert_int_eq((int64_t)kernel_clock_boot_lag_ns(&rig.env), i == PLAIN ? -6750000000 : 0);
		rig_put(&rig, "proc/4711/timens_offsets", "monotonic 9 0\nboottime 9 0\n");
		if (i == PLAIN) /* they never change */
			ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 100000000005);
		rig_close(&rig);
	}
}
