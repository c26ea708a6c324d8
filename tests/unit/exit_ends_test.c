/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ends of processes that are kept, and how one of them is found. */
#include "suite.h"

#include "core/unknown.h"
#include "topic/process/exit_ends.h"

static struct exit_ends ends;

static void add(uint32_t pid, uint64_t start_ticks, uint64_t seen_ns, const char *command)
{
	const struct exit_end end = { .pid = pid, .start_ticks = start_ticks, .seen_ns = seen_ns };

	exit_ends_add(&ends, &end, command);
}

static uint64_t found(uint32_t pid, uint64_t start_ticks, uint64_t lived_at_ns)
{
	const struct exit_end *end = exit_ends_find(&ends, pid, start_ticks, lived_at_ns);

	return end ? end->number : 0;
}

static void forget(void)
{
	exit_ends_free(&ends);
	memset(&ends, 0, sizeof(ends));
}

START_TEST(the_newest_take_the_places_of_the_oldest)
{
	ck_assert_ptr_null(exit_ends_get(&ends, 0));
	for (unsigned i = 1; i <= EXIT_ENDS_MAX; i++)
		add(i, i, i, NULL);
	ck_assert_uint_eq(exit_ends_get(&ends, 1)->pid, 1);
	add(4711, 5, 600, "sh -c true");
	ck_assert_ptr_null(exit_ends_get(&ends, 1));
	ck_assert_uint_eq(found(1, 1, 0), 0);
	ck_assert_uint_eq(exit_ends_get(&ends, 2)->pid, 2);
	ck_assert_uint_eq(exit_ends_get(&ends, ends.newest)->pid, 4711);
	ck_assert_ptr_null(exit_ends_get(&ends, ends.newest + 1));
	forget();
}

/* A command has the memory of the one that was there, and nothing of its text. */
START_TEST(a_command_is_of_its_own_end)
{
	add(1, 1, 1, "make -j4 all");
	for (unsigned i = 1; i < EXIT_ENDS_MAX; i++)
		add(2, 2, 2, NULL);
	ck_assert_str_eq(exit_ends_command(&ends, exit_ends_get(&ends, 1)), "make -j4 all");
	add(3, 3, 3, "ld");
	ck_assert_str_eq(exit_ends_command(&ends, exit_ends_get(&ends, ends.newest)), "ld");
	ck_assert_str_eq(exit_ends_command(&ends, exit_ends_get(&ends, 2)), "");
	forget();
}

/* A PID comes again: by the start, or else the first end from the time on at which it was seen alive. */
START_TEST(a_pid_that_comes_again_is_told_apart)
{
	static const struct {
		uint32_t pid;
		uint64_t start_ticks, lived_at_ns, number;
	} cases[] = { { 7, 10, 0, 1 },          { 7, 20, 0, 3 },          { 7, 30, 0, 0 },
		      { 7, U64_UNKNOWN, 50, 1 }, { 7, U64_UNKNOWN, 100, 1 }, { 7, U64_UNKNOWN, 101, 3 },
		      { 7, U64_UNKNOWN, 301, 0 }, { 8, U64_UNKNOWN, 200, 2 }, { 9, U64_UNKNOWN, 0, 0 } };

	add(7, 10, 100, NULL);
	add(8, U64_UNKNOWN, 200, NULL);
	add(7, 20, 300, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(found(cases[i].pid, cases[i].start_ticks, cases[i].lived_at_ns),
				  cases[i].number);
	forget();
}

/* Those of another scope are gone; numbers go on, so that whoever has read some reads none twice. */
START_TEST(numbers_go_on_after_a_clear)
{
	add(7, 10, 100, NULL);
	exit_ends_clear(&ends);
	ck_assert_uint_eq(found(7, 10, 0), 0);
	ck_assert_ptr_null(exit_ends_get(&ends, 1));
	add(8, 20, 200, NULL);
	ck_assert_uint_eq(found(8, 20, 0), 2);
	forget();
}
