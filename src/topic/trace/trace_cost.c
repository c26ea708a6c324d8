/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each program measures one run of BPF_TIMED_RUNS: what all took is estimated from that. */
#include <config.h>

#include "topic/trace/trace_cost.h"

#include <string.h>

#define JUDGED_NS UINT64_C(1000000000) /* shorter bursts are not what a program costs */

static uint64_t used_ns(struct trace_set *set)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < set->n_running; i++) {
		struct bpf_self self = trace_self(set, i);
		uint64_t times = set->running[i].program->does->is_run ? 1 : BPF_TIMED_RUNS;

		sum_ns += self.timed_ns == U64_UNKNOWN ? 0 : self.timed_ns * times;
	}
	return sum_ns;
}

double trace_cost_since(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns)
{
	struct trace_cost before = *cost;

	if (before.at_ns > 0 && now_ns < before.at_ns + JUDGED_NS)
		return 0;
	*cost = (struct trace_cost){ used_ns(set), now_ns };
	return before.at_ns > 0 && cost->used_ns > before.used_ns
		       ? (double)(cost->used_ns - before.used_ns) / (double)(now_ns - before.at_ns)
		       : 0;
}

double trace_cost_end(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns)
{
	double ratio = trace_cost_since(cost, set, now_ns);

	if (ratio <= TRACE_COST_MOST)
		return 0;
	trace_close(set);
	return ratio;
}

static uint64_t sum_lost(struct trace_set *set, const char *tracepoint,
			 struct bpf_self (*of)(struct trace_set *, unsigned))
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < set->n_running; i++)
		if (strcmp(set->running[i].program->tracepoint, tracepoint) == 0)
			lost = u64_sum_known(lost, of(set, i).lost);
	return lost;
}

uint64_t trace_lost(struct trace_set *set, const char *tracepoint)
{
	return sum_lost(set, tracepoint, trace_self);
}

uint64_t trace_refused(struct trace_set *set, const char *tracepoint)
{
	return sum_lost(set, tracepoint, trace_own);
}
