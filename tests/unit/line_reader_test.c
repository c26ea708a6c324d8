/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of how long a line may be: a part of the memory of a machine that the test makes up. */
#include <config.h>

#include <dlfcn.h>
#include <unistd.h>

#include "output/line_reader.h"
#include "suite.h"

#define MIB ((size_t)1 << 20)

static bool is_made_up;
static long pages, page_bytes;

long sysconf(int name)
{
	long (*real)(int name) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

	if (is_made_up && name == _SC_PHYS_PAGES)
		return pages;
	return is_made_up && name == _SC_PAGESIZE ? page_bytes : real(name);
}

static size_t longest(long n_pages, long bytes)
{
	size_t found;

	is_made_up = true;
	pages = n_pages;
	page_bytes = bytes;
	found = line_reader_longest();
	is_made_up = false;
	return found;
}

START_TEST(a_line_may_take_a_part_of_the_memory)
{
	ck_assert_uint_eq(longest(131072, 4096), 2 * MIB); /* of 512 MiB */
	ck_assert_uint_eq(longest(65536, 65536), 16 * MIB);
	ck_assert_uint_eq(longest(16384, 4096), MIB); /* of 64 MiB */
	ck_assert_uint_eq(longest(1L << 28, 4096), 64 * MIB);
	ck_assert_uint_eq(longest(-1, 4096), MIB);
	ck_assert_uint_eq(longest(131072, -1), MIB);
	ck_assert_uint_eq(longest(0, 4096), MIB);
}
END_TEST
