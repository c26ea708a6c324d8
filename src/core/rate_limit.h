/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often one may sample: what watches a machine must not become its load. */
#ifndef PANETOP_CORE_RATE_LIMIT_H
#define PANETOP_CORE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_LIMIT_COSTS 3

/* All zero is ready to use. */
struct rate_limit {
	uint64_t costs_ns[RATE_LIMIT_COSTS]; /* CPU time of the last samples */
	unsigned n_costs;
	uint64_t delay_ns;             /* the one in force; 0: the one that is wanted */
};

/*
 * Takes what a sample has cost and gives the delay to keep: the wanted one, or ten times the cheapest of the
 * last samples where they cost more than a tenth of it. changed tells whether it is another than before.
 */
uint64_t rate_limit_delay(struct rate_limit *limit, uint64_t cost_ns, uint64_t wanted_ns, bool *changed);

#endif
