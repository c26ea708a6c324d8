/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences with numbers, and the conditions under which they are said. */
#include <config.h>

#include <string.h>

#include "given_facts.h"
#include "suite.h"

#define FACTS                                                                                                \
	"state=S many=12345 half_ratio=0.5 few=3 none=0 used_bytes=1536 grows_per_second=250 "               \
	"cpus_ratio=0.042"

static const struct given_facts facts = { { given_fact }, FACTS, "" };

START_TEST(numbers_are_written_by_their_units)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "{many} of {half_ratio}", "12345 of 50 %" },
		{ "{used_bytes}, {grows_per_second}", "1.5 KiB, 250/s" },
		{ "{half_ratio:.1} {half_ratio:cpus} {cpus_ratio:cpus}", "0.5 0.5 0.04" },
		{ "state {state}", "state S" },
		{ "{nothing}", "-" },
		{ "a[, {state}][, {nothing}][ {many}]", "a, S 12345" },
		{ "[{state} and {nothing}]b", "b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer out = { 0 };

		sentence_add(&out, cases[i].text, &facts.facts);
		buffer_char(&out, '\0');
		ck_assert_str_eq(out.bytes, cases[i].expected);
		buffer_free(&out);
	}
}

START_TEST(conditions_hold_of_what_is_known)
{
	static const struct {
		bool holds;
		const char *condition;
	} cases[] = {
		{ true, NULL },
		{ true, "" },
		{ true, "state" },
		{ false, "nothing" },
		{ true, "not nothing" },
		{ true, "none" }, /* 0 is known */
		{ true, "state == S" },
		{ true, "state == D|S" },
		{ false, "state == D|SS" },
		{ false, "state != S" },
		{ true, "state != D|Z" },
		{ false, "state > A" },
		{ false, "nothing != 3" },
		{ false, "nothing == X" },
		{ true, "few == 3, few != 4, few < 3.5, few <= 3, few > 2, few >= 3" },
		{ false, "few == 3, few > 3" },
		{ true, "few >= 6 * half_ratio" },
		{ false, "few > 6 * half_ratio" },
		{ true, "few > half_ratio" },
		{ false, "few > nothing" },
		{ true, "not few > nothing" },
		{ true, "not few > 4 * few" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(sentence_holds(cases[i].condition, &facts.facts) == cases[i].holds, "%s: %d",
			      cases[i].condition, !cases[i].holds);
}

/* The first that holds, what is added to it alone, and its plural. */
START_TEST(the_first_remark_that_holds_is_said)
{
	static const struct remark remarks[] = {
		{ .when = "state == D", .text = "stuck" },
		{ .when = "state", .text = "lost", .more = true },
		{ .when = "few > 2",
		  .text = "{few} is few.",
		  .many = "{few} are few.",
		  .count = "few",
		  .level = 7 },
		{ .when = "nothing", .text = "lost", .more = true },
		{ .when = "many > 1000", .text = "{many} are many.", .more = true },
		{ .text = "calm", .level = 1 },
	};
	struct buffer out = { 0 };

	ck_assert_int_eq(remarks_say(&out, remarks, 6, &facts.facts), 7);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, "3 are few. 12345 are many.");
	ck_assert_int_eq(remarks_say(&out, remarks, 2, &facts.facts), -1);
	ck_assert_str_eq(out.bytes, "3 are few. 12345 are many.");
	buffer_free(&out);
}
