/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of names of C++ functions, and of symbols that were made to take for ever. */
#include "suite.h"

#include "topic/profile/code_files.h"

static struct buffer name;

static const char *named(const char *symbol)
{
	bool found = cxx_name(symbol, &name);

	buffer_char(&name, '\0');
	return found ? name.bytes : NULL;
}

static void begin(void)
{
#ifndef HAVE_IBERTY
	skip_test("built without libiberty");
#endif
	cxx_names_open();
}

/* "S_" is the first part that can be referred to, "S0_" the second. */
static void add_reference(struct buffer *symbol, unsigned number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (number == 0)
		buffer_text(symbol, "S_");
	else if (number <= 36)
		buffer_print(symbol, "S%c_", digits[number - 1]);
	else
		buffer_print(symbol, "S%c%c_", digits[(number - 1) / 36], digits[(number - 1) % 36]);
}

/* A function of a<…, …>, each time of two of the one before. */
static void add_doubled(struct buffer *symbol, const char *first, unsigned n)
{
	buffer_text(symbol, first);
	for (unsigned i = 1; i < n; i++) {
		buffer_text(symbol, "S_I");
		add_reference(symbol, i);
		add_reference(symbol, i);
		buffer_char(symbol, 'E');
	}
}

START_TEST(names_are_as_in_the_source)
{
	begin();
	ck_assert_str_eq(named("_Z1fv"), "f()");
	ck_assert_str_eq(named("_ZNSt6vectorIiSaIiEE9push_backERKi"),
			 "std::vector<int, std::allocator<int> >::push_back(int const&)");
	ck_assert_ptr_null(named("main"));
	ck_assert_ptr_null(named(""));
	ck_assert_ptr_null(named("_Z"));
	ck_assert_ptr_null(named("_Zzzz"));
}

START_TEST(a_name_of_2_to_the_45_characters_is_cut)
{
	struct buffer symbol = { 0 };

	begin();
	add_doubled(&symbol, "_Z1f1aIiiE", 46);
	buffer_char(&symbol, '\0');
	ck_assert_uint_le(symbol.length, 512);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(strlen(named(symbol.bytes)), CXX_NAME_MAX);
	ck_assert_str_eq(named("_Z1fv"), "f()");
	buffer_free(&symbol);
}

/* What it expands is looked for in all of it, without a character of output. */
START_TEST(a_name_that_is_searched_for_years_is_given_up)
{
	struct buffer symbol = { 0 };

	begin();
	add_doubled(&symbol, "_Z1fDp1aIiiE", 46);
	buffer_char(&symbol, '\0');
	for (int i = 0; i < 10; i++)
		named(symbol.bytes); /* it comes back */
	ck_assert_str_eq(named("_Z1fv"), "f()");
	buffer_empty(&symbol);
	add_doubled(&symbol, "_Z1f1aIiiE", 46);
	buffer_text(&symbol, "Dp");
	add_reference(&symbol, 45);
	buffer_char(&symbol, '\0');
	for (int i = 0; i < 10; i++)
		named(symbol.bytes);
	ck_assert_str_eq(named("_Z1fv"), "f()");
	buffer_free(&symbol);
}
