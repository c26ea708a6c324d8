/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the decoder of samples and mappings, and of the encoder and decoder of what was unwound. */
#include "pack.h"

#include <linux/perf_event.h>
#include <stddef.h>

#include "kernel/perf_record.h"
#include "topic/profile/profile_tables.h"

static struct buffer ring;

static size_t begin(uint32_t type, uint16_t misc)
{
	size_t at = ring.length;

	PACK(&ring, "422", type, misc, 0);
	return at;
}

static void end(size_t at)
{
	uint16_t size = (uint16_t)(ring.length - at);

	memcpy(ring.bytes + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static struct span taken(void)
{
	return span_of(ring.bytes, ring.length);
}

/* What the records tell, one after the other, separated by ", "; "!": one is malformed. */
static const char *told(void)
{
	static const char *const kinds[] = {
		[PROFILE_RECORD_SAMPLE] = "sample", [PROFILE_RECORD_MAP] = "map",
		[PROFILE_RECORD_EXEC] = "exec",	    [PROFILE_RECORD_FORK] = "fork",
		[PROFILE_RECORD_EXIT] = "exit",	    [PROFILE_RECORD_THROTTLE] = "throttle",
		[PROFILE_RECORD_LOST] = "lost",	    [PROFILE_RECORD_OTHER] = "other",
	};
	struct profile_record record;
	struct span rest = taken();
	const char *text = "";

	while (profile_record_next(&rest, &record)) {
		text = textf("%s%s%s", text, *text ? ", " : "", kinds[record.kind]);
		if (record.pid)
			text = textf("%s %u/%u", text, record.pid, record.tid);
		if (record.parent_pid)
			text = textf("%s of %u", text, record.parent_pid);
		if (record.time_ns)
			text = textf("%s at %lu", text, (unsigned long)record.time_ns);
		if (record.lost)
			text = textf("%s %lu", text, (unsigned long)record.lost);
		if (record.kind == PROFILE_RECORD_MAP)
			text = textf("%s %lx+%lx from %lx of %u:%u %lu %.*s", text,
				     (unsigned long)record.address, (unsigned long)record.bytes,
				     (unsigned long)record.offset, record.major, record.minor,
				     (unsigned long)record.inode, (int)span_length(record.path),
				     record.path.at);
	}
	buffer_empty(&ring);
	return span_length(rest) > 0 ? textf("%s!", text) : text;
}

/* A sample of process 7, with this chain, registers of this ABI, and a stack. */
static void put_sample(const uint64_t *chain, uint64_t n_chain, uint64_t abi, uint64_t room, uint64_t copied)
{
	size_t at = begin(PERF_RECORD_SAMPLE, 0);

	PACK(&ring, "44888", 7, 8, 99, 11, n_chain);
	buffer_add(&ring, (const char *)chain, n_chain * sizeof(*chain));
	PACK(&ring, "8", abi);
	for (uint64_t i = 0; abi != 0 && PROFILE_REGISTERS != 0 && i < PROFILE_N_REGISTERS; i++)
		PACK(&ring, "8", 100 + i);
	PACK(&ring, "8", room);
	buffer_fill(&ring, 's', (size_t)room);
	if (room > 0)
		PACK(&ring, "8", copied);
	end(at);
}

#define PART(number) (uint64_t)(-(number))

/* That of the kernel alone counts, up to a marker: from -4095 on. */
START_TEST(chains_of_the_kernel_begin_with_their_marker)
{
	static const struct {
		uint64_t chain[5], n_chain;
		size_t n_found;
	} cases[] = {
		{ { 0 }, 0, 0 },                           { { PART(128) }, 1, 0 },
		{ { PART(128), 5 }, 2, 1 },                { { PART(512), 5 }, 2, 0 },
		{ { 5, PART(128), 6 }, 3, 0 },             { { PART(128), 5, 6, PART(512), 7 }, 5, 2 },
		{ { PART(128), 5, PART(4096), 7 }, 4, 3 }, { { PART(128), 5, PART(4095), 7 }, 4, 1 },
		{ { PART(128), 5, 6, UINT64_MAX }, 4, 2 },
	};
	struct profile_record record;
	uint64_t address;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span rest;

		buffer_empty(&ring);
		put_sample(cases[i].chain, cases[i].n_chain, 2, 8, 8);
		rest = taken();
		ck_assert(profile_record_next(&rest, &record) && span_length(rest) == 0);
		ck_assert_int_eq(record.kind, PROFILE_RECORD_SAMPLE);
		ck_assert(record.pid == 7 && record.tid == 8 && record.time_ns == 99 && record.period == 11);
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
}

/* That of a thread of the kernel is none, with registers of no ABI. */
START_TEST(stacks_are_as_long_as_what_was_copied)
{
	static const struct {
		uint64_t abi, room, copied;
		bool whole;
	} cases[] = {
		{ 2, 16, 16, true }, { 2, 16, 0, true }, { 2, 16, 17, false },         { 1, 16, 5, true },
		{ 2, 0, 0, true },   { 1, 0, 0, true },  { 2, 16, UINT64_MAX, false }, { 0, 0, 0, true },
	};
	static const uint64_t chain[] = { PART(128), 5 };
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
		ck_assert_int_eq(record.has_user, PROFILE_REGISTERS != 0 && cases[i].abi != 0);
	}
}

START_TEST(sizes_beyond_the_record_end_it)
{
	static const uint64_t sizes[] = { UINT64_MAX, UINT64_C(1) << 61, 3 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t at = begin(PERF_RECORD_SAMPLE, 0);

		PACK(&ring, "448888", 7, 8, 99, 11, sizes[i], 0);
		end(at);
		ck_assert_str_eq(told(), "!");
	}
}

/* Forks and exits of threads are none, nor is a new name an exec. */
START_TEST(processes_begin_and_end)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		uint32_t pid, parent, tid, parent_tid;
		const char *told;
	} cases[] = {
		{ PERF_RECORD_FORK, 0, 10, 7, 10, 7, "fork 10/10 of 7 at 5" },
		{ PERF_RECORD_FORK, 0, 7, 7, 11, 7, "other 7/11 of 7 at 5" },
		{ PERF_RECORD_EXIT, 0, 7, 5, 7, 6, "exit 7/7 of 5 at 5" },
		{ PERF_RECORD_EXIT, 0, 7, 5, 8, 6, "other 7/8 of 5 at 5" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at = begin(cases[i].type, cases[i].misc);

		PACK(&ring, "44448448", cases[i].pid, cases[i].parent, cases[i].tid, cases[i].parent_tid, 5,
		     1, 2, 3);
		end(at);
		ck_assert_str_eq(told(), cases[i].told);
	}
	for (uint16_t misc = 0; misc <= 1 << 13; misc = (uint16_t)(misc + (1 << 13))) {
		size_t at = begin(PERF_RECORD_COMM, misc);

		PACK(&ring, "44", 7, 7);
		buffer_add(&ring, "name\0\0\0", 8);
		PACK(&ring, "448", 7, 7, 5);
		end(at);
	}
	ck_assert_str_eq(told(), "other 7/7 at 5, exec 7/7 at 5");
}

/* Each number is another one; a path may have no NUL behind it. */
START_TEST(what_is_mapped_has_a_file)
{
	static const char *const paths[] = { "/usr/lib/x", "//anon", "", "/no-nul!" };

	for (size_t i = 0; i < 4; i++) {
		size_t at = begin(PERF_RECORD_MMAP2, 0), length = strlen(paths[i]);

		PACK(&ring, "44888448844", 7, 8, 0x1000, 0x2000, 0x3000, 254, 3, 4711, 5, 6, 9);
		buffer_add(&ring, paths[i], length);
		buffer_fill(&ring, '\0', i == 3 ? 0 : 8 - length % 8);
		PACK(&ring, "448", 7, 8, 99);
		end(at);
		ck_assert_str_eq(told(),
				 textf("map 7/8 at 99 1000+2000 from 3000 of 254:3 4711 %s", paths[i]));
	}
}

START_TEST(lost_records_and_throttling_are_told)
{
	size_t at = begin(PERF_RECORD_LOST, 0);

	PACK(&ring, "88448", 1, 130, 7, 8, 99);
	end(at);
	at = begin(PERF_RECORD_THROTTLE, 0);
	PACK(&ring, "8", 1);
	end(at);
	end(begin(PERF_RECORD_MMAP, 0));
	ck_assert_str_eq(told(), "lost at 99 130, throttle, other");
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint16_t bytes = 0; bytes <= cases[i].bytes + 1; bytes++) {
			size_t at = begin(cases[i].type, 0);

			buffer_fill(&ring, '\0', bytes);
			end(at);
			ring.length--; /* its last byte has not come */
			ck_assert_str_eq(told(), "!");
			at = begin(cases[i].type, 0);
			buffer_fill(&ring, '\0', bytes);
			end(at);
			ck_assert_msg((strcmp(told(), "!") != 0) == (bytes >= cases[i].bytes),
				      "%u of %u bytes",
				      cases[i].type, bytes);
		}
	end(begin(PERF_RECORD_THROTTLE, 0));
	ring.bytes[offsetof(struct perf_event_header, size)] = 7; /* less than itself */
	ck_assert_str_eq(told(), "!");
}

/* A long name is cut. */
START_TEST(results_come_back)
{
	const struct profile_count count = {
		.pid = 7, .node = 0, .line = 0, .samples = 3, .weight = 30, .squares = 300
	};
	const struct profile_state state = { .cpu_ns = 5, .samples = 6, .lost = 7, .rules_error = -80 };
	char name[2 * PROFILE_NAME_MAX];
	const struct profile_result written[] = {
		{ .kind = PROFILE_RESULT_FUNCTION, .name = span_text("main"), .file = span_text("work"),
		  .path = span_text("/bin/work"), .names = PROFILE_NAMES_DYNSYM },
		{ .kind = PROFILE_RESULT_NODE, .parent = PROFILE_NO_NODE },
		{ .kind = PROFILE_RESULT_LINE, .line = 12, .name = span_text("work.c") },
		{ .kind = PROFILE_RESULT_COUNT, .count = count },
		{ .kind = PROFILE_RESULT_FORK, .pid = 8, .parent_pid = 7 },
		{ .kind = PROFILE_RESULT_STATE, .state = state },
		{ .kind = PROFILE_RESULT_FUNCTION, .name = span_of(name, sizeof(name)) },
	};
	struct profile_result results[8]; /* the last one is none */
	struct buffer out = { 0 };
	struct span rest;

	memset(name, 'x', sizeof(name));
	for (unsigned i = 0; i < 7; i++)
		profile_results_add(&out, &written[i]);
	rest = span_of(out.bytes, out.length);
	for (unsigned i = 0; i < 7; i++)
		ck_assert(profile_results_next(&rest, &results[i]));
	ck_assert(!profile_results_next(&rest, &results[7]) && span_length(rest) == 0);
	ck_assert_int_eq(results[0].kind, PROFILE_RESULT_FUNCTION);
	ck_assert(span_is(results[0].name, "main") && span_is(results[0].file, "work"));
	ck_assert(span_is(results[0].path, "/bin/work") && results[0].names == PROFILE_NAMES_DYNSYM);
	ck_assert(results[1].kind == PROFILE_RESULT_NODE && results[1].parent == PROFILE_NO_NODE);
	ck_assert(results[2].kind == PROFILE_RESULT_LINE && results[2].function == 0 &&
		  results[2].line == 12);
	ck_assert(span_is(results[2].name, "work.c"));
	ck_assert_int_eq(results[3].kind, PROFILE_RESULT_COUNT);
	ck_assert_int_eq(memcmp(&results[3].count, &count, sizeof(count)), 0);
	ck_assert(results[4].kind == PROFILE_RESULT_FORK && results[4].pid == 8 &&
		  results[4].parent_pid == 7);
	ck_assert_int_eq(results[5].kind, PROFILE_RESULT_STATE);
	ck_assert_int_eq(memcmp(&results[5].state, &state, sizeof(state)), 0);
	ck_assert_uint_eq(span_length(results[6].name), PROFILE_NAME_MAX);
	buffer_free(&out);
}
