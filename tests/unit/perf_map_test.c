/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the parser of perf-PID.map. */
#include "suite.h"

#include "kernel/code/symbols.h"

static const char *at(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(symbols, address, &offset);

	return name ? name : "-";
}

START_TEST(names_go_to_the_end_of_the_line)
{
	static const char text[] = "7f0c2a001000 1a0 LazyCompile:*work /srv/app.js:7\n"
				   "0x7f0c2a002000 0X10 ~f\n"
				   "7F0C2A003000 20 \n"
				   "7f0c2a004000 20\n"
				   "nothing 20 x\n"
				   "7f0c2a005000 zz x\n"
				   "10000000000000000 20 x\n"
				   "7f0c2a006000 0 empty\n"
				   "\n"
				   "7f0c2a007000 20 unfinish";
	struct symbols symbols = { 0 };
	size_t n_read = perf_map_functions(span_text(text), &symbols);

	ck_assert_str_eq(text + n_read, "7f0c2a007000 20 unfinish");
	symbols_sort(&symbols);
	ck_assert_uint_eq(symbols.count, 2);
	ck_assert_str_eq(at(&symbols, 0x7f0c2a00119f), "LazyCompile:*work /srv/app.js:7");
	ck_assert_str_eq(at(&symbols, 0x7f0c2a0011a0), "-");
	ck_assert_str_eq(at(&symbols, 0x7f0c2a00200f), "~f");
	symbols_free(&symbols);
	ck_assert_uint_eq(perf_map_functions(span_of(NULL, 0), &symbols), 0);
	ck_assert_uint_eq(symbols.count, 0);
}

START_TEST(a_later_line_has_the_addresses)
{
	static const char text[] = "1000 100 old\n"
				   "2000 100 other\n"
				   "1000 100 new\n"
				   "1080 1000 moved\n";
	struct symbols symbols = { 0 };

	perf_map_functions(span_text(text), &symbols);
	symbols_sort(&symbols);
	ck_assert_str_eq(at(&symbols, 0x1000), "new");
	ck_assert_str_eq(at(&symbols, 0x107f), "new");
	ck_assert_str_eq(at(&symbols, 0x1080), "moved");
	ck_assert_str_eq(at(&symbols, 0x2000), "moved");
	ck_assert_str_eq(at(&symbols, 0x2080), "other");
	ck_assert_str_eq(at(&symbols, 0x2100), "-");
	symbols_free(&symbols);
}
