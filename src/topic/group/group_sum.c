/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Own numbers are differences of numbers that were read one after the other: counters never go back by that.
 */
#include <config.h>

#include "topic/group/group_sum.h"

#include "core/unknown.h"
#include "model/column.h"

#define N_COUNTERS (sizeof(struct group_counters) / sizeof(uint64_t))
#define N_LEVELS (sizeof(struct group_levels) / sizeof(uint64_t))

/* The fields of these structs are numbers of one type. */
union counters {
	struct group_counters named;
	uint64_t numbers[N_COUNTERS];
};

union levels {
	struct group_levels named;
	uint64_t numbers[N_LEVELS];
};

static uint64_t known(uint64_t number)
{
	return number >= U64_BLANK ? 0 : number;
}

static uint64_t difference(uint64_t total, uint64_t below)
{
	return total >= U64_BLANK ? U64_UNKNOWN : total > below ? total - below : 0;
}

static void sum_own(struct group *group)
{
	const uint64_t oom_kills = group->own_oom_kills + group->below.oom_kills + group->gone.oom_kills;
	const uint64_t tasks = group->own_tasks + group->below_levels.tasks;

	if (group->own_oom_kills != U64_UNKNOWN)
		group->counters.oom_kills = group->below_waits ? U64_UNKNOWN : oom_kills;
	if (group->own_tasks != U64_UNKNOWN)
		group->levels.tasks = group->below_waits ? U64_UNKNOWN : tasks;
}

/* CPU time is read of those that wait, too. */
static void forget_own(struct group *group)
{
	const uint64_t none = U64_UNKNOWN;

	group->own = (struct group_counters){ group->own.cpu_ns, none, none, none, none };
	group->own_levels = (struct group_levels){ none, none, none, none, none };
}

static void find_own(struct group *group)
{
	union counters total = { group->counters }, below = { group->below }, gone = { group->gone },
		       own = { group->own };
	union levels level = { group->levels }, below_level = { group->below_levels }, own_level;

	for (size_t i = 0; i < N_COUNTERS; i++) {
		uint64_t now = difference(total.numbers[i], below.numbers[i] + gone.numbers[i]);

		if (own.numbers[i] == U64_UNKNOWN || now == U64_UNKNOWN || now > own.numbers[i])
			own.numbers[i] = now;
	}
	for (size_t i = 0; i < N_LEVELS; i++)
		own_level.numbers[i] = difference(level.numbers[i], below_level.numbers[i]);
	group->own = own.named;
	group->own_levels = own_level.named;
	if (group->below_waits)
		forget_own(group);
}

static void add_to_parent(const struct group *group)
{
	union counters total = { group->counters }, below = { group->parent->below };
	union levels level = { group->levels }, below_level = { group->parent->below_levels };

	for (size_t i = 0; i < N_COUNTERS; i++)
		below.numbers[i] += known(total.numbers[i]);
	if (group->tasks_apart != group->parent->tasks_apart)
		level.named.tasks = 0;
	for (size_t i = 0; i < N_LEVELS; i++)
		below_level.numbers[i] += known(level.numbers[i]);
	group->parent->below = below.named;
	group->parent->below_levels = below_level.named;
	group->parent->below_waits |= group->waits || group->below_waits;
}

static void close_top(struct group *top)
{
	union counters total = { top->counters }, below = { top->below }, gone = { top->gone },
		       own = { top->own };

	for (size_t i = 0; i < N_COUNTERS; i++)
		if (total.numbers[i] != U64_UNKNOWN && own.numbers[i] != U64_UNKNOWN)
			total.numbers[i] = below.numbers[i] + gone.numbers[i] + own.numbers[i];
	top->counters = total.named;
}

void group_sum(struct group *const *groups, size_t n_groups)
{
	for (size_t i = 0; i < n_groups; i++) {
		groups[i]->below = (struct group_counters){ 0 };
		groups[i]->below_levels = (struct group_levels){ 0 };
		groups[i]->below_waits = false;
	}
	for (size_t i = n_groups; i-- > 0;) {
		sum_own(groups[i]);
		find_own(groups[i]);
		if (groups[i]->parent)
			add_to_parent(groups[i]);
	}
	if (n_groups > 0)
		close_top(groups[0]);
}
