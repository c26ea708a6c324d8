/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be counted at tracepoints: how it is read, and what is wrong with what is not. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "model/trace_spec.h"
#include "suite.h"

static bool parse(struct trace_spec *spec, const char *text, char why[256])
{
	why[0] = '\0';
	return trace_spec_parse(spec, text, why, 256);
}

START_TEST(all_its_parts_are_read)
{
	static const char text[] =
		" block:block_rq_issue by comm, rwbs ,dev sum(nr_sector) max( bytes ) hist "
		"if nr_sector > 8 and rwbs!=WS and comm == 'a b' and ret <= -1\tand x>=0x10 ";
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(parse(&spec, text, why), "%s", why);
	ck_assert_int_eq(strncmp(spec.text, text + 1, strlen(text) - 2), 0);
	ck_assert_uint_eq(strlen(spec.text), strlen(text) - 2);
	ck_assert_str_eq(spec.group, "block");
	ck_assert_str_eq(spec.event, "block_rq_issue");
	ck_assert_uint_eq(spec.n_keys, 3);
	ck_assert_str_eq(spec.keys[1], "rwbs");
	ck_assert_str_eq(spec.keys[2], "dev");
	ck_assert_str_eq(spec.sum, "nr_sector");
	ck_assert_str_eq(spec.most, "bytes");
	ck_assert_str_eq(spec.histogram, "nr_sector");
	ck_assert_uint_eq(spec.n_tests, 5);
	ck_assert_int_eq(spec.tests[0].relation, RELATION_GREATER);
	ck_assert_str_eq(spec.tests[1].field, "rwbs");
	ck_assert_int_eq(spec.tests[1].relation, RELATION_NOT_EQUAL);
	ck_assert_str_eq(spec.tests[1].value, "WS");
	ck_assert_str_eq(spec.tests[2].value, "a b");
	ck_assert_str_eq(spec.tests[3].value, "-1");
	ck_assert_str_eq(spec.tests[4].value, "0x10");
}

START_TEST(everything_but_the_tracepoint_may_be_missing)
{
	static const char *const texts[] = { "a:b",
					     "gpio-x:y.z",
					     "a:b by c",
					     "a:b hist(x)",
					     "a:b hist max(x)",
					     "a:b if x == ''",
					     "a:b sum(x) by y" };
	struct trace_spec spec;
	char why[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(parse(&spec, texts[i], why), "%s: %s", texts[i], why);
	ck_assert(parse(&spec, "a:b hist max(x)", why));
	ck_assert_str_eq(spec.histogram, "x");
	ck_assert_str_eq(spec.sum, "");
	ck_assert(parse(&spec, "a:b sum(y) hist(z) hist max(x)", why));
	ck_assert_str_eq(spec.histogram, "z");
}

START_TEST(what_is_wrong_is_said)
{
	static const char *const texts[][2] = {
		{ "", "begins with" },
		{ "block", "begins with" },
		{ "block:", "begins with" },
		{ ":x", "begins with" },
		{ "../block:x", "begins with" },
		{ "a/b:x", "begins with" },
		{ "a:..", "begins with" },
		{ "a:b/id", "begins with" },
		{ "a:b,c", "begins with" },
		{ "a:b by", "not a key" },
		{ "a:b by c,", "not a key" },
		{ "a:b by c d", "'d'" },
		{ "a:b by c by d", "'by'" },
		{ "a:b by c,d,e,f,g", "at most 4 keys" },
		{ "a:b sum", "'sum'" },
		{ "a:b sum(", "sum(FIELD)" },
		{ "a:b sum()", "sum(FIELD)" },
		{ "a:b sum(x", "sum(FIELD)" },
		{ "a:b sum(x) sum(y)", "sum(FIELD)" },
		{ "a:b max(x,y)", "max(FIELD)" },
		{ "a:b hist", "hist(FIELD)" },
		{ "a:b if", "a condition has" },
		{ "a:b if x", "behind x" },
		{ "a:b if x = 1", "behind x" },
		{ "a:b if x >", "behind the comparison of x" },
		{ "a:b if x == 'y", "behind the comparison of x" },
		{ "a:b if x == 1 y == 2", "only and follows" },
		{ "a:b if x == 1 by y", "only and follows" },
		{ "a:b if x == 1 and", "a condition has" },
		{ "a:b if a==1 and a==1 and a==1 and a==1 and a==1 and a==1 and a==1 and a==1 and a==1",
		  "at most 8" },
		{ "a:b huh", "'huh'" },
		{ "a:b by 0123456789012345678901234567890123456789012345678901234567890123", "not a key" },
	};
	struct trace_spec spec;
	char why[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(!parse(&spec, texts[i][0], why), "%s", texts[i][0]);
		ck_assert_msg(strstr(why, texts[i][1]) != NULL, "%s: %s", texts[i][0], why);
	}
}

START_TEST(a_long_one_is_refused)
{
	char text[TRACE_SPEC_TEXT_MAX + 1], why[256];
	struct trace_spec spec;

	memset(text, ' ', sizeof(text));
	text[TRACE_SPEC_TEXT_MAX] = '\0';
	memcpy(text, "a:b by c", 8);
	ck_assert(parse(&spec, text, why)); /* blanks at the end do not count */
	text[TRACE_SPEC_TEXT_MAX - 1] = 'x';
	ck_assert(!parse(&spec, text, why));
	ck_assert_ptr_nonnull(strstr(why, "longer than 511"));
}
