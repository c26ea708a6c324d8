/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the next best policy and priority, with a limit of priorities that the test gives. */
#include <config.h>

#include <sys/resource.h>

#include "suite.h"
#include "topic/latency/latency_run.h"

static rlim_t priority_limit; /* what RLIMIT_RTPRIO is: raising it would need rights */

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	if (resource != RLIMIT_RTPRIO)
		return prlimit(0, resource, NULL, limit);
	*limit = (struct rlimit){ priority_limit, RLIM_INFINITY };
	return 0;
}

static struct latency_plan next_best(enum latency_policy policy, int asked, rlim_t limit, unsigned step)
{
	struct latency_plan requested = { .policy = policy, .priority = asked }, plan;

	priority_limit = limit;
	latency_run_fallback(&requested, step, &plan);
	return plan;
}

static void check_next(enum latency_policy policy, int asked, rlim_t limit, unsigned step,
		       enum latency_policy expected, int priority)
{
	struct latency_plan plan = next_best(policy, asked, limit, step);

	ck_assert_msg(plan.policy == expected && plan.priority == priority,
		      "policy %d, priority %d with a limit of %u, step %u: %d, %d", (int)policy, asked,
		      (unsigned)limit, step, (int)plan.policy, plan.priority);
}

/* First the highest priority that RLIMIT_RTPRIO permits, if it is another one, then a deadline, then none. */
START_TEST(the_next_best_is_the_highest_priority_that_is_permitted)
{
	check_next(LATENCY_FIFO, 80, 10, 0, LATENCY_FIFO, 10);
	check_next(LATENCY_RR, 80, 1, 0, LATENCY_RR, 1);
	check_next(LATENCY_RR, 80, 80, 0, LATENCY_DEADLINE, 80);
	check_next(LATENCY_FIFO, 80, 99, 0, LATENCY_DEADLINE, 80);
	check_next(LATENCY_FIFO, 80, 0, 0, LATENCY_DEADLINE, 80);
	check_next(LATENCY_DEADLINE, 80, 10, 0, LATENCY_FIFO, 10);
	check_next(LATENCY_DEADLINE, 80, 90, 0, LATENCY_FIFO, 80);
	check_next(LATENCY_DEADLINE, 80, 0, 0, LATENCY_OTHER, 80);
	check_next(LATENCY_FIFO, 80, 10, 1, LATENCY_DEADLINE, 80);
	check_next(LATENCY_FIFO, 80, 10, 2, LATENCY_OTHER, 80);
	check_next(LATENCY_DEADLINE, 80, 10, 1, LATENCY_OTHER, 80);
}
