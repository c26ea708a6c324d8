/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits how often to sample: a monitor must not become the load of the machine. */
#ifndef PANETOP_CORE_RATE_LIMIT_H
#define PANETOP_CORE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_LIMIT_COSTS 3

#define RATE_LIMIT_SHARE 10 /* a tenth of the time */

/* All zero is ready to use. */
struct rate_limit {
	unsigned share; /* samples take one part of as many at most; 0: RATE_LIMIT_SHARE */
	uint64_t costs_ns[RATE_LIMIT_COSTS]; /* CPU time of the last samples */
	unsigned n_costs;
	uint64_t cost_ns;  /* the cheapest of them */
	uint64_t delay_ns; /* the current delay; 0: the wanted one */
};

/*
 * Adds the cost of a sample and returns the delay: the wanted one, or share times the cheapest of the last
 * samples if that is more. *changed: it differs from the last delay.
 */
uint64_t rate_limit_delay(struct rate_limit *limit, uint64_t cost_ns, uint64_t wanted_ns, bool *changed);

#endif
