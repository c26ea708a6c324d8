/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoder of samples and mappings, and of the encoder and decoder of what was unwound. */
#include <config.h>

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "core/buffer.h"
#include "kernel/profile_record.h"
#include "suite.h"
#include "topic/profile/profile_results.h"

static struct buffer ring;

static void put(const void *bytes, size_t length)
{
	buffer_add(&ring, bytes, length);
}

static void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

static size_t begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	size_t at = ring.length;

	put(&header, sizeof(header));
	return at;
}

static void end(size_t at)
{
	uint16_t size = (uint16_t)(ring.length - at);

	memcpy(ring.bytes + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static void put_task(uint32_t pid, uint32_t tid, uint64_t time)
{
	put(&pid, sizeof(pid));
	put(&tid, sizeof(tid));
	put_u64(time);
}

static struct span taken(void)
{
	return span_of(ring.bytes, ring.length);
}

START_TEST(a_sample_has_both_stacks)
{
	static const uint64_t chain[] = { (uint64_t)-128, 0x10, 0x20, (uint64_t)-512, 0x30 };
	size_t at = begin(PERF_RECORD_SAMPLE, 0);
	struct profile_record record;
	struct span rest;
	uint64_t address;

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles take another architecture");
	put_task(7, 8, 99);
	put_u64(11);
	put_u64(sizeof(chain) / sizeof(*chain));
	put(chain, sizeof(chain));
	put_u64(2); /* of 64 bits */
	for (uint64_t i = 0; i < PROFILE_N_REGISTERS; i++)
		put_u64(100 + i);
	put_u64(16);
	put("0123456789abcdef", 16);
	put_u64(10);
	end(at);
	rest = taken();
	ck_assert(profile_record_next(&rest, &record));
	ck_assert_int_eq(record.kind, PROFILE_RECORD_SAMPLE);
	ck_assert_uint_eq(record.pid, 7);
	ck_assert_uint_eq(record.tid, 8);
	ck_assert_uint_eq(record.time_ns, 99);
	ck_assert_uint_eq(record.period, 11);
	ck_assert(profile_record_kernel(&record, 0, &address));
	ck_assert_uint_eq(address, 0x10);
	ck_assert(profile_record_kernel(&record, 1, &address));
	ck_assert_uint_eq(address, 0x20);
	ck_assert(!profile_record_kernel(&record, 2, &address)); /* another part begins */
	ck_assert(record.has_user && !record.is_32_bit);
	ck_assert_uint_eq(record.registers[PROFILE_SP], 100 + PROFILE_SP);
	ck_assert_uint_eq(span_length(record.stack), 10); /* as much as was copied */
	ck_assert(!profile_record_next(&rest, &record));
	buffer_free(&ring);
}

START_TEST(a_kernel_thread_has_no_user_stack)
{
	size_t at = begin(PERF_RECORD_SAMPLE, 0);
	struct profile_record record;
	struct span rest;

	put_task(9, 9, 1);
	put_u64(11);
	put_u64(2);
	put_u64((uint64_t)-128);
	put_u64(0x10);
	put_u64(0);
	put_u64(0);
	end(at);
	rest = taken();
	ck_assert(profile_record_next(&rest, &record));
	ck_assert(!record.has_user);
	ck_assert_uint_eq(span_length(record.kernel), 8);
	ck_assert_uint_eq(span_length(record.stack), 0);
	buffer_free(&ring);
}

START_TEST(sizes_beyond_the_record_end_it)
{
	static const uint64_t sizes[] = { UINT64_MAX, UINT64_C(1) << 61, 3 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t at = begin(PERF_RECORD_SAMPLE, 0);
		struct profile_record record;
		struct span rest;

		put_task(7, 8, 99);
		put_u64(11);
		put_u64(sizes[i]);
		put_u64(0);
		end(at);
		rest = taken();
		ck_assert(!profile_record_next(&rest, &record));
		ck_assert_uint_gt(span_length(rest), 0);
		buffer_empty(&ring);
	}
	buffer_free(&ring);
}

START_TEST(forks_of_threads_are_none)
{
	static const uint32_t tasks[][4] = { { 10, 7, 10, 7 },
					     { 7, 7, 11, 7 } }; /* pid, parent, tid, parent */
	struct profile_record record;
	struct span rest;

	for (size_t i = 0; i < 2; i++) {
		size_t at = begin(PERF_RECORD_FORK, 0);

		put(tasks[i], sizeof(tasks[i]));
		put_u64(5);
		put_task(7, 7, 5);
		end(at);
	}
	rest = taken();
	ck_assert(profile_record_next(&rest, &record));
	ck_assert_int_eq(record.kind, PROFILE_RECORD_FORK);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.parent_pid, 7);
	ck_assert(profile_record_next(&rest, &record));
	ck_assert_int_eq(record.kind, PROFILE_RECORD_OTHER);
	buffer_free(&ring);
}

START_TEST(a_new_name_is_no_exec)
{
	static const uint16_t misc[] = { 0, 1 << 13 };
	struct profile_record record;
	struct span rest;

	for (size_t i = 0; i < 2; i++) {
		size_t at = begin(PERF_RECORD_COMM, misc[i]);
		uint32_t task[] = { 7, 7 };

		put(task, sizeof(task));
		put("name\0\0\0", 8);
		put_task(7, 7, 5);
		end(at);
	}
	rest = taken();
	ck_assert(profile_record_next(&rest, &record));
	ck_assert_int_eq(record.kind, PROFILE_RECORD_OTHER);
	ck_assert(profile_record_next(&rest, &record));
	ck_assert_int_eq(record.kind, PROFILE_RECORD_EXEC);
	ck_assert_uint_eq(record.time_ns, 5);
	buffer_free(&ring);
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

/* A sample of process 7, with this chain, registers of this ABI, and a stack. */
static void put_sample(const uint64_t *chain, uint64_t n_chain, uint64_t abi, uint64_t room, uint64_t copied)
{
	size_t at = begin(PERF_RECORD_SAMPLE, 0);

	put_task(7, 8, 99);
	put_u64(11);
	put_u64(n_chain);
	put(chain, n_chain * sizeof(*chain));
	put_u64(abi);
	for (uint64_t i = 0; abi != 0 && PROFILE_REGISTERS != 0 && i < PROFILE_N_REGISTERS; i++)
		put_u64(100 + i);
	put_u64(room);
	buffer_fill(&ring, 's', (size_t)room);
	if (room > 0)
		put_u64(copied);
	end(at);
}

/* That of the kernel alone counts, up to a marker: from -4095 on. */
START_TEST(chains_of_the_kernel_begin_with_their_marker)
{
	static const struct {
		uint64_t chain[4], n_chain;
		size_t n_found;
	} cases[] = {
		{ { 0 }, 0, 0 },
		{ { (uint64_t)-128 }, 1, 0 },
		{ { (uint64_t)-128, 5 }, 2, 1 },
		{ { (uint64_t)-512, 5 }, 2, 0 },
		{ { 5, (uint64_t)-128, 6 }, 3, 0 },
		{ { (uint64_t)-128, 5, (uint64_t)-4096, 7 }, 4, 3 },
		{ { (uint64_t)-128, 5, (uint64_t)-4095, 7 }, 4, 1 },
		{ { (uint64_t)-128, 5, 6, UINT64_MAX }, 4, 2 },
	};
	struct profile_record record;
	uint64_t address;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span rest;

		buffer_empty(&ring);
		put_sample(cases[i].chain, cases[i].n_chain, 2, 8, 8);
		rest = taken();
		ck_assert(profile_record_next(&rest, &record) && span_length(rest) == 0);
		ck_assert_uint_eq(span_length(record.kernel), 8 * cases[i].n_found);
		for (size_t n = 0; n < cases[i].n_found; n++) {
			ck_assert(profile_record_kernel(&record, n, &address));
			ck_assert_uint_eq(address, cases[i].chain[n + 1]);
		}
		ck_assert(!profile_record_kernel(&record, cases[i].n_found, &address));
		ck_assert_uint_eq(record.registers[PROFILE_N_REGISTERS - 1],
				  PROFILE_REGISTERS ? 100 + PROFILE_N_REGISTERS - 1 : 0);
		ck_assert(span_is(record.stack, "ssssssss"));
	}
	buffer_free(&ring);
}

START_TEST(stacks_are_as_long_as_what_was_copied)
{
	static const struct {
		uint64_t abi, room, copied;
		bool whole;
	} cases[] = {
		{ 2, 16, 16, true }, { 2, 16, 0, true }, { 2, 16, 17, false },         { 1, 16, 5, true },
		{ 2, 0, 0, true },   { 1, 0, 0, true },  { 2, 16, UINT64_MAX, false },
	};
	static const uint64_t chain[] = { (uint64_t)-128, 5 };
	struct profile_record record;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span rest;

		buffer_empty(&ring);
		put_sample(chain, 2, cases[i].abi, cases[i].room, cases[i].copied);
		rest = taken();
		ck_assert_int_eq(profile_record_next(&rest, &record), cases[i].whole);
		ck_assert_uint_eq(span_length(rest), cases[i].whole ? 0 : ring.length);
		if (!cases[i].whole)
			continue;
		ck_assert_uint_eq(span_length(record.stack), cases[i].copied);
		ck_assert_int_eq(record.is_32_bit, cases[i].abi == 1);
		ck_assert_int_eq(record.has_user, PROFILE_REGISTERS != 0);
	}
	buffer_free(&ring);
}

/* Each number is another one; a path may have no NUL behind it. */
START_TEST(what_is_mapped_has_a_file)
{
	static const char *const paths[] = { "/usr/lib/x", "//anon", "" };
	struct profile_record record;

	for (size_t i = 0; i < 4; i++) {
		size_t at;
		struct span rest;

		buffer_empty(&ring);
		at = begin(PERF_RECORD_MMAP2, 0);
		put_u32(7);
		put_u32(8);
		for (uint64_t number = 0x1000; number <= 0x3000; number += 0x1000)
			put_u64(number);
		put_u32(254);
		put_u32(3);
		put_u64(4711);
		put_u64(5);
		put_u32(6);
		put_u32(9);
		if (i == 3)
			put("/no-nul!", 8);
		else
			put(paths[i], strlen(paths[i]) + 1);
		if (i < 3)
			buffer_fill(&ring, '\0', (8 - (strlen(paths[i]) + 1) % 8) % 8);
		put_task(7, 8, 99);
		end(at);
		rest = taken();
		ck_assert(profile_record_next(&rest, &record) && span_length(rest) == 0);
		ck_assert_int_eq(record.kind, PROFILE_RECORD_MAP);
		ck_assert(record.pid == 7 && record.tid == 8 && record.time_ns == 99);
		ck_assert(record.address == 0x1000 && record.bytes == 0x2000 && record.offset == 0x3000);
		ck_assert(record.major == 254 && record.minor == 3 && record.inode == 4711);
		ck_assert(span_is(record.path, i == 3 ? "/no-nul!" : paths[i]));
	}
	buffer_free(&ring);
}

START_TEST(exits_are_those_of_first_threads)
{
	static const struct {
		uint32_t pid, tid;
		enum profile_record_kind kind;
	} cases[] = { { 7, 7, PROFILE_RECORD_EXIT }, { 7, 8, PROFILE_RECORD_OTHER } };
	struct profile_record record;
	struct span rest;

	for (size_t i = 0; i < 2; i++) {
		size_t at = begin(PERF_RECORD_EXIT, 0);

		put_u32(cases[i].pid);
		put_u32(5);
		put_u32(cases[i].tid);
		put_u32(6);
		put_u64(99 + i);
		put_task(1, 2, 3);
		end(at);
	}
	rest = taken();
	for (size_t i = 0; i < 2; i++) {
		ck_assert(profile_record_next(&rest, &record));
		ck_assert_int_eq(record.kind, cases[i].kind);
		ck_assert(record.pid == 7 && record.tid == cases[i].tid && record.parent_pid == 5);
		ck_assert_uint_eq(record.time_ns, 99 + i);
	}
	ck_assert_uint_eq(span_length(rest), 0);
	buffer_free(&ring);
}

START_TEST(lost_records_and_throttling_are_told)
{
	struct profile_record record;
	struct span rest;
	size_t at = begin(PERF_RECORD_LOST, 0);

	put_u64(1);
	put_u64(130);
	put_task(7, 8, 99);
	end(at);
	at = begin(PERF_RECORD_THROTTLE, 0);
	put_u64(1);
	end(at);
	end(begin(PERF_RECORD_MMAP, 0));
	rest = taken();
	ck_assert(profile_record_next(&rest, &record) && record.kind == PROFILE_RECORD_LOST);
	ck_assert(record.lost == 130 && record.time_ns == 99);
	ck_assert(profile_record_next(&rest, &record) && record.kind == PROFILE_RECORD_THROTTLE);
	ck_assert_uint_eq(record.lost, 0);
	ck_assert(profile_record_next(&rest, &record) && record.kind == PROFILE_RECORD_OTHER);
	ck_assert(!profile_record_next(&rest, &record) && span_length(rest) == 0);
	buffer_free(&ring);
}

/* Of each kind, as short as it may be; with less it is malformed. */
START_TEST(records_have_least_lengths)
{
	static const struct {
		uint32_t type;
		uint16_t bytes;
	} cases[] = {
		{ PERF_RECORD_MMAP2, 64 + 16 }, { PERF_RECORD_COMM, 8 + 16 }, { PERF_RECORD_FORK, 24 },
		{ PERF_RECORD_EXIT, 24 },       { PERF_RECORD_LOST, 32 },     { PERF_RECORD_THROTTLE, 0 },
	};
	struct profile_record record;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint16_t bytes = 0; bytes <= cases[i].bytes + 1; bytes++) {
			size_t at;
			struct span rest;

			buffer_empty(&ring);
			at = begin(cases[i].type, 0);
			buffer_fill(&ring, '\0', bytes);
			end(at);
			rest = taken();
			ck_assert_msg(profile_record_next(&rest, &record) == (bytes >= cases[i].bytes),
				      "%u of %u bytes", cases[i].type, bytes);
			rest = span_of(ring.bytes, ring.length - 1); /* its last byte has not come */
			ck_assert(!profile_record_next(&rest, &record));
		}
	}
	buffer_empty(&ring);
	end(begin(PERF_RECORD_THROTTLE, 0));
	ring.bytes[offsetof(struct perf_event_header, size)] = 7; /* less than itself */
	ck_assert(!profile_record_next(&(struct span){ ring.bytes, ring.bytes + ring.length }, &record));
	buffer_free(&ring);
}

START_TEST(results_come_back)
{
	const struct profile_count count = {
		.pid = 7, .node = 0, .line = 0, .samples = 3, .weight = 30, .squares = 300
	};
	const struct profile_state state = { .cpu_ns = 5, .samples = 6, .lost = 7, .rules_error = -80 };
	struct profile_result result;
	struct buffer out = { 0 };
	struct span rest;

	profile_results_function(&out, span_text("main"), span_text("work"), span_text("/bin/work"),
				 PROFILE_NAMES_DYNSYM);
	profile_results_node(&out, PROFILE_NO_NODE, 0);
	profile_results_line(&out, 0, 12, span_text("work.c"));
	profile_results_count(&out, &count);
	profile_results_fork(&out, 8, 7);
	profile_results_state(&out, &state);
	rest = span_of(out.bytes, out.length);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_FUNCTION);
	ck_assert(span_is(result.name, "main") && span_is(result.file, "work") &&
		  span_is(result.path, "/bin/work"));
	ck_assert_int_eq(result.names, PROFILE_NAMES_DYNSYM);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_NODE);
	ck_assert_uint_eq(result.parent, PROFILE_NO_NODE);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_LINE);
	ck_assert(result.function == 0 && result.line == 12 && span_is(result.name, "work.c"));
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_COUNT);
	ck_assert_int_eq(memcmp(&result.count, &count, sizeof(count)), 0);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_FORK);
	ck_assert(result.pid == 8 && result.parent_pid == 7);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_int_eq(result.kind, PROFILE_RESULT_STATE);
	ck_assert_int_eq(memcmp(&result.state, &state, sizeof(state)), 0);
	ck_assert(!profile_results_next(&rest, &result));
	buffer_free(&out);
}

START_TEST(a_long_name_is_cut)
{
	char name[2 * PROFILE_NAME_MAX];
	struct profile_result result;
	struct buffer out = { 0 };
	struct span rest;

	memset(name, 'x', sizeof(name));
	profile_results_function(&out, span_of(name, sizeof(name)), span_text(""), span_text(""),
				 PROFILE_NAMES_NONE);
	rest = span_of(out.bytes, out.length);
	ck_assert(profile_results_next(&rest, &result));
	ck_assert_uint_eq(span_length(result.name), PROFILE_NAME_MAX);
	buffer_free(&out);
}
