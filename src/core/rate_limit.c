/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A delay that grows and shrinks with the cost of samples. */
#include <config.h>

#include "core/rate_limit.h"

uint64_t rate_limit_delay(struct rate_limit *limit, uint64_t cost_ns, uint64_t wanted_ns, bool *changed)
{
	unsigned share = limit->share > 0 ? limit->share : RATE_LIMIT_SHARE;
	uint64_t least = cost_ns, delay_ns = wanted_ns, last = limit->delay_ns ? limit->delay_ns : wanted_ns;

	limit->costs_ns[limit->n_costs++ % RATE_LIMIT_COSTS] = cost_ns;
	for (unsigned i = 0; i < RATE_LIMIT_COSTS; i++)
		least = limit->costs_ns[i] < least ? limit->costs_ns[i] : least;
	limit->cost_ns = least;
	if (least > wanted_ns / share)
		delay_ns = least * share;
	/* a small difference does not change the delay */
	if (delay_ns > wanted_ns && last > wanted_ns && delay_ns > last / 2 && delay_ns < last * 2)
		delay_ns = last;
	*changed = delay_ns != last;
	limit->delay_ns = delay_ns;
	return delay_ns;
}
