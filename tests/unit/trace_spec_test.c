/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be counted at tracepoints: how it is read, and what is wrong with what is not. */
#include <config.h>

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

static void good(const char *text)
{
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(parse(&spec, text, why), "%s: %s", text, why);
}

static void wrong(const char *text, const char *expected)
{
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(!parse(&spec, text, why), "%s", text);
	ck_assert_msg(strstr(why, expected) != NULL, "%s: %s", text, why);
}

#define BYTES_63 "012345678901234567890123456789012345678901234567890123456789012"

START_TEST(names_have_letters_digits_and_at_most_63_bytes)
{
	static const char others[] = "`{@[/:";
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(parse(&spec, "azAZ09_-.x:y-.azAZ09_\tby azAZ09_", why), "%s", why);
	ck_assert_str_eq(spec.group, "azAZ09_-.x");
	ck_assert_str_eq(spec.event, "y-.azAZ09_");
	ck_assert_str_eq(spec.keys[0], "azAZ09_");
	for (size_t i = 0; others[i]; i++) {
		wrong(textf("a%c:b", others[i]), "begins with");
		wrong(textf("a:b%c", others[i]), "begins with");
		wrong(textf("a:b by %c", others[i]), "is not a key");
	}
	wrong(".a:b", "begins with");
	wrong("a:.b", "begins with");
	good("-a:-b");
	wrong("a:b by c-d", "'-d'");
	wrong("a:b by c.d", "'.d'");
	wrong("a:b by -c", "'-c' is not a key");
	ck_assert(parse(&spec, BYTES_63 ":" BYTES_63 " by " BYTES_63, why));
	ck_assert_str_eq(spec.group, BYTES_63);
	ck_assert_str_eq(spec.event, BYTES_63);
	ck_assert_str_eq(spec.keys[0], BYTES_63);
	wrong("x" BYTES_63 ":b", "begins with");
	wrong("a:x" BYTES_63, "begins with");
	wrong("a:b sum(x" BYTES_63 ")", "sum(FIELD)");
	good("a:b sum(" BYTES_63 ")");
}

START_TEST(words_are_shown_up_to_a_blank_and_64_bytes)
{
	wrong("a:b huh? by c", "'huh?': what follows");
	wrong("a:b !" BYTES_63 " x", "'!" BYTES_63 "': what follows");
	wrong("a:b !" BYTES_63 "yz", "'!" BYTES_63 "': what follows");
	wrong("a:b by !" BYTES_63 "yz", "'!" BYTES_63 "' is not a key");
	wrong("a:b if x == 1 !" BYTES_63 "yz", "'!" BYTES_63 "': behind a condition");
}

START_TEST(words_stand_alone)
{
	wrong("a:b bye c", "'bye'");
	wrong("a:b byc", "'byc'");
	wrong("a:b iffy", "'iffy'");
	wrong("a:b histo", "'histo'");
	wrong("a:b sum (x)", "'sum'");
	wrong("a:b max", "'max'");
	wrong("a:b summ(x)", "'summ(x)'");
	wrong("a:b if x == 1 andy", "'andy'");
	wrong("a:b if x == 1 an", "'an'");
	good("a:b by\tc hist(x)\tif\tx == 1 and\ty == 2");
	good("a:b max(x)hist");
}

START_TEST(as_many_keys_and_conditions_as_there_is_room_for)
{
	struct trace_spec spec;
	char why[256];

	ck_assert_msg(parse(&spec,
			    "a:b by c,d,e,f if a==1 and b==2 and c==3 and d==4 and e==5 and f==6 and g==7 "
			    "and h==8",
			    why),
		      "%s", why);
	ck_assert_uint_eq(spec.n_keys, 4);
	ck_assert_str_eq(spec.keys[0], "c");
	ck_assert_str_eq(spec.keys[3], "f");
	ck_assert_uint_eq(spec.n_tests, 8);
	ck_assert_str_eq(spec.tests[0].field, "a");
	ck_assert_str_eq(spec.tests[7].field, "h");
	ck_assert_str_eq(spec.tests[7].value, "8");
}

START_TEST(relations_of_conditions)
{
	static const struct {
		const char *text;
		enum relation relation;
	} cases[] = {
		{ "a:b if x < 1", RELATION_LESS },     { "a:b if x<=1", RELATION_LESS_EQUAL },
		{ "a:b if x > 1", RELATION_GREATER },  { "a:b if x >=1", RELATION_GREATER_EQUAL },
		{ "a:b if x\t==\t1", RELATION_EQUAL }, { "a:b if x!= 1", RELATION_NOT_EQUAL },
	};
	struct trace_spec spec;
	char why[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(parse(&spec, cases[i].text, why), "%s: %s", cases[i].text, why);
		ck_assert_msg(spec.tests[0].relation == cases[i].relation, "%s", cases[i].text);
		ck_assert_str_eq(spec.tests[0].value, "1");
	}
}

START_TEST(values_in_quotes_and_without)
{
	static const char *const cases[][2] = {
		{ "a:b if x == \"a 'b'\"", "a 'b'" },
		{ "a:b if x == 'a \"b\"' and y == 1", "a \"b\"" },
		{ "a:b if x == \"\"", "" },
		{ "a:b if x == a'b", "a'b" },
		{ "a:b if x == a\tand y == 1", "a" },
		{ "a:b if x == " BYTES_63, BYTES_63 },
		{ "a:b if x == '" BYTES_63 "'", BYTES_63 },
	};
	struct trace_spec spec;
	char why[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(parse(&spec, cases[i][0], why), "%s: %s", cases[i][0], why);
		ck_assert_str_eq(spec.tests[0].value, cases[i][1]);
	}
	wrong("a:b if x == x" BYTES_63, "at most 63 bytes");
	wrong("a:b if x == 'x" BYTES_63 "'", "at most 63 bytes");
	wrong("a:b if x == \"a'", "behind the comparison of x");
	wrong("a:b if x == '", "behind the comparison of x");
}

START_TEST(a_histogram_alone_is_of_the_sum_first)
{
	struct trace_spec spec;
	char why[256];

	ck_assert(parse(&spec, "a:b max(m) hist sum(s)", why));
	ck_assert_str_eq(spec.histogram, "s");
	ck_assert(parse(&spec, "a:b hist sum(s)", why));
	ck_assert_str_eq(spec.histogram, "s");
	ck_assert(parse(&spec, "a:b sum(s)", why));
	ck_assert_str_eq(spec.histogram, "");
	ck_assert(parse(&spec, "a:b hist hist(h)", why));
	ck_assert_str_eq(spec.histogram, "h");
	wrong("a:b hist(h) hist(i)", "hist stands once");
	wrong("a:b max(h) max(i)", "max stands once");
}

/* The longest has 511 bytes. */
START_TEST(the_longest_is_read)
{
	char text[TRACE_SPEC_TEXT_MAX + 3], why[256];
	struct trace_spec spec;

	memset(text, ' ', sizeof(text));
	memcpy(text, "\t a:b by c", 10);
	memcpy(text + 2 + TRACE_SPEC_TEXT_MAX - 3, ",d", 3);
	ck_assert_msg(parse(&spec, text, why), "%s", why);
	ck_assert_uint_eq(strlen(spec.text), TRACE_SPEC_TEXT_MAX - 1);
	ck_assert_int_eq(strncmp(spec.text, "a:b by c ", 9), 0);
	ck_assert_uint_eq(spec.n_keys, 2);
	wrong(" \t ", "begins with");
}

START_TEST(names_are_those_of_the_fields)
{
	static const struct trace_fields fields = { "len pid", "path", "key mac" }, none = { "", "", "" },
					 texts = { "", "path", "" }, taken = { "len", "", "comm" };
	static const struct {
		const char *text;
		const struct trace_fields *fields;
		const char *why; /* NULL: it fits */
	} cases[] = {
		{ "a:b", &none, NULL },
		{ "a:b by len,path,pid,cpu sum(len) max(pid) hist(len) if path == x and tid == 1", &fields,
		  NULL },
		{ "a:b by comm", &none, NULL },
		{ "a:b sum(le)", &fields, "no field le; there are: len pid" },
		{ "a:b max(path)", &fields, "path is a text, not a number" },
		{ "a:b hist(mac)", &fields, "mac is an array or a structure, neither a number nor a text" },
		{ "a:b sum(len) max(x)", &fields, "no field x; there are: len pid" },
		{ "a:b sum(len) max(len) hist(x)", &fields, "no field x; there are: len pid" },
		{ "a:b sum(tid)", &fields, "no field tid; there are: len pid" },
		{ "a:b sum(x)", &none, "no field x: this tracepoint has no numbers" },
		{ "a:b sum(x)", &texts, "no field x: this tracepoint has no numbers" },
		{ "a:b sum(path)", &texts, "path is a text, not a number" },
		{ "a:b by comm", &taken, "comm is an array or a structure, neither a number nor a text" },
		{ "a:b by x", &fields, "no field x; there are: len pid path comm tid cpu cgroup" },
		{ "a:b by len,x", &fields, "no field x; there are: len pid path comm tid cpu cgroup" },
		{ "a:b by x", &none, "no field x; there are: comm pid tid cpu cgroup" },
		{ "a:b by x", &texts, "no field x; there are: path comm pid tid cpu cgroup" },
		{ "a:b by len if x == 1", &texts, "no field len; there are: path comm pid tid cpu cgroup" },
		{ "a:b if len == 1 and x == 1", &fields,
		  "no field x; there are: len pid path comm tid cpu cgroup" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_spec spec;
		char why[256];

		ck_assert_msg(parse(&spec, cases[i].text, why), "%s: %s", cases[i].text, why);
		ck_assert_msg(trace_spec_fits(&spec, cases[i].fields, why, sizeof(why)) == !cases[i].why,
			      "%s: %s", cases[i].text, why);
		ck_assert_str_eq(why, cases[i].why ? cases[i].why : "");
	}
}
