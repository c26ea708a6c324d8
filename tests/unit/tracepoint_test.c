/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs for tracepoints that a user names: what is in their keys, and what is refused. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "rig.h"
#include "sys/bpf/emit.h"
#include "topic/tracepoint/tracepoint_plan.h"

#define FIELD(declaration, offset, size, is_signed)                                                          \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const char format[] = "name: made_up\nID: 1\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)
	FIELD("int common_pid", 4, 4, 1) "\n" FIELD("dev_t dev", 8, 4, 0) FIELD("int change", 12, 4, 1)
		FIELD("u64 sector", 16, 8, 0) FIELD("char rwbs[10]", 24, 10, 0) FIELD("u16 odd", 35, 2, 0)
			FIELD("__data_loc char[] path", 40, 4, 0) FIELD("__rel_loc char[] near", 44, 4, 0)
				FIELD("void * where", 48, 8, 0) FIELD("char long_text[80]", 56, 80, 0)
					FIELD("int fd", 136, 8, 0) FIELD("u8 mac[6]", 144, 6, 0)
						FIELD("struct thing thing", 150, 12, 0)
							FIELD("int pid", 164, 4,
							      1) "\nprint fmt: \"%s\", REC->path\n";

static struct tracepoint_plan plan;
static char why[TEXT_MAX];

static bool make_from(const char *fields, const char *text, bool of_scope)
{
	struct trace_spec spec;

	why[0] = '\0';
	ck_assert_msg(trace_spec_parse(&spec, text, why, sizeof(why)), "%s: %s", text, why);
	return tracepoint_plan_make(&plan, &spec, span_text(fields), of_scope, why, sizeof(why));
}

static bool make(const char *text, bool of_scope)
{
	return make_from(format, text, of_scope);
}

static int find_member(void *state, const char *way, struct bpf_place *place)
{
	(void)state;
	(void)way;
	*place = (struct bpf_place){ .offsets = { 8 }, .n = 1, .bytes = 4 };
	return 0;
}

/* What the assembler says of it; NULL: nothing. */
static const char *assemble(unsigned *n_instructions)
{
	const struct bpf_kernel kernel = { .member = find_member };
	struct bpf_target target = { .kernel = &kernel, .of_wanted = plan.plan.of_wanted };
	static struct bpf_code code;

	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++)
		target.maps[map] = map == BPF_MAP_SLOTS ? -1 : (int)map;
	bpf_assemble(&code, &plan.programs[0], &target);
	*n_instructions = code.count;
	return code.refused;
}

START_TEST(keys_have_their_words)
{
	static const struct {
		const char *text;
		unsigned n_words;
	} cases[] = {
		{ "a:b", 1 },
		{ "a:b hist(sector)", 1 },
		{ "a:b by dev", 1 },
		{ "a:b by dev hist(sector)", 2 },
		{ "a:b by comm", 2 },
		{ "a:b by rwbs", 2 },
		{ "a:b by pid,tid,cpu,cgroup", 4 },
		{ "a:b by path", 8 },
		{ "a:b by long_text,near,path,comm hist(change)", 27 },
		{ "a:b by odd,where,fd", 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned n_instructions;

		ck_assert_msg(make(cases[i].text, false), "%s", why);
		ck_assert_msg(plan.plan.n_words == cases[i].n_words, "%s: %u", cases[i].text,
			      plan.plan.n_words);
		ck_assert_ptr_null(assemble(&n_instructions));
	}
}

/* A field comes before what panetop knows under the same name. */
START_TEST(a_field_comes_first)
{
	ck_assert(make("a:b by pid,tid", false));
	ck_assert_int_eq(plan.programs[0].keys[0].is, BPF_PART_NUMBER);
	ck_assert_int_eq(plan.programs[0].keys[1].is, BPF_PART_THREAD);
}

/* As in regmap:regcache_sync of Linux 5.10: the text is for keys, the number for sums. */
START_TEST(two_fields_with_the_same_name)
{
	static const char twice[] = FIELD("__data_loc char[] type", 8, 4, 0) FIELD("int type", 12, 4, 1);
	struct trace_spec spec;

	ck_assert(trace_spec_parse(&spec, "a:b by type sum(type) if type == x", why, sizeof(why)));
	ck_assert_msg(tracepoint_plan_make(&plan, &spec, span_text(twice), false, why, sizeof(why)), "%s",
		      why);
	ck_assert_int_eq(plan.programs[0].keys[0].is, BPF_PART_TEXT);
	ck_assert_int_eq(plan.programs[0].value.is, BPF_PART_NUMBER);
	ck_assert_uint_eq(plan.programs[0].value.spot.offset, 12);
}

START_TEST(the_largest_program_has_room)
{
	char text[TRACE_SPEC_TEXT_MAX] =
		"a:b by long_text,near,path,path sum(odd) max(change) hist(change) if ";
	unsigned n_instructions;

	for (unsigned i = 0; i < TRACE_TESTS_MAX; i++)
		strcat(text, i == 0 ? "near != 012345678901234567890123456789012345678901234567890"
				    : " and path != 01234567890123456789012345");
	ck_assert_msg(make(text, true), "%s", why);
	ck_assert_ptr_null(assemble(&n_instructions));
	ck_assert_uint_lt(n_instructions, BPF_CODE_MAX);
	ck_assert(plan.plan.of_wanted && plan.plan.by_pid && plan.plan.n_programs == 2);
}

START_TEST(what_is_refused_says_what_there_is)
{
	static const char *const texts[][2] = {
		{ "a:b by nosuch",
		  "no field nosuch; there are: dev change sector odd where fd pid rwbs path near "
		  "long_text comm tid cpu cgroup" },
		{ "a:b by common_pid", "no field common_pid; there are: dev" },
		{ "a:b sum(comm)", "no field comm; there are: dev change sector odd where fd pid" },
		{ "a:b sum(path)", "path is a text" },
		{ "a:b max(rwbs)", "rwbs is a text" },
		{ "a:b by mac", "mac is an array or a structure" },
		{ "a:b sum(mac)", "mac is an array or a structure" },
		{ "a:b hist(thing)", "thing is an array or a structure" },
		{ "a:b if rwbs > W", "compare it by == or !=" },
		{ "a:b if rwbs == 01234567890", "longer than rwbs, which has 10 bytes" },
		{ "a:b if comm == 01234567890123456", "longer than comm, which has 16 bytes" },
		{ "a:b if sector == x", "sector is a number, 'x' is not" },
		{ "a:b if sector == 1x", "'1x' is not" },
		{ "a:b if sector == 18446744073709551616", "is not" },
		{ "a:b if sector > -1", "sector is never below 0" },
		{ "a:b if change > 9223372036854775808", "never as large" },
		{ "a:b if change > -9223372036854775809", "is not" },
		{ "a:b if dev == 8:0:1", "is not" },
		{ "a:b if dev == 4096:0", "is not" },
		{ "a:b if sector == 8:0", "is not" },
		{ "a:b if nosuch == 1", "no field nosuch" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(!make(texts[i][0], false), "%s", texts[i][0]);
		ck_assert_msg(strstr(why, texts[i][1]) != NULL, "%s: %s", texts[i][0], why);
	}
}

START_TEST(values_of_conditions)
{
	static const struct {
		const char *text;
		uint64_t number;
	} cases[] = {
		{ "a:b if sector == 18446744073709551615", UINT64_MAX },
		{ "a:b if sector == 0xfff", 4095 },
		{ "a:b if change >= -9223372036854775808", UINT64_C(1) << 63 },
		{ "a:b if change >= -1", UINT64_MAX },
		{ "a:b if dev == 8:17", 8 << 20 | 17 },
		{ "a:b if dev == 8388625", 8 << 20 | 17 },
		{ "a:b if cpu != 1", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(make(cases[i].text, false), "%s: %s", cases[i].text, why);
		ck_assert_uint_eq(plan.table.tests[0].number, cases[i].number);
	}
}

START_TEST(texts_that_are_cut_are_marked)
{
	uint64_t words[BPF_KEY_TEXT_MAX / 8];
	struct bpf_part part;
	bool is_cut;

	ck_assert(make("a:b by path", false));
	part = plan.programs[0].keys[0];
	memset(words, 'x', sizeof(words));
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), BPF_KEY_TEXT_MAX - 1);
	ck_assert(is_cut);
	((char *)words)[BPF_KEY_TEXT_MAX - 1] = '\0';
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), BPF_KEY_TEXT_MAX - 1);
	ck_assert(!is_cut);
	((char *)words)[3] = '\0';
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), 3);
	ck_assert(make("a:b by rwbs", false));
	part = plan.programs[0].keys[0];
	ck_assert_uint_eq(part.words, 2);
	memset(words, 0, sizeof(words));
	memset(words, 'x', 10); /* without a NUL it is all of it */
	ck_assert_uint_eq(bpf_text(&part, words, &is_cut), 10);
	ck_assert(!is_cut);
}

START_TEST(fields_have_their_spots)
{
	static const struct {
		const char *text;
		enum tracepoint_key_is key;
		enum bpf_part_is is;
		struct bpf_spot spot;
		unsigned words;
	} cases[] = {
		{ "a:b by dev",
		  TRACEPOINT_KEY_DEVICE,
		  BPF_PART_NUMBER,
		  { BPF_SPOT_HERE, 8, 4, 4, false },
		  0 },
		{ "a:b by change",
		  TRACEPOINT_KEY_NUMBER,
		  BPF_PART_NUMBER,
		  { BPF_SPOT_HERE, 12, 4, 4, true },
		  0 },
		{ "a:b by sector",
		  TRACEPOINT_KEY_NUMBER,
		  BPF_PART_NUMBER,
		  { BPF_SPOT_HERE, 16, 8, 8, false },
		  0 },
		{ "a:b by where",
		  TRACEPOINT_KEY_POINTER,
		  BPF_PART_NUMBER,
		  { BPF_SPOT_HERE, 48, 8, 8, false },
		  0 },
		{ "a:b by fd",
		  TRACEPOINT_KEY_NUMBER,
		  BPF_PART_NUMBER,
		  { BPF_SPOT_HERE, 136, 8, 4, true },
		  0 },
		{ "a:b by rwbs",
		  TRACEPOINT_KEY_TEXT,
		  BPF_PART_TEXT,
		  { BPF_SPOT_HERE, 24, 10, 10, false },
		  2 },
		{ "a:b by path",
		  TRACEPOINT_KEY_TEXT,
		  BPF_PART_TEXT,
		  { BPF_SPOT_ELSEWHERE, 40, 4, 4, false },
		  8 },
		{ "a:b by near",
		  TRACEPOINT_KEY_TEXT,
		  BPF_PART_TEXT,
		  { BPF_SPOT_BEHIND, 44, 4, 4, false },
		  8 },
		{ "a:b by comm", TRACEPOINT_KEY_TEXT, BPF_PART_COMMAND, { .bytes = 16 }, 2 },
		{ "a:b by cgroup", TRACEPOINT_KEY_GROUP, BPF_PART_CGROUP, { .bytes = 0 }, 0 },
		{ "a:b by cpu", TRACEPOINT_KEY_NUMBER, BPF_PART_CPU, { .bytes = 0 }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bpf_part *part = &plan.programs[0].keys[0];

		ck_assert_msg(make(cases[i].text, false), "%s", why);
		ck_assert_uint_eq(plan.n_keys, 1);
		ck_assert_uint_eq(plan.programs[0].n_keys, 1);
		ck_assert_msg(plan.keys[0] == cases[i].key && part->is == cases[i].is, "%s", cases[i].text);
		ck_assert_int_eq(part->spot.is, cases[i].spot.is);
		ck_assert_uint_eq(part->spot.offset, cases[i].spot.offset);
		ck_assert_uint_eq(part->spot.bytes, cases[i].spot.bytes);
		ck_assert_uint_eq(part->spot.value_bytes, cases[i].spot.value_bytes);
		ck_assert_msg(part->spot.is_signed == cases[i].spot.is_signed, "%s", cases[i].text);
		ck_assert_uint_eq(part->words, cases[i].words);
	}
}

/* One field, whose text has this many bytes. */
static unsigned words_of_text(unsigned bytes)
{
	ck_assert_msg(make_from(textf("\tfield:char t[%u];\toffset:8;\tsize:%u;\tsigned:0;\n", bytes, bytes),
		      "a:b by t", false), "%u: %s", bytes, why);
	return plan.programs[0].keys[0].words;
}

START_TEST(texts_have_as_many_words_as_their_bytes_need)
{
	ck_assert_uint_eq(words_of_text(1), 1);
	ck_assert_uint_eq(words_of_text(8), 1);
	ck_assert_uint_eq(words_of_text(9), 2);
	ck_assert_uint_eq(words_of_text(56), 7);
	ck_assert_uint_eq(words_of_text(57), 8);
	ck_assert_uint_eq(words_of_text(64), 8);
	ck_assert_uint_eq(words_of_text(65), 8);
	ck_assert_uint_eq(words_of_text(4096), 8);
}

START_TEST(fields_of_an_unusual_size_are_refused)
{
	static const struct {
		const char *fields;
		bool good;
	} cases[] = {
		{ FIELD("char t[16]", 32767, 16, 0), true },
		{ FIELD("char t[16]", 32768, 16, 0), false },
		{ FIELD("char t[16]", 65544, 16, 0), false },
		{ FIELD("char t[32767]", 8, 32767, 0), true },
		{ FIELD("char t[32768]", 8, 32768, 0), false },
		{ FIELD("char t[65552]", 8, 65552, 0), false },
		{ FIELD("char t[0]", 8, 0, 0), false },
		{ FIELD("char t[1]", 8, 1, 0), true },
		{ FIELD("int t", 32767, 4, 0), true },
		{ FIELD("int t", 32768, 4, 0), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(make_from(cases[i].fields, "a:b by t", false) == cases[i].good, "%s: %s",
			      cases[i].fields, why);
		ck_assert_str_eq(why, cases[i].good ? "" : "t is a field of an unusual size");
	}
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b sum(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b max(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b hist(t)", false));
	ck_assert(!make_from(FIELD("int t", 32768, 4, 0), "a:b if t == 1", false));
}

START_TEST(numbers_are_of_the_fields_named)
{
	ck_assert(make("a:b sum(sector)", false));
	ck_assert(plan.has_sum && !plan.has_most && !plan.has_bits);
	ck_assert_uint_eq(plan.programs[0].value.spot.offset, 16);
	ck_assert(!plan.programs[0].by_log2);
	ck_assert(make("a:b max(odd)", false));
	ck_assert(!plan.has_sum && plan.has_most && !plan.has_bits);
	ck_assert_uint_eq(plan.table.most.spot.offset, 35);
	ck_assert(make("a:b hist(change)", false));
	ck_assert(!plan.has_sum && !plan.has_most && plan.has_bits);
	ck_assert_uint_eq(plan.table.bits.spot.offset, 12);
	ck_assert(plan.programs[0].by_log2);
	ck_assert_uint_eq(plan.programs[0].n_keys, 0); /* the number of bits is the key */
	ck_assert(make("a:b", false));
	ck_assert(!plan.has_sum && !plan.has_most && !plan.has_bits);
	ck_assert_uint_eq(plan.n_keys, 0);
	ck_assert_uint_eq(plan.programs[0].n_keys, 1);
	ck_assert_int_eq(plan.programs[0].keys[0].is, BPF_PART_CONSTANT);
	ck_assert(make("a:b by dev,cpu hist(change)", false));
	ck_assert_uint_eq(plan.n_keys, 2);
	ck_assert_uint_eq(plan.programs[0].n_keys, 2);
}

START_TEST(a_plan_names_its_tracepoint)
{
	ck_assert(make("a:b by tid if sector > 7", false));
	ck_assert_str_eq(plan.tracepoint, "a:b");
	ck_assert_ptr_eq(plan.programs[0].tracepoint, plan.tracepoint);
	ck_assert_str_eq(plan.programs[0].name, "a:b by tid if sector > 7");
	ck_assert_ptr_eq(plan.programs[0].does, &bpf_table);
	ck_assert_ptr_eq(plan.programs[0].table, &plan.table);
	ck_assert_ptr_eq(plan.plan.programs, plan.programs);
	ck_assert_str_eq(plan.plan.topic, "trace");
	ck_assert_uint_eq(plan.plan.n_programs, 1);
	ck_assert_uint_eq(plan.plan.n_entries_max, 8192);
	ck_assert(!plan.plan.of_wanted);
	ck_assert(make("a:b", true));
	ck_assert_uint_eq(plan.plan.n_programs, 2);
	ck_assert_str_eq(plan.programs[1].tracepoint, "sched_process_fork");
	ck_assert_ptr_eq(plan.programs[1].does, &bpf_follow);
	ck_assert(plan.plan.of_wanted && plan.plan.by_pid);
}

/* Those need the PIDs of the kernel. */
START_TEST(plans_of_processes_and_threads_are_by_pid)
{
	static const char no_pid[] = FIELD("int code", 8, 4, 1);

	ck_assert(make("a:b by tid", false) && plan.plan.by_pid);
	ck_assert(make("a:b by dev,tid", false) && plan.plan.by_pid);
	ck_assert(make("a:b by tid,dev", false) && plan.plan.by_pid);
	ck_assert(make("a:b if tid == 1", false) && plan.plan.by_pid);
	ck_assert(make("a:b if dev == 1 and tid == 1", false) && plan.plan.by_pid);
	ck_assert(make("a:b if tid == 1 and dev == 1", false) && plan.plan.by_pid);
	ck_assert(make("a:b by cpu,comm,cgroup if cpu == 1 and comm == x", false) && !plan.plan.by_pid);
	ck_assert(make("a:b by pid if pid == 1", false) && !plan.plan.by_pid); /* the tracepoint's own */
	ck_assert(make_from(no_pid, "a:b by pid", false) && plan.plan.by_pid);
	ck_assert(make_from(no_pid, "a:b by code,pid", false) && plan.plan.by_pid);
	ck_assert(make_from(no_pid, "a:b if pid == 1", false) && plan.plan.by_pid);
	ck_assert(make_from(no_pid, "a:b if pid == 1 and code == 1", false) && plan.plan.by_pid);
	ck_assert(make_from(no_pid, "a:b by code if code == 1", false) && !plan.plan.by_pid);
	ck_assert(make_from(no_pid, "a:b", false) && !plan.plan.by_pid);
}

START_TEST(conditions_have_their_relations)
{
	static const struct {
		const char *text;
		enum bpf_relation relation;
	} cases[] = {
		{ "a:b if sector < 5", BPF_LESS },    { "a:b if sector <= 5", BPF_LESS_EQUAL },
		{ "a:b if sector > 5", BPF_GREATER }, { "a:b if sector >= 5", BPF_GREATER_EQUAL },
		{ "a:b if sector == 5", BPF_EQUAL },  { "a:b if sector != 5", BPF_NOT_EQUAL },
		{ "a:b if rwbs == WS", BPF_EQUAL },   { "a:b if rwbs != WS", BPF_NOT_EQUAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(make(cases[i].text, false), "%s: %s", cases[i].text, why);
		ck_assert_uint_eq(plan.table.n_tests, 1);
		ck_assert_msg(plan.table.tests[0].relation == cases[i].relation, "%s", cases[i].text);
	}
	ck_assert(make("a:b if sector > 5 and rwbs == W and change < 0", false));
	ck_assert_uint_eq(plan.table.n_tests, 3);
	ck_assert_uint_eq(plan.table.tests[0].number, 5);
	ck_assert_str_eq(plan.table.tests[1].text, "W");
	ck_assert_int_eq(plan.table.tests[2].relation, BPF_LESS);
}

/* Only as much of a text is read as tells it from others: it, and the NUL that ends it. */
START_TEST(texts_of_conditions_have_their_words)
{
	static const struct {
		const char *text;
		unsigned words;
	} cases[] = {
		{ "a:b if long_text == 1234567", 1 },
		{ "a:b if long_text == 12345678", 2 },
		{ "a:b if path == 123456789012345", 2 },
		{ "a:b if path == 1234567890123456", 3 },
		{ "a:b if rwbs == 1234567", 1 },
		{ "a:b if rwbs == 0123456789", 2 },
		{ "a:b if comm == x", 2 },
		{ "a:b if comm == 0123456789012345", 2 },
		{ "a:b if near == 12345", 1 },
		{ "a:b if path == 12345678901234567890123456789012345678901234567890123456789012", 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(make(cases[i].text, false), "%s: %s", cases[i].text, why);
		ck_assert_msg(plan.table.tests[0].part.words == cases[i].words, "%s: %u", cases[i].text,
			      plan.table.tests[0].part.words);
		ck_assert_str_eq(plan.table.tests[0].text, strstr(cases[i].text, "== ") + 3);
	}
}

START_TEST(bounds_of_values)
{
	static const struct {
		const char *text;
		uint64_t number;
	} good[] = {
		{ "a:b if change <= 9223372036854775807", INT64_MAX },
		{ "a:b if sector <= 9223372036854775808", UINT64_C(1) << 63 },
		{ "a:b if sector == 0xffffffffffffffff", UINT64_MAX },
		{ "a:b if sector == 0", 0 },
		{ "a:b if dev == 4095:1048575", UINT32_MAX },
		{ "a:b if dev == 0:0", 0 },
		{ "a:b if dev == 0x10", 16 },
	};
	static const char *const wrong[][2] = {
		{ "a:b if dev == 0:1048576", "dev is a number, '0:1048576' is not" },
		{ "a:b if dev == 8:", "'8:' is not" },
		{ "a:b if dev == :8", "':8' is not" },
		{ "a:b if dev == 8.1", "'8.1' is not" },
		{ "a:b if dev == 8:1x", "'8:1x' is not" },
		{ "a:b if sector == 0xfg", "'0xfg' is not" },
		{ "a:b if sector == 0x", "'0x' is not" },
		{ "a:b if change == -0x1", "'-0x1' is not" },
		{ "a:b if change == -", "'-' is not" },
		{ "a:b if change == --1", "'--1' is not" },
		{ "a:b if cpu == -1", "cpu is never below 0" },
		{ "a:b if change < 0xffffffffffffffff", "change is never as large as 0xffffffffffffffff" },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(make(good[i].text, false), "%s: %s", good[i].text, why);
		ck_assert_uint_eq(plan.table.tests[0].number, good[i].number);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(!make(wrong[i][0], false), "%s", wrong[i][0]);
		ck_assert_msg(strstr(why, wrong[i][1]) != NULL, "%s: %s", wrong[i][0], why);
	}
}

START_TEST(fields_are_listed_by_what_they_are_for)
{
	static const char *const parts[N_TRACEPOINT_PARTS] = {
		[TRACEPOINT_NUMBERS] = "dev change sector odd where fd pid",
		[TRACEPOINT_TEXTS] = "rwbs path near long_text",
		[TRACEPOINT_OTHERS] = "mac thing",
	};
	struct buffer names = { 0 };

	for (unsigned part = 0; part < N_TRACEPOINT_PARTS; part++) {
		buffer_empty(&names);
		tracepoint_fields(span_text(format), part, &names);
		ck_assert_str_eq(names.bytes, parts[part]);
		ck_assert_uint_eq(names.length, strlen(parts[part]) + 1);
	}
	tracepoint_fields(span_text(FIELD("int x", 8, 4, 1) FIELD("int y", 12, 4, 1)), TRACEPOINT_NUMBERS,
			  &names);
	ck_assert_str_eq(names.bytes + strlen("mac thing") + 1, "x y"); /* after what was there */
	buffer_free(&names);
}

/* Of the root of a machine. 0, or what is wrong. */
static int find(const char *root, const char *text, bool *is_good)
{
	struct tracepoint_list list;
	struct trace_spec spec;
	struct env env;
	int error;

	why[0] = '\0';
	ck_assert(trace_spec_parse(&spec, text, why, sizeof(why)));
	ck_assert_int_eq(env_open(&env, root), 0);
	error = tracepoint_list_open(&list, &env);
	if (!error)
		error = tracepoint_plan_find(&plan, &list, &spec, false, why, sizeof(why));
	tracepoint_list_close(&list);
	*is_good = tracepoint_check(&env, &spec, why, sizeof(why));
	env_close(&env);
	return error;
}

START_TEST(tracepoints_of_a_machine)
{
	static const char *const none[] = { NULL };
	struct rig rig;
	bool is_good;

	rig_open(&rig, "readers", none);
	ck_assert_int_eq(find(rig.root, "a:b", &is_good), -ENOENT); /* it may have any */
	ck_assert(is_good);
	rig_make(&rig, "sys/kernel/tracing/events/a/b");
	rig_put(&rig, "sys/kernel/tracing/available_events", "a:b\nc:d\n");
	rig_put(&rig, "sys/kernel/tracing/events/a/b/format", "%s", format);
	rig_make(&rig, "sys/kernel/tracing/events/a/c/format");
	ck_assert_int_eq(find(rig.root, "a:b by sector", &is_good), 0);
	ck_assert_str_eq(why, "");
	ck_assert(is_good);
	ck_assert_uint_eq(plan.programs[0].keys[0].spot.offset, 16);
	ck_assert_int_eq(find(rig.root, "a:b by nosuch", &is_good), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "no field nosuch"));
	ck_assert(!is_good);
	ck_assert_int_eq(find(rig.root, "x:y", &is_good), -EINVAL);
	ck_assert_str_eq(why, "no group of tracepoints x; panetop -t tracepoint lists them all");
	ck_assert(!is_good);
	ck_assert_int_eq(find(rig.root, "a:c", &is_good), -EISDIR); /* it cannot be read */
	ck_assert_str_eq(why, "");
	ck_assert(is_good);
	rig_close(&rig);
}

/* A machine with tracefs, and its list. */
struct listed {
	int descriptor; /* of tracefs */
	struct rig rig;
	struct tracepoint_list list;
};

static void open_listed(struct listed *listed, const char *names)
{
	static const char *const none[] = { NULL };

	rig_open(&listed->rig, "readers", none);
	rig_make(&listed->rig, "sys/kernel/tracing/events/a/b");
	rig_put(&listed->rig, "sys/kernel/tracing/available_events", "%s", names);
	ck_assert_int_eq(tracepoint_list_open(&listed->list, &listed->rig.env), 0);
	listed->descriptor = listed->list.tracefs;
}

static void close_listed(struct listed *listed)
{
	ck_assert_int_ge(fcntl(listed->descriptor, F_GETFD), 0);
	tracepoint_list_close(&listed->list);
	ck_assert_int_lt(fcntl(listed->descriptor, F_GETFD), 0);
	ck_assert_int_eq(listed->list.tracefs, -1);
	ck_assert_ptr_null(listed->list.names);
	rig_close(&listed->rig);
}

/* As many bytes of names as the memory for them has at first, and around it; at most 8 MiB are read. */
START_TEST(lists_of_names_of_any_length)
{
	static const size_t lengths[] = { 0, 100, 131071, 131072, 131073, 262144, 700001, 8388607, 8388608 };
	static char names[8388610];
	struct listed listed;
	struct span read;

	for (size_t i = 0; i + 1 < sizeof(names); i++)
		names[i] = i % 16 == 15 ? '\n' : (char)('a' + i / 16 % 26);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char next = names[lengths[i]];

		names[lengths[i]] = '\0';
		open_listed(&listed, names);
		ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
		ck_assert_uint_eq(span_length(read), lengths[i]);
		ck_assert(span_is(read, names));
		rig_put(&listed.rig, "sys/kernel/tracing/available_events", NULL);
		ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0); /* it is read once */
		ck_assert_uint_eq(span_length(read), lengths[i]);
		close_listed(&listed);
		names[lengths[i]] = next;
	}
	open_listed(&listed, names);
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
	ck_assert_uint_eq(span_length(read), 8388608);
	close_listed(&listed);
	open_listed(&listed, "");
	rig_put(&listed.rig, "sys/kernel/tracing/available_events", NULL);
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), -ENOENT);
	rig_put(&listed.rig, "sys/kernel/tracing/available_events", "a:b\n");
	ck_assert_int_eq(tracepoint_list_names(&listed.list, &read), 0);
	ck_assert(span_is(read, "a:b\n"));
	close_listed(&listed);
}

START_TEST(formats_are_read_by_name)
{
	static char text[20000];
	const char *file = "sys/kernel/tracing/events/a/b/format";
	struct span long_name = span_of(text, 300), read;
	struct listed listed;

	memset(text, 'x', sizeof(text) - 1);
	open_listed(&listed, "a:b\n");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read),
			 -ENOENT);
	rig_put(&listed.rig, file, "%s", "");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read), 0);
	ck_assert_uint_eq(span_length(read), 0);
	rig_put(&listed.rig, file, "short");
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_text("a"), span_text("b"), &read), 0);
	ck_assert(span_is(read, "short"));
	rig_put(&listed.rig, file, "%s", text);
	ck_assert_int_eq(tracepoint_list_format(&listed.list, span_of("ax", 1), span_of("bx", 1), &read), 0);
	ck_assert_uint_eq(span_length(read), 16384);
	ck_assert_int_eq(tracepoint_list_format(&listed.list, long_name, long_name, &read), -ENOENT);
	close_listed(&listed);
}

START_TEST(a_list_is_there_where_tracefs_is)
{
	static const char *const none[] = { NULL };
	struct tracepoint_list list;
	struct rig rig;

	rig_open(&rig, "readers", none);
	ck_assert_int_eq(tracepoint_list_test(&rig.env), -ENOENT);
	ck_assert_int_eq(tracepoint_list_open(&list, &rig.env), -ENOENT);
	tracepoint_list_close(&list);
	rig_make(&rig, "sys/kernel/tracing/events");
	ck_assert_int_eq(tracepoint_list_test(&rig.env), 0);
	rig_close(&rig);
}

static void refuses(struct listed *listed, const char *group, const char *event, const char *expected)
{
	tracepoint_list_refuse(&listed->list, group, event, why, sizeof(why));
	ck_assert_str_eq(why, expected);
}

START_TEST(what_is_near_is_proposed)
{
	struct listed listed;

	open_listed(&listed, "noise\nblock:block_rq_issue\nsched:sched_switch\nsched:sched_wakeup\n");
	refuses(&listed, "sched", "sched_swich",
		"no tracepoint sched:sched_swich; did you mean sched:sched_switch?");
	refuses(&listed, "sched", "sched_wakup",
		"no tracepoint sched:sched_wakup; did you mean sched:sched_wakeup?");
	refuses(&listed, "sched", "zzz", "no tracepoint sched:zzz; there are: sched_switch sched_wakeup");
	refuses(&listed, "sched", "block_rq_issue",
		"no tracepoint sched:block_rq_issue; there are: sched_switch sched_wakeup");
	refuses(&listed, "shed", "sched_switch", "no group of tracepoints shed; did you mean sched?");
	refuses(&listed, "nois", "x", "no group of tracepoints nois; panetop -t tracepoint lists them all");
	close_listed(&listed);
}

/* 600 bytes of names, each with a blank before it, or whole ones of them. */
static void refuses_of_many(const char *name, unsigned n_names, unsigned n_told)
{
	struct buffer names = { 0 }, expected = { 0 };
	struct listed listed;

	buffer_text(&expected, "no tracepoint many:huh; there are:");
	for (unsigned i = 0; i < n_names; i++) {
		buffer_print(&names, "many:%s%03u\n", name, i);
		if (i < n_told)
			buffer_print(&expected, " %s%03u", name, i);
	}
	buffer_text(&expected, n_told < n_names ? " …" : "");
	buffer_char(&names, '\0');
	buffer_char(&expected, '\0');
	open_listed(&listed, names.bytes);
	refuses(&listed, "many", "huh", expected.bytes);
	close_listed(&listed);
	buffer_free(&names);
	buffer_free(&expected);
}

START_TEST(long_lists_are_cut_behind_a_name)
{
	refuses_of_many("ev", 100, 100); /* 600 */
	refuses_of_many("ev", 101, 100);
	refuses_of_many("ev", 200, 100);
	refuses_of_many("event_", 60, 60);
	refuses_of_many("event_", 61, 60);
	refuses_of_many("event", 66, 66); /* 594 */
	refuses_of_many("event", 67, 66); /* 603 */
}
