/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs for tracepoints that a user names: what is in their keys, and what is refused. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "suite.h"
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

static bool make(const char *text, bool of_scope)
{
	struct trace_spec spec;

	why[0] = '\0';
	ck_assert_msg(trace_spec_parse(&spec, text, why, sizeof(why)), "%s: %s", text, why);
	return tracepoint_plan_make(&plan, &spec, span_text(format), of_scope, why, sizeof(why));
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
