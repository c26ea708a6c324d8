/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoder of perf records, on what Linux 6.18 on x86-64 wrote and on what it never should. */
#include "suite.h"

#include <linux/perf_event.h>
#include <stddef.h>

#include "kernel/perf_record.h"

#define ARGUMENTS "true one arg --two=x " /* the last is empty */

static char *capture; /* of the seed that was loaded last */

static struct span load(const char *name)
{
	size_t length;

	capture = load_seed(name, &length);
	return span_of(capture, length);
}

static void put64(char *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* What happened: a comm, a thread, /bin/true, a program of 32 bits. */
static const struct {
	enum perf_record_kind kind;
	uint32_t pid, tid, parent;
	bool exec;
	const char *comm;
	uint64_t time_ns;
} recorded[] = {
	{ PERF_RECORD_KIND_FORK, 21192, 21192, 21191, false, "", 4499937363237 },
	{ PERF_RECORD_KIND_COMM, 21192, 21192, 0, false, "worker one", 4499937419951 },
	{ PERF_RECORD_KIND_FORK, 21192, 21193, 21192, false, "", 4499937505568 },
	{ PERF_RECORD_KIND_EXIT, 21192, 21193, 21191, false, "", 4499938615693 },
	{ PERF_RECORD_KIND_FORK, 21194, 21194, 21192, false, "", 4499938703252 },
	{ PERF_RECORD_KIND_COMM, 21194, 21194, 0, true, "true", 4499938865423 },
	{ PERF_RECORD_KIND_SAMPLE, 21194, 21194, 0, false, "", 4499938904871 },
	{ PERF_RECORD_KIND_EXIT, 21194, 21194, 21192, false, "", 4499939361658 },
	{ PERF_RECORD_KIND_FORK, 21195, 21195, 21192, false, "", 4499939472082 },
	{ PERF_RECORD_KIND_COMM, 21195, 21195, 0, true, "x32", 4499939595244 },
	{ PERF_RECORD_KIND_SAMPLE, 21195, 21195, 0, false, "", 4499939616255 },
	{ PERF_RECORD_KIND_EXIT, 21195, 21195, 21192, false, "", 4499939640391 },
	{ PERF_RECORD_KIND_EXIT, 21192, 21192, 21191, false, "", 4499939670726 },
};
#define N_RECORDED (sizeof(recorded) / sizeof(recorded[0]))

#define SAID "%d %u/%u of %u/%u%s '%s' at %lu"

START_TEST(perf_records_of_every_kind)
{
	struct span rest = load("perf_record/every-kind");
	struct perf_record record;

	for (size_t i = 0; i < N_RECORDED; i++) {
		bool is_sample = recorded[i].kind == PERF_RECORD_KIND_SAMPLE;

		ck_assert_msg(perf_record_next(&rest, &record), "%zu", i);
		ck_assert_str_eq(textf(SAID, record.kind, record.pid, record.tid, record.parent_pid,
				       record.parent_tid, record.exec ? " exec" : "", record.comm,
				       (unsigned long)record.time_ns),
				 textf(SAID, recorded[i].kind, recorded[i].pid, recorded[i].tid,
				       recorded[i].parent, recorded[i].parent,
				       recorded[i].exec ? " exec" : "", recorded[i].comm,
				       (unsigned long)recorded[i].time_ns));
		ck_assert((record.stack_address != 0) == is_sample &&
			  (span_length(record.raw) > 0) == is_sample);
		ck_assert_int_eq(record.is_32_bit, is_sample && recorded[i].pid == 21195);
	}
	ck_assert(!perf_record_next(&rest, &record) && span_length(rest) == 0);
}

START_TEST(perf_losses_are_counted)
{
	struct span rest = load("perf_record/lost");
	struct perf_record record;

	ck_assert(perf_record_next(&rest, &record) && record.kind == PERF_RECORD_KIND_LOST);
	ck_assert(record.lost == 130 && record.time_ns > 0);
	ck_assert(perf_record_next(&rest, &record) && record.kind == PERF_RECORD_KIND_FORK &&
		  record.lost == 0);
}

/* Records of one piece each, whole but for what is wrong with them. */
START_TEST(perf_records_whose_lengths_lie)
{
	static const uint16_t wrong[] = { 0, 7, 8, 23, 31, UINT16_MAX };
	struct perf_event_header header = { .type = PERF_RECORD_LOST, .size = 39 };
	struct span rest = load("perf_record/every-kind");
	struct perf_record record = { .pid = 7 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(capture + offsetof(struct perf_event_header, size), &wrong[i], sizeof(wrong[i]));
		ck_assert_msg(!perf_record_next(&rest, &record), "%u", wrong[i]);
		ck_assert_ptr_eq(rest.at, capture);
	}
	memcpy(capture, &header, sizeof(header));
	ck_assert(!perf_record_next(&rest, &record));
	header = (struct perf_event_header){ .type = PERF_RECORD_COMM, .size = 31 };
	memcpy(capture, &header, sizeof(header));
	ck_assert(!perf_record_next(&rest, &record) && record.pid == 7);
	header = (struct perf_event_header){ .type = PERF_RECORD_MMAP, .size = 8 };
	memcpy(capture, &header, sizeof(header));
	ck_assert(perf_record_next(&rest, &record) && record.kind == PERF_RECORD_KIND_OTHER);
	ck_assert(record.pid == 0 && rest.at == capture + 8);
}

START_TEST(perf_comm_without_its_nul)
{
	char bytes[64] = { 0 };
	struct perf_event_header header = { .type = PERF_RECORD_COMM, .size = sizeof(bytes) };
	struct span rest = span_of(bytes, sizeof(bytes));
	struct perf_record record;

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, &header, sizeof(header));
	ck_assert(perf_record_next(&rest, &record));
	ck_assert_str_eq(record.comm, "xxxxxxxxxxxxxxxx");
}

/* The n-th sample of a capture; changes to its stack are changes to the capture. */
static struct perf_record load_sample(const char *name, size_t n)
{
	struct span rest = load(name);
	struct perf_record record;

	do
		ck_assert(perf_record_next(&rest, &record));
	while (record.kind != PERF_RECORD_KIND_SAMPLE || n-- > 0);
	return record;
}

static char *stack_of(const struct perf_record *sample)
{
	return capture + (sample->stack.at - capture);
}

static void assert_arguments(const struct perf_record *sample, const char *wanted, size_t program, bool whole)
{
	char out[300];
	size_t found;

	memset(out, 'x', sizeof(out));
	ck_assert_uint_eq(perf_exec_arguments(sample, out, sizeof(out), &found), strlen(wanted));
	ck_assert_str_eq(out, wanted);
	ck_assert_uint_eq(found, program);
	ck_assert_int_eq(perf_exec_arguments_are_whole(sample), whole);
}

START_TEST(arguments_from_the_stack)
{
	static const struct {
		const char *seed;
		size_t n;
		const char *arguments;
		size_t program;
		bool whole;
	} cases[] = {
		{ "every-kind", 0, ARGUMENTS, 4, true }, { "every-kind", 1, "./x32 thirty two", 5, true },
		{ "lost", 0, ARGUMENTS, 4, true },       { "long-argument", 0, "true first", 4, false },
		{ "beyond-reach", 0, "", 0, false },
		{ "untouched-page", 0, "", 0, false }, /* 464 bytes of 1024 */
		{ "no-stack", 0, "", 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_record sample = load_sample(textf("perf_record/%s", cases[i].seed), cases[i].n);

		assert_arguments(&sample, cases[i].arguments, cases[i].program, cases[i].whole);
	}
}

START_TEST(arguments_in_little_room)
{
	struct perf_record sample = load_sample("perf_record/every-kind", 0);
	char out[sizeof(ARGUMENTS) + 1];
	size_t program;

	for (size_t room = 1; room <= sizeof(ARGUMENTS); room++) {
		memset(out, 'x', sizeof(out));
		ck_assert_uint_eq(perf_exec_arguments(&sample, out, room, &program), room - 1);
		ck_assert(memcmp(out, ARGUMENTS, room - 1) == 0 && out[room - 1] == '\0' && out[room] == 'x');
		ck_assert_uint_eq(program, room - 1 < 4 ? room - 1 : 4);
	}
	out[0] = 'x';
	ck_assert_uint_eq(perf_exec_arguments(&sample, out, 0, &program), 0);
	ck_assert(program == 0 && out[0] == 'x');
}

START_TEST(arguments_that_are_elsewhere)
{
	struct perf_record sample = load_sample("perf_record/every-kind", 0);
	char *stack = stack_of(&sample);
	uint64_t end = sample.stack_address + span_length(sample.stack);
	const uint64_t outside[] = { 0, 1, sample.stack_address - 1, end, end + 1, UINT64_MAX };

	put64(stack, UINT64_MAX); /* more arguments than there can be: up to the NULL after the last */
	assert_arguments(&sample, ARGUMENTS, 4, false);
	put64(stack, (UINT64_C(1) << 61) + 1); /* times 8 is 8 */
	assert_arguments(&sample, ARGUMENTS, 4, false);
	put64(stack, 0);
	assert_arguments(&sample, "", 0, true);
	put64(stack, 3);
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		put64(stack + 24, outside[i]);
		assert_arguments(&sample, "true one arg", 4, false);
	}
	put64(stack + 24, end - 4);
	memset(stack + span_length(sample.stack) - 4, 'x', 4); /* no NUL */
	assert_arguments(&sample, "true one arg", 4, false);
	for (size_t length = 0; length < 40; length++) {
		sample.stack.end = sample.stack.at + length;
		assert_arguments(&sample, "", 0, false);
	}
}

START_TEST(samples_whose_lengths_lie)
{
	struct span rest;
	struct perf_record sample = load_sample("perf_record/every-kind", 0), record = { .pid = 7 };
	char *stack = stack_of(&sample), *start = capture + (sample.raw.at - capture) - 28;
	size_t size = 592, room = 496;

	rest = span_of(start, size);
	put64(stack + room, room + 1); /* more taken than there is room */
	ck_assert(!perf_record_next(&rest, &record));
	put64(stack + room, 0);
	put64(stack - 8, room + 1); /* the length taken would lie beyond the record */
	ck_assert(!perf_record_next(&rest, &record));
	put64(stack - 8, UINT64_MAX);
	ck_assert(!perf_record_next(&rest, &record));
	put64(stack - 8, 0);
	ck_assert(perf_record_next(&rest, &record) && record.stack_address != 0 && !record.stack.at);
	rest = span_of(start, size);
	memset(start + 24, 0xff, sizeof(uint32_t)); /* raw */
	record.pid = 7;
	ck_assert(!perf_record_next(&rest, &record) && record.pid == 7 && rest.at == start);
}

/* A kernel thread has no registers: neither the address nor a stack follow. */
START_TEST(samples_without_registers)
{
	char bytes[48] = { 0 };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(bytes) };
	struct span rest = span_of(bytes, sizeof(bytes));
	const uint32_t raw_bytes = 4;
	struct perf_record record;

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + 24, &raw_bytes, sizeof(raw_bytes));
	ck_assert(perf_record_next(&rest, &record) && span_length(rest) == 0);
	ck_assert(span_length(record.raw) == 4 && record.stack_address == 0 && !record.is_32_bit);
	assert_arguments(&record, "", 0, false);
}
