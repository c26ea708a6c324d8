/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the tables of a profile: numbers of several processes that unwind, room, and what goes. */
#include "suite.h"

#include "topic/profile/code_files.h"
#include "topic/profile/profile_tables.h"

static struct profile_tables tables;

static bool add_function(const char *name)
{
	return profile_tables_add(&tables, &(struct profile_result){ .kind = PROFILE_RESULT_FUNCTION,
								      .name = span_text(name),
								      .file = span_text("file"),
								      .path = span_text("/file") });
}

static bool add_node(uint32_t parent, uint32_t function)
{
	return profile_tables_add(&tables, &(struct profile_result){ .kind = PROFILE_RESULT_NODE,
								      .parent = parent,
								      .function = function });
}

static bool add_line(uint32_t function, uint32_t line)
{
	return profile_tables_add(&tables, &(struct profile_result){ .kind = PROFILE_RESULT_LINE,
								      .function = function,
								      .line = line,
								      .name = span_text("source.c") });
}

/* The count of this node, by its number of the process that unwinds. */
static struct profile_count counted(uint32_t node, uint32_t line)
{
	struct profile_count count = { .node = node, .line = line };

	ck_assert(profile_tables_translate(&tables, &count));
	return count;
}

static const char *name_of(const struct profile_count *count)
{
	return tables.functions[tables.nodes[count->node].function].name;
}

START_TEST(another_process_has_other_numbers)
{
	struct profile_count first, second;

	profile_tables_open(&tables);
	ck_assert(add_function("main") && add_function("work") && add_node(PROFILE_NO_NODE, 0) &&
		  add_node(0, 1) && add_line(1, 7));
	first = counted(1, 0);
	ck_assert_str_eq(name_of(&first), "work");
	profile_tables_renumber(&tables);
	ck_assert(add_function("other") && add_function("work") && add_function("main"));
	ck_assert(add_node(PROFILE_NO_NODE, 2) && add_node(0, 1) && add_line(1, 7) && add_line(1, 8));
	second = counted(1, 0);
	ck_assert_uint_eq(first.node, second.node);
	ck_assert_uint_eq(first.line, second.line);
	ck_assert_uint_ne(counted(1, 1).line, second.line);
	ck_assert_uint_eq(counted(1, PROFILE_NO_LINE).line, PROFILE_NO_LINE);
	profile_tables_free(&tables);
}

START_TEST(what_cannot_be_is_refused)
{
	struct profile_count count = { .node = 1, .line = PROFILE_ANY_LINE };

	profile_tables_open(&tables);
	ck_assert(add_function("main") && add_node(PROFILE_NO_NODE, 0));
	ck_assert(!add_node(PROFILE_NO_NODE, 1) && !add_node(1, 0) && !add_line(1, 1));
	ck_assert(!profile_tables_translate(&tables, &count));
	count = (struct profile_count){ .node = 0, .line = 0 };
	ck_assert(!profile_tables_translate(&tables, &count));
	profile_tables_free(&tables);
}

START_TEST(names_are_clean)
{
	profile_tables_open(&tables);
	ck_assert(add_function("a;b\n\x1b\x7f") && add_node(PROFILE_NO_NODE, 0));
	ck_assert_str_eq(name_of(&(struct profile_count){ .node = 1 }), "a?b???");
	profile_tables_free(&tables);
}

static void fill(unsigned generation)
{
	profile_tables_renumber(&tables);
	for (uint32_t i = 0; i < PROFILE_FUNCTIONS_MAX; i++) {
		ck_assert(add_function(textf("f_%u_%u", generation, i)) && add_node(PROFILE_NO_NODE, i) &&
			  add_line(i, i));
	}
	ck_assert(!add_function("one more"));
}

/* Of counts: those that are kept have the same function and line as before. */
START_TEST(what_nothing_refers_to_goes)
{
	struct profile_count kept = { 0 };

	profile_tables_open(&tables);
	for (unsigned generation = 0; generation < 5; generation++) {
		uint32_t number;

		fill(generation);
		if (generation == 0)
			kept = counted(77777, 77777);
		number = counted(5, PROFILE_ANY_LINE).node;
		ck_assert_msg(number != PROFILE_OTHERS, "no room in generation %u", generation);
		if (!profile_tables_are_full(&tables))
			continue;
		profile_tables_begin(&tables);
		profile_tables_keep(&tables, &kept);
		profile_tables_tidy(&tables);
		profile_tables_move(&tables, &kept);
		profile_tables_end(&tables);
		ck_assert_str_eq(name_of(&kept), "f_0_77777");
		ck_assert_uint_eq(tables.lines[kept.line].number, 77777);
		ck_assert_str_eq(tables.functions[tables.lines[kept.line].function].name, "f_0_77777");
		ck_assert_str_eq(tables.functions[PROFILE_OTHERS].name, "(too many functions)");
		ck_assert_uint_le(tables.n_functions, PROFILE_FUNCTIONS_MAX + 2);
	}
	profile_tables_free(&tables);
}

START_TEST(without_room_there_are_others)
{
	profile_tables_open(&tables);
	for (unsigned generation = 0; generation < 3; generation++)
		fill(generation);
	ck_assert_uint_eq(counted(PROFILE_FUNCTIONS_MAX - 1, PROFILE_ANY_LINE).node, PROFILE_OTHERS);
	ck_assert_uint_eq(counted(PROFILE_FUNCTIONS_MAX - 1, PROFILE_LINES_MAX - 1).line, PROFILE_NO_LINE);
	profile_tables_free(&tables);
}

START_TEST(a_process_has_a_share)
{
	size_t all = 0, shares[20] = { 0 };

	for (int process = 0; process < 20; process++)
		for (; code_use_may_add(shares[process], all, 1000); all++)
			shares[process]++;
	ck_assert_uint_eq(shares[0], 201); /* a quarter of what it leaves */
	ck_assert_uint_ge(shares[3], 90);
	ck_assert_uint_lt(all, 1000);
	ck_assert(!code_use_may_add(0, 1000, 1000));
}
