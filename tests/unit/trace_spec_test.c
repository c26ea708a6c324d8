/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be counted at tracepoints: its length, and what fits one; see also tests/parsers/trace.txt. */
#include "suite.h"

#include "model/rule.h"

static bool parse(struct trace_spec *spec, const char *text, char why[256])
{
	why[0] = '\0';
	return trace_spec_parse(spec, text, why, 256);
}

/* Blanks at the ends do not count. */
START_TEST(the_longest_has_511_bytes)
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
	memcpy(text + 2 + TRACE_SPEC_TEXT_MAX - 3, ",de", 4);
	ck_assert(!parse(&spec, text, why));
	ck_assert_ptr_nonnull(strstr(why, "longer than 511"));
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
