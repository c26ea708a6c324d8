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
