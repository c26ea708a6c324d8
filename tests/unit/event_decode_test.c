/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the decoders of the proc connector and of tracepoints, on what Linux 6.18 told and never should;
 * and of who subscribes to it, with a socket of the test.
 */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/net/netlink.h"
#include "kernel/proc_event.h"
#include "kernel/trace_format.h"
#include "rig.h"
#include "sys/netlink_socket.h"
#include "topic/event/event_connector.h"
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

START_TEST(proc_events_of_every_kind)
{
	struct span rest = load("proc_event/every-kind");
	struct proc_event event;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < N_TOLD; i++) {
		ck_assert_msg(proc_event_next(&rest, &event), "%zu", i);
		ck_assert_int_eq(event.kind, told[i].kind);
		ck_assert_uint_eq(event.tid, told[i].tid);
		ck_assert_uint_eq(event.pid, told[i].pid);
		ck_assert_uint_eq(event.parent_tid, told[i].parent);
		ck_assert_uint_eq(event.parent_pid, told[i].parent);
		ck_assert_uint_eq(event.other_tid, told[i].other);
		ck_assert_uint_eq(event.other_pid, told[i].other);
		ck_assert_uint_eq(event.real, told[i].real);
		ck_assert_uint_eq(event.effective, told[i].effective);
		ck_assert_uint_eq(event.exit_code, told[i].exit_code);
		ck_assert_str_eq(event.comm, told[i].comm);
		ck_assert_uint_eq(event.acknowledged, i == 0 ? 78 : 0);
		ck_assert_uint_eq(event.error, 0);
		ck_assert_uint_gt(event.time_ns, time_ns);
		time_ns = event.time_ns;
	}
	ck_assert_uint_eq(time_ns, 4452290388472);
	ck_assert(event.cpu == 0 && event.sequence == 11);
	ck_assert(!proc_event_next(&rest, &event) && span_length(rest) == 0);
}

START_TEST(proc_events_cut_anywhere)
{
	struct span whole = load("proc_event/every-kind");
	struct proc_event event;

	for (size_t length = 0; length < 3 * PROC_MESSAGE_BYTES; length++) {
		struct span rest = span_of(whole.at, length);
		size_t found = 0;

		while (proc_event_next(&rest, &event))
			found++;
		ck_assert_uint_eq(found, length / PROC_MESSAGE_BYTES);
		ck_assert_uint_eq(span_length(rest), length % PROC_MESSAGE_BYTES);
	}
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
		ck_assert_int_eq(event.kind, told[cases[i].index].kind);
		ck_assert_uint_eq(event.pid, told[cases[i].index].pid);
		reload_proc(cases[i].index)->len = (uint16_t)(cases[i].length - 1);
		ck_assert_msg(!next_of_two(&event, &rest), "%zu", cases[i].index);
	}
	for (uint16_t length = 15; length <= 16; length++) {
		reload_proc(1)->len = length; /* of a kind to come, whose words are not known */
		put32(capture + WHAT_AT, 0x400);
		ck_assert_int_eq(next_of_two(&event, &rest), length == 16);
	}
	ck_assert_int_eq(event.kind, PROC_EVENT_KIND_OTHER);
	ck_assert_uint_eq(event.time_ns, 4452287175386);
}

START_TEST(proc_events_of_older_kernels)
{
	struct proc_event event;
	struct span rest;

	reload_proc(11)->len = 32; /* an exit before Linux 4.18 */
	ck_assert(next_of_two(&event, &rest));
	ck_assert(event.pid == 20284 && event.exit_code == 3 << 8 && event.parent_pid == 0);
	reload_proc(17)->len = 24; /* a core dump of then */
	ck_assert(next_of_two(&event, &rest));
	ck_assert(event.pid == 20286 && event.parent_pid == 0);
}

START_TEST(proc_events_that_are_none)
{
	static const char name[] = "sixteen bytes  !";
	struct proc_event event;
	struct span rest;

	reload_proc(1)->id.idx = CN_IDX_PROC + 1;
	ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_COMM && span_length(rest) == 0);
	reload_proc(1)->id.val = CN_VAL_PROC + 1;
	ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_COMM && span_length(rest) == 0);
	reload_proc(1);
	((struct nlmsghdr *)capture)->nlmsg_type = NLMSG_ERROR;
	ck_assert(next_of_two(&event, &rest) && event.kind == PROC_EVENT_KIND_COMM);
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

static void assert_request(enum proc_request request, uint32_t kinds, size_t length, uint32_t operation,
			   uint32_t what)
{
	char bytes[PROC_REQUEST_BYTES_MAX];
	struct netlink_message message;
	struct nlmsghdr outer;
	struct cn_msg header;
	uint32_t words[2] = { 0 };
	struct span rest;

	ck_assert_uint_eq(proc_request_write(bytes, request, kinds, 77, 4711), length);
	rest = span_of(bytes, length);
	ck_assert(netlink_next(&rest, &message) && span_length(rest) == 0);
	ck_assert(message.type == NLMSG_DONE && message.sequence == 77);
	memcpy(&outer, bytes, sizeof(outer));
	ck_assert(outer.nlmsg_pid == 4711 && outer.nlmsg_flags == 0);
	ck_assert(span_peek(message.payload, 0, &header, sizeof(header)));
	ck_assert(header.id.idx == CN_IDX_PROC && header.id.val == CN_VAL_PROC);
	ck_assert(header.seq == 77 && header.ack == 77);
	ck_assert_uint_eq(header.len, span_length(message.payload) - sizeof(header));
	ck_assert(span_peek(message.payload, sizeof(header), words, header.len));
	ck_assert_uint_eq(words[0], operation);
	ck_assert_uint_eq(words[1], what);
}

START_TEST(proc_requests)
{
	assert_request(PROC_REQUEST_LISTEN, ~UINT32_C(0), 40, 1, 0);
	assert_request(PROC_REQUEST_IGNORE, 0, 40, 2, 0);
	assert_request(PROC_REQUEST_LISTEN_SOME, 1 << PROC_EVENT_KIND_EXIT | 1 << PROC_EVENT_KIND_CORE, 44, 1,
		       0xc0000000);
	assert_request(PROC_REQUEST_LISTEN_SOME, ~UINT32_C(0), 44, 1, 0xc00003c7);
}

/* The format of a seed; sample is what follows it. */
static struct span load_format(const char *name, struct span *sample)
{
	struct span format;

	*sample = load(name);
	ck_assert(span_until(sample, '\0', &format));
	return format;
}

static void assert_field(struct span format, const char *name, uint32_t offset, uint32_t bytes,
			 bool is_elsewhere)
{
	struct trace_field field;

	ck_assert_msg(trace_format_find(format, name, &field), "%s", name);
	ck_assert_uint_eq(field.offset, offset);
	ck_assert_uint_eq(field.bytes, bytes);
	ck_assert_int_eq(field.is == TRACE_FIELD_ELSEWHERE, is_elsewhere);
}

START_TEST(fields_of_tracepoints)
{
	struct trace_field field = { .offset = 7 };
	struct span sample, format = load_format("trace_format/exec", &sample);

	assert_field(format, "filename", 8, 4, true);
	assert_field(format, "pid", 12, 4, false);
	assert_field(format, "old_pid", 16, 4, false);
	assert_field(format, "common_type", 0, 2, false);
	ck_assert(!trace_format_find(format, "name", &field) && !trace_format_find(format, "file", &field));
	ck_assert(!trace_format_find(format, "", &field) && field.offset == 7);
	format = load_format("trace_format/fork", &sample);
	assert_field(format, "parent_comm", 8, 4, true);
	assert_field(format, "child_comm", 16, 4, true);
	format = load_format("trace_format/switch", &sample);
	assert_field(format, "prev_comm", 8, 16, false);
	assert_field(format, "next_comm", 40, 16, false);
	ck_assert(!trace_format_find(format, "comm", &field));
}

START_TEST(fields_that_are_not_well_formed)
{
	static const char *const lines[] = { "\tfield:char[] f;",
					     "\tfield:char f;\toffset:8;",
					     "\tfield:char f;\tsize:8;\toffset:8;",
					     "\tfield:char f;\toffset:-8;\tsize:1;",
					     "\tfield:char f;\toffset:8x;\tsize:1;",
					     "\tfield:char f;\toffset:4294967296;\tsize:1;",
					     "\tfield:char f;\toffset:8;\tsize:1",
					     "\tfield:char f]; offset:8; size:1;",
					     "\tfield:; offset:8; size:1;",
					     "field:char f;",
					     "print fmt: f;\toffset:8;\tsize:4;",
					     "" };
	struct trace_field field;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(!trace_format_find(span_text(lines[i]), "f", &field), "%s", lines[i]);
	assert_field(span_text("\tfield:const char *f;\toffset:8;\tsize:1;"), "f", 8, 1, false);
	assert_field(span_text("\tfield:char f[];\toffset:8;\tsize:1;"), "f", 8, 1, false);
	assert_field(span_text("name: x\n\tfield:f;\toffset:8;\tsize:4;"), "f", 8, 4, false);
	assert_field(span_text("\tfield:char f;\toffset:4294967295;\tsize:4294967295;"), "f", UINT32_MAX,
		     UINT32_MAX, false);
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

/* What a declaration means; size 4 and signed:0, unless it says otherwise. */
START_TEST(kinds_of_fields)
{
	static const struct {
		const char *declaration, *name;
		enum trace_field_is is;
		uint32_t bytes, value_bytes;
		bool was_signed, is_signed;
	} cases[] = {
		{ "unsigned int f", "f", TRACE_FIELD_NUMBER, 4, 4, false, false },
		{ "u8 f", "f", TRACE_FIELD_NUMBER, 1, 1, false, false },
		{ "enum zone_type f", "f", TRACE_FIELD_NUMBER, 2, 2, true, true },
		{ "s64 f", "f", TRACE_FIELD_NUMBER, 8, 8, true, true },
		{ "u64 f", "f", TRACE_FIELD_NUMBER, 8, 8, false, false },
		{ "int f", "f", TRACE_FIELD_NUMBER, 8, 4, false, true }, /* of a system call */
		{ "const clockid_t f", "f", TRACE_FIELD_NUMBER, 8, 4, false, true },
		{ "unsigned int f", "f", TRACE_FIELD_NUMBER, 8, 4, false, false },
		{ "umode_t f", "f", TRACE_FIELD_NUMBER, 8, 2, false, false },
		{ "loff_t f", "f", TRACE_FIELD_NUMBER, 8, 8, false, true },
		{ "size_t f", "f", TRACE_FIELD_NUMBER, 8, 8, false, false },
		{ "dev_t f", "f", TRACE_FIELD_DEVICE, 4, 4, false, false },
		{ "dev_t f", "f", TRACE_FIELD_NUMBER, 8, 8, false, false },
		{ "const char * f", "f", TRACE_FIELD_POINTER, 8, 8, false, false },
		{ "struct mm_struct *f", "f", TRACE_FIELD_POINTER, 8, 8, false, false },
		{ "struct robust_list_head * *f", "f", TRACE_FIELD_POINTER, 8, 8, false, false },
		{ "char f[16]", "f", TRACE_FIELD_TEXT, 16, 16, false, false },
		{ "char f[TASK_COMM_LEN]", "f", TRACE_FIELD_TEXT, 16, 16, false, false },
		{ "const char f[3]", "f", TRACE_FIELD_TEXT, 3, 3, false, false },
		{ "unsigned char f[16]", "f", TRACE_FIELD_ARRAY, 16, 16, false, false },
		{ "__u8 f[4]", "f", TRACE_FIELD_ARRAY, 4, 4, false, false },
		{ "char * f[2]", "f", TRACE_FIELD_ARRAY, 16, 16, false, false },
		{ "__data_loc char[] f", "f", TRACE_FIELD_ELSEWHERE, 4, 4, false, false },
		{ "__data_loc char[] f", "f", TRACE_FIELD_ARRAY, 8, 8, false, false },
		{ "__rel_loc char[] f", "f", TRACE_FIELD_BEHIND, 4, 4, false, false },
		{ "__data_loc u64[] f", "f", TRACE_FIELD_ARRAY, 4, 4, false, false },
		{ "__data_loc cpumask_t f", "f", TRACE_FIELD_ARRAY, 4, 4, false, false },
		{ "__rel_loc __u8[] f", "f", TRACE_FIELD_ARRAY, 4, 4, false, false },
		{ "u32[] f", "f", TRACE_FIELD_ARRAY, 4, 4, false, false },
		{ "struct timespec64 f", "f", TRACE_FIELD_OTHER, 16, 16, false, false },
		{ "struct small f", "f", TRACE_FIELD_OTHER, 8, 8, false, false },
		{ "u128 f", "f", TRACE_FIELD_OTHER, 16, 16, false, false },
		{ "u24 f", "f", TRACE_FIELD_OTHER, 3, 3, false, false },
		{ "void f", "f", TRACE_FIELD_OTHER, 0, 0, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_field field;
		struct span text;
		char line[160];

		snprintf(line, sizeof(line), "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%d;\n",
			 cases[i].declaration, cases[i].bytes, cases[i].was_signed);
		text = span_text(line);
		ck_assert_msg(trace_format_next(&text, &field), "%s", line);
		ck_assert_msg(span_is(field.name, cases[i].name) && field.is == cases[i].is &&
				      field.bytes == cases[i].bytes &&
				      field.value_bytes == cases[i].value_bytes &&
				      field.is_signed == cases[i].is_signed,
			      "%s is %d of %u bytes", line, field.is, field.value_bytes);
		ck_assert(!trace_format_next(&text, &field));
	}
}

/* The arguments of system calls, as they are declared, are words. */
START_TEST(arguments_are_narrower_than_words)
{
	static const struct {
		const char *type;
		uint32_t bytes;
		bool is_signed;
	} cases[] = {
		{ "int", 4, true },       { "unsigned int", 4, false }, { "unsigned", 4, false },
		{ "u32", 4, false },      { "__u32", 4, false },        { "__s32", 4, true },
		{ "s32", 4, true },       { "pid_t", 4, true },         { "uid_t", 4, false },
		{ "gid_t", 4, false },    { "umode_t", 2, false },      { "qid_t", 4, false },
		{ "clockid_t", 4, true }, { "timer_t", 4, true },       { "mqd_t", 4, true },
		{ "key_t", 4, true },     { "rwf_t", 4, true },         { "key_serial_t", 4, true },
		{ "long", 8, true },      { "long long", 8, true },     { "off_t", 8, true },
		{ "loff_t", 8, true },    { "ssize_t", 8, true },       { "unsigned long", 8, false },
		{ "size_t", 8, false },   { "ints", 8, false },         { "in", 8, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_field field;
		char line[160];

		snprintf(line, sizeof(line), "\tfield:%s f;\toffset:16;\tsize:8;\tsigned:0;\n",
			 cases[i].type);
		ck_assert_msg(trace_format_find(span_text(line), "f", &field), "%s", line);
		ck_assert_msg(field.bytes == 8 && field.value_bytes == cases[i].bytes &&
				      field.is_signed == cases[i].is_signed,
			      "%s has %u bytes", cases[i].type, field.value_bytes);
		snprintf(line, sizeof(line), "\tfield:%s f;\toffset:16;\tsize:8;\tsigned:1;\n",
			 cases[i].type);
		ck_assert_msg(trace_format_find(span_text(line), "f", &field), "%s", line);
		ck_assert_msg(field.value_bytes == 8 && field.is_signed, "%s",
			      line); /* a number of its own */
		snprintf(line, sizeof(line), "\tfield:%s f;\toffset:16;\tsize:4;\tsigned:0;\n",
			 cases[i].type);
		ck_assert_msg(trace_format_find(span_text(line), "f", &field), "%s", line);
		ck_assert_msg(field.value_bytes == 4 && !field.is_signed, "%s", line);
	}
}

START_TEST(texts_of_fields)
{
	struct trace_field field;
	struct span sample, format = load_format("trace_format/exec", &sample);

	ck_assert(trace_format_find(format, "filename", &field));
	assert_text(field, sample, "/bin/true");
	format = load_format("trace_format/switch", &sample);
	ck_assert(trace_format_find(format, "prev_comm", &field));
	assert_text(field, sample, "a name of 16 byt"); /* no NUL */
	ck_assert(trace_format_find(format, "next_comm", &field));
	assert_text(field, sample, "");
}

START_TEST(texts_that_are_outside)
{
	static const struct {
		uint32_t where;
		const char *text;
	} cases[] = {
		{ 4 << 16 | 8, "abcd" },
		{ 3 << 16 | 8, "abc" },
		{ 5 << 16 | 8, NULL },
		{ 1 << 16 | 12, NULL },
		{ 12, "" },
		{ 13, NULL },
		{ UINT32_MAX, NULL },
		{ 0xffff, NULL },
		{ 0xffff0000, NULL },
	};
	struct trace_field elsewhere = { .offset = 4, .bytes = 4, .is = TRACE_FIELD_ELSEWHERE };
	char bytes[] = { 0, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c', 'd' };
	struct span sample = span_of(bytes, sizeof(bytes));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put32(bytes + 4, cases[i].where);
		assert_text(elsewhere, sample, cases[i].text);
	}
	put32(bytes + 4, 4 << 16);
	elsewhere.is = TRACE_FIELD_BEHIND; /* from the end of its word on */
	assert_text(elsewhere, sample, "abcd");
	put32(bytes + 4, 3 << 16 | 1);
	assert_text(elsewhere, sample, "bcd");
	put32(bytes + 4, 4 << 16 | 1);
	assert_text(elsewhere, sample, NULL);
	elsewhere.is = TRACE_FIELD_ARRAY;
	assert_text(elsewhere, sample, NULL);
	put32(bytes + 4, 4 << 16 | 8);
	assert_text((struct trace_field){ .offset = 9, .bytes = 4, .is = TRACE_FIELD_ELSEWHERE }, sample,
		    NULL);
	assert_text((struct trace_field){ .offset = 4, .bytes = 2, .is = TRACE_FIELD_ELSEWHERE }, sample,
		    NULL);
	assert_text((struct trace_field){ .offset = 4, .bytes = 8, .is = TRACE_FIELD_ELSEWHERE }, sample,
		    NULL);
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = 8, .bytes = 4 }, sample, "abcd");
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = 12, .bytes = 0 }, sample, "");
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = 13, .bytes = 0 }, sample, NULL);
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = 8, .bytes = 5 }, sample, NULL);
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = UINT32_MAX, .bytes = UINT32_MAX },
		    sample, NULL);
	assert_text((struct trace_field){ .is = TRACE_FIELD_TEXT, .offset = 0, .bytes = 1 }, span_of(NULL, 0),
		    NULL);
}

/* --- A socket of the proc connector. */

struct netlink_socket {
	bool open;
};

static struct netlink_socket one_socket;
static int open_error, filter_error;
static unsigned n_sent, failing_send; /* the number of the request that fails, from 1; 0: none */
static struct request {
	uint32_t number, operation, what;
} sent[8];
static unsigned n_answers; /* what the kernel answers: numbers beyond that of the request, and errors */
static struct {
	uint32_t more;
	uint32_t error;
} answers[4];
static struct sock_filter filter_code[64];
static unsigned filter_length; /* 0: there is none */
static struct span batches[4][4];
static unsigned n_batches, batch; /* batch: the one that is received next */

struct netlink_socket *netlink_socket_open(int protocol, uint32_t groups, size_t buffer_bytes,
					   size_t datagram_bytes, int *error)
{
	ck_assert_int_eq(protocol, NETLINK_CONNECTOR);
	ck_assert_uint_eq(groups, CN_IDX_PROC);
	ck_assert_uint_eq(buffer_bytes, 12345);
	ck_assert_uint_ge(datagram_bytes, PROC_MESSAGE_BYTES);
	ck_assert(!one_socket.open);
	*error = open_error;
	one_socket.open = !open_error;
	return open_error ? NULL : &one_socket;
}

struct netlink_socket *netlink_socket_open_in(int namespace, int protocol, uint32_t groups,
					      size_t buffer_bytes, size_t datagram_bytes, int *error)
{
	(void)namespace;
	(void)protocol;
	(void)groups;
	(void)buffer_bytes;
	(void)datagram_bytes;
	*error = -ENOTSUP;
	return NULL;
}

void netlink_socket_close(struct netlink_socket *netlink)
{
	if (netlink)
		netlink->open = false;
}

int netlink_socket_fd(const struct netlink_socket *netlink)
{
	return netlink->open ? 77 : -1;
}

int netlink_socket_send(struct netlink_socket *netlink, const void *bytes, size_t length)
{
	struct span text = span_of(bytes, length);
	struct request *request = &sent[n_sent++];
	struct nlmsghdr header;

	ck_assert(netlink->open);
	ck_assert_uint_le(n_sent, sizeof(sent) / sizeof(sent[0]));
	*request = (struct request){ 0 };
	ck_assert(span_peek(text, 0, &header, sizeof(header)));
	ck_assert_uint_eq(header.nlmsg_len, length);
	request->number = header.nlmsg_seq;
	ck_assert(span_peek(text, WHAT_AT, &request->operation, sizeof(request->operation)));
	span_peek(text, WHAT_AT + sizeof(uint32_t), &request->what, sizeof(request->what));
	return n_sent == failing_send ? -EPERM : 0;
}

int netlink_socket_filter(struct netlink_socket *netlink, const struct sock_fprog *filter)
{
	ck_assert(netlink->open);
	ck_assert_uint_le(filter->len, sizeof(filter_code) / sizeof(filter_code[0]));
	memcpy(filter_code, filter->filter, filter->len * sizeof(*filter->filter));
	filter_length = filter->len;
	return filter_error;
}

/* A fork, which is no answer, and then answers to several requests. */
int netlink_socket_await(struct netlink_socket *netlink, uint64_t ns,
			 bool (*is_answer)(void *context, struct span datagram, int *error), void *context)
{
	struct span whole = load("proc_event/every-kind");
	char *answer = capture;
	int error = -ETIMEDOUT;

	ck_assert(netlink->open && ns > 0);
	ck_assert(!is_answer(context, span_of(whole.at + PROC_MESSAGE_BYTES, PROC_MESSAGE_BYTES), &error));
	for (unsigned i = 0; i < n_answers; i++) {
		struct cn_msg header;

		memcpy(&header, answer + sizeof(struct nlmsghdr), sizeof(header));
		header.ack = sent[n_sent - 1].number + answers[i].more;
		memcpy(answer + sizeof(struct nlmsghdr), &header, sizeof(header));
		put32(answer + WORDS_AT, answers[i].error);
		if (is_answer(context, span_of(answer, PROC_MESSAGE_BYTES), &error))
			return error;
	}
	ck_assert_int_eq(error, -ETIMEDOUT);
	return error;
}

size_t netlink_socket_receive(struct netlink_socket *netlink, size_t most)
{
	size_t n = 0;

	ck_assert(netlink->open);
	while (batch < n_batches && n < most && n < 4 && batches[batch][n].at)
		n++;
	batch++;
	return n;
}

struct span netlink_socket_datagram(const struct netlink_socket *netlink, size_t index)
{
	ck_assert(netlink->open);
	return batches[batch - 1][index];
}

uint64_t netlink_socket_lost(struct netlink_socket *netlink)
{
	return netlink->open ? 31 : 0;
}

/* A live machine whose clock is that of a time namespace. */
static void open_clocks(struct rig *rig, const char *offsets)
{
	static const char *const no_topics[] = { NULL };

	rig_open(rig, "empty", no_topics);
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
	char path[512];
	struct rig rig;

	open_clocks(&rig, offsets);
	ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 100000000005);
	ck_assert_int_eq((int64_t)kernel_clock_boot_lag_ns(&rig.env), -6750000000);
	rig_put(&rig, "proc/4711/timens_offsets", "monotonic 9 0\nboottime 9 0\n");
	ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 100000000005); /* they never change */
	rig_close(&rig);
	open_clocks(&rig, NULL); /* before Linux 5.6 */
	ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 0);
	ck_assert_uint_eq(kernel_clock_boot_lag_ns(&rig.env), 0);
	rig_close(&rig);
	open_clocks(&rig, offsets);
	rig.env.live = false;
	ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 0);
	rig_close(&rig);
	open_clocks(&rig, offsets);
	rig.env.own_pid = 0; /* it is not seen here */
	ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 0);
	rig_close(&rig);
	for (unsigned i = 0; i < 3; i++) { /* the offsets may be those of children alone */
		open_clocks(&rig, offsets);
		snprintf(path, sizeof(path), "%s/proc/4711/ns/%s", rig.root,
			 i == 1 ? "time_for_children" : "time");
		ck_assert_int_eq(unlink(path), 0);
		if (i == 2)
			ck_assert_int_eq(symlink("time:[4026531835]", path), 0);
		ck_assert_uint_eq(kernel_clock_lag_ns(&rig.env), 0);
		rig_close(&rig);
	}
}

static const uint32_t codes[] = { 1, 2, 4, 0x40, 0x80, 0x100, 0x200, 0x40000000, 0x80000000, 0, 0x400 };

/* As the kernel runs it: a classic BPF program of loads, comparisons and returns. */
static bool filter_takes(const char *message)
{
	uint32_t word = 0;

	for (unsigned at = 0; at < filter_length; at++) {
		const struct sock_filter *code = &filter_code[at];

		switch (code->code) {
		case BPF_LD | BPF_ABS | BPF_W:
			memcpy(&word, message + code->k, sizeof(word));
			word = ntohl(word);
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += word == code->k ? code->jt : code->jf;
			break;
		case BPF_RET | BPF_K:
			ck_assert(code->k == 0 || code->k >= PROC_MESSAGE_BYTES);
			return code->k > 0;
		default:
			ck_abort_msg("instruction %u", at);
		}
	}
	ck_abort_msg("it has no end");
	return false;
}

START_TEST(a_subscription_is_to_the_kinds_that_are_wanted)
{
	static const struct {
		enum event_connector_kinds kinds;
		uint32_t what; /* 0: all */
	} cases[] = {
		{ EVENT_CONNECTOR_ALL, 0 },
		{ EVENT_CONNECTOR_BESIDE_PERF, 0xc00001c4 },
		{ EVENT_CONNECTOR_EXECS, 2 },
	};
	struct rig rig;

	open_clocks(&rig, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_connector *connector;
		unsigned n = cases[i].what ? 2 : 1;
		int error = 1;

		n_sent = filter_length = 0;
		n_answers = 3; /* that of another, and ours */
		answers[0].more = 0;
		answers[1].more = 2;
		answers[0].error = answers[1].error = EPERM;
		answers[2].more = 1;
		answers[2].error = 0;
		connector = event_connector_open(&rig.env, cases[i].kinds, 12345, &error);
		ck_assert_ptr_nonnull(connector);
		ck_assert_int_eq(error, 0);
		ck_assert_uint_eq(n_sent, n);
		ck_assert(sent[0].operation == 1 && sent[0].what == 0);
		if (cases[i].what) {
			ck_assert(sent[1].operation == 1 && sent[1].what == cases[i].what);
			ck_assert_uint_eq(sent[1].number, sent[0].number + 1);
			for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
				char message[PROC_MESSAGE_BYTES] = { 0 };

				put32(message + WHAT_AT, codes[c]);
				ck_assert_msg(filter_takes(message) == ((codes[c] & cases[i].what) != 0),
					      "%zu: 0x%x", i, (unsigned)codes[c]);
			}
		} else
			ck_assert_uint_eq(filter_length, 0);
		ck_assert_int_eq(event_connector_descriptor(connector), 77);
		ck_assert_uint_eq(event_connector_lost(connector), 31);
		ck_assert_uint_eq(event_connector_received(connector), 0);
		event_connector_close(connector);
		ck_assert_uint_eq(n_sent, n + 1);
		ck_assert_uint_eq(sent[n].operation, 2);
		ck_assert(!one_socket.open);
	}
	event_connector_close(NULL);
	rig_close(&rig);
}

START_TEST(a_subscription_that_fails_is_ended)
{
	static const struct {
		int open_error, filter_error;
		unsigned n_answers, error, failing_send;
		int expected;
		unsigned n_sent;
	} cases[] = {
		{ -EPROTONOSUPPORT, 0, 1, 0, 0, -EPROTONOSUPPORT, 0 },
		{ 0, 0, 0, 0, 0, -ETIMEDOUT, 2 },
		{ 0, 0, 1, EPERM, 0, -EPERM, 2 },
		{ 0, 0, 1, 0, 1, -EPERM, 2 },
		{ 0, 0, 1, 0, 2, -EPERM, 3 },
		{ 0, -EINVAL, 1, 0, 0, -EINVAL, 3 },
	};
	struct rig rig;
	int error = 0;

	open_clocks(&rig, NULL);
	answers[0].more = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_error = cases[i].open_error;
		filter_error = cases[i].filter_error;
		n_answers = cases[i].n_answers;
		answers[0].error = cases[i].error;
		failing_send = cases[i].failing_send;
		n_sent = 0;
		ck_assert_ptr_null(event_connector_open(&rig.env, EVENT_CONNECTOR_EXECS, 12345, &error));
		ck_assert_int_eq(error, cases[i].expected);
		ck_assert_msg(n_sent == cases[i].n_sent, "%zu: %u", i, n_sent);
		ck_assert(n_sent == 0 || sent[n_sent - 1].operation == 2);
		ck_assert(!one_socket.open);
	}
	rig.env.live = false;
	ck_assert_ptr_null(event_connector_open(&rig.env, EVENT_CONNECTOR_ALL, 12345, &error));
	ck_assert_int_eq(error, -ENOTSUP);
	rig_close(&rig);
}

static enum event_kind raw_kind(size_t i)
{
	static const enum event_kind kinds[] = {
		[PROC_EVENT_KIND_FORK] = EVENT_FORK, [PROC_EVENT_KIND_EXEC] = EVENT_EXEC,
		[PROC_EVENT_KIND_UID] = EVENT_UID,   [PROC_EVENT_KIND_GID] = EVENT_GID,
		[PROC_EVENT_KIND_SID] = EVENT_SID,   [PROC_EVENT_KIND_PTRACE] = EVENT_PTRACE,
		[PROC_EVENT_KIND_COMM] = EVENT_COMM, [PROC_EVENT_KIND_CORE] = EVENT_CORE,
		[PROC_EVENT_KIND_EXIT] = EVENT_EXIT,
	};
	bool is_thread = told[i].tid != told[i].pid;

	return told[i].kind == PROC_EVENT_KIND_FORK && is_thread ? EVENT_CLONE : kinds[told[i].kind];
}

/* The messages of the seed: one, three at once and none, and all others. */
static void give_messages(void)
{
	struct span whole = load("proc_event/every-kind");

	batches[0][0] = span_of(whole.at, PROC_MESSAGE_BYTES);
	batches[1][0] = span_of(whole.at + PROC_MESSAGE_BYTES, (size_t)3 * PROC_MESSAGE_BYTES);
	batches[1][1] = span_of(whole.at, 0);
	batches[1][2] = span_of(whole.at + (size_t)4 * PROC_MESSAGE_BYTES, (N_TOLD - 4) * PROC_MESSAGE_BYTES);
	n_batches = 2;
	batch = 0;
}

START_TEST(messages_of_the_kernel_become_events)
{
	static const enum event_connector_kinds kinds[] = { EVENT_CONNECTOR_ALL, EVENT_CONNECTOR_BESIDE_PERF,
							    EVENT_CONNECTOR_EXECS };
	static const uint32_t wanted[] = {
		UINT32_MAX,
		EVENT_BIT(EVENT_EXIT) | EVENT_BIT(EVENT_CORE) | EVENT_BIT(EVENT_PTRACE) |
			EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID) | EVENT_BIT(EVENT_SID),
		EVENT_BIT(EVENT_EXEC),
	};
	struct rig rig;

	open_clocks(&rig, "monotonic 100 5\nboottime 0 0\n");
	for (unsigned k = 0; k < 3; k++) {
		struct raw_events events = { 0 };
		struct event_connector *connector;
		struct proc_event event;
		struct span whole;
		size_t n = 0;
		int error;

		n_answers = 1;
		answers[0].more = 1;
		n_sent = 0;
		connector = event_connector_open(&rig.env, kinds[k], 12345, &error);
		ck_assert_ptr_nonnull(connector);
		give_messages();
		event_connector_drain(connector, &events);
		ck_assert_uint_eq(batch, 3);
		ck_assert_uint_eq(event_connector_received(connector), N_TOLD);
		whole = load("proc_event/every-kind");
		for (size_t i = 0; i < N_TOLD; i++) {
			const struct raw_event *raw = &events.list[n];

			ck_assert(proc_event_next(&whole, &event));
			if (i == 0 || !(wanted[k] & EVENT_BIT(raw_kind(i))))
				continue;
			ck_assert_uint_lt(n++, events.count);
			ck_assert_msg(raw->kind == raw_kind(i), "%zu: %d", i, (int)raw->kind);
			ck_assert_uint_eq(raw->time_ns, event.time_ns + 100000000005);
			ck_assert_uint_eq(raw->pid, told[i].pid);
			ck_assert_uint_eq(raw->tid, told[i].tid);
			ck_assert_uint_eq(raw->parent_pid, told[i].parent);
			ck_assert_uint_eq(raw->other_pid, told[i].other);
			ck_assert_uint_eq(raw->real, told[i].real);
			ck_assert_uint_eq(raw->effective, told[i].effective);
			ck_assert_str_eq(raw->comm, told[i].comm);
			ck_assert_uint_eq(raw->exit_code,
					  raw->kind == EVENT_EXIT ? told[i].exit_code : UINT32_MAX);
			ck_assert(!raw->text && !raw->is_command && !raw->by_exec);
		}
		ck_assert_uint_eq(events.count, n);
		raw_events_free(&events);
		event_connector_close(connector);
	}
	rig_close(&rig);
}
