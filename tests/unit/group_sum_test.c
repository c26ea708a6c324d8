/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of a control group's own numbers, and of those of the top, from groups that the test fills. */
#include <config.h>

#include "core/unknown.h"
#include "suite.h"
#include "topic/group/group_sum.h"

/* A top with two groups below it, which have counted 30 and 20 of 100, and hold 3 and 2 of 10 bytes. */
static struct group top, first, second;
static struct group *const groups[] = { &top, &first, &second };

static void fill(struct group *group, struct group *parent, uint64_t counted, uint64_t held)
{
	*group = (struct group){ .parent = parent };
	group_clear(group);
	group->counters.cpu_ns = group->counters.refaults = counted;
	group->levels.memory = held;
}

static void fill_all(void)
{
	fill(&top, NULL, 100, 10);
	fill(&first, &top, 30, 3);
	fill(&second, &top, 20, 2);
}

START_TEST(own_is_what_is_left)
{
	fill_all();
	top.gone.cpu_ns = 7;
	group_sum(groups, 3);
	ck_assert_uint_eq(top.own.cpu_ns, 43);
	ck_assert_uint_eq(top.own.refaults, 50);
	ck_assert_uint_eq(top.own_levels.memory, 5);
	ck_assert_uint_eq(top.counters.cpu_ns, 100);
	ck_assert_uint_eq(first.own.cpu_ns, 30);
	ck_assert_uint_eq(first.own_levels.memory, 3);
	ck_assert_uint_eq(top.own.read_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(top.counters.read_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(top.own_levels.tasks, U64_UNKNOWN);
}

/* The groups were read after the top: its own numbers stay, and its sum is theirs to the last digit. */
START_TEST(own_counters_never_go_back)
{
	fill_all();
	group_sum(groups, 3);
	top.counters.cpu_ns = 101;
	first.counters.cpu_ns = 40;
	group_sum(groups, 3);
	ck_assert_uint_eq(top.own.cpu_ns, 50);
	ck_assert_uint_eq(top.counters.cpu_ns, 40 + 20 + 50);
	first.counters.cpu_ns = 300; /* more than the whole */
	group_sum(groups, 3);
	ck_assert_uint_eq(top.own.cpu_ns, 50);
	ck_assert_uint_eq(top.counters.cpu_ns, 300 + 20 + 50);
}

/* Of a group that waits for its turn only the CPU time is read: what is the top's own is not known then. */
START_TEST(a_group_that_waits)
{
	fill_all();
	second.waits = true;
	group_sum(groups, 3);
	ck_assert(top.below_waits && !first.below_waits && !second.below_waits);
	ck_assert_uint_eq(top.own.cpu_ns, 50);
	ck_assert_uint_eq(top.own.refaults, U64_UNKNOWN);
	ck_assert_uint_eq(top.own_levels.memory, U64_UNKNOWN);
	ck_assert_uint_eq(top.counters.refaults, 100);
	ck_assert_uint_eq(first.own.refaults, 30);
	second.waits = false;
	group_sum(groups, 3);
	ck_assert(!top.below_waits);
	ck_assert_uint_eq(top.own.refaults, 50);
}

/* Version 1 counts kills and tasks of each group alone. */
START_TEST(what_each_counts_alone_is_summed)
{
	fill_all();
	top.own_oom_kills = 1;
	first.own_oom_kills = 2;
	second.own_oom_kills = 0;
	top.own_tasks = 10;
	first.own_tasks = 4;
	second.own_tasks = 5;
	group_sum(groups, 3);
	ck_assert_uint_eq(top.counters.oom_kills, 3);
	ck_assert_uint_eq(first.counters.oom_kills, 2);
	ck_assert_uint_eq(top.levels.tasks, 19);
	ck_assert_uint_eq(top.own_levels.tasks, 10);
	first.tasks_apart = true; /* they are tasks of other groups, too */
	group_sum(groups, 3);
	ck_assert_uint_eq(top.levels.tasks, 15);
	second.waits = true;
	group_sum(groups, 3);
	ck_assert_uint_eq(top.counters.oom_kills, U64_UNKNOWN);
	ck_assert_uint_eq(top.levels.tasks, U64_UNKNOWN);
}
