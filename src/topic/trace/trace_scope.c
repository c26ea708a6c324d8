/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of the scope are compared with those of the last tick. Each program measures one run of
 * BPF_TIMED_RUNS: what all took is estimated from that.
 */
#include <config.h>

#include "topic/trace/trace_scope.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

void wait_scope_update(struct wait_scope *scope, struct trace_set *set, const struct process_list *processes)
{
	size_t n = 0, at = 0, n_before = scope->n_wanted, capacity = scope->capacity;
	uint32_t *before = scope->wanted;
	bool is_new = false;

	for (size_t i = 0; i < processes->n_all; i++) {
		uint32_t pid = processes->all[i]->pid;

		if (processes->all[i]->outside)
			continue;
		for (; at < n_before && before[at] < pid; at++)
			trace_want(set, before[at], false);
		if (at < n_before && before[at] == pid)
			at++;
		else
			is_new |= trace_want(set, pid, true) == 0;
		*VECTOR_ADD(scope->room, n, scope->room_capacity) = pid;
	}
	for (; at < n_before; at++)
		trace_want(set, before[at], false);
	scope->wanted = scope->room;
	scope->room = before;
	scope->capacity = scope->room_capacity;
	scope->room_capacity = capacity;
	scope->n_wanted = n;
	if (is_new)
		trace_iterate(set); /* their threads that wait, and have done so for a while */
}

uint32_t wait_scope_process(const struct sample_request *request)
{
	struct span list = span_text(request->processes ? request->processes : "");
	uint64_t pid;

	return request->scope->n_terms == 1 && span_u64(&list, &pid) && span_length(list) == 0 &&
			       pid <= UINT32_MAX
		       ? (uint32_t)pid
		       : 0;
}

void wait_scope_free(struct wait_scope *scope)
{
	free(scope->wanted);
	free(scope->room);
	*scope = (struct wait_scope){ 0 };
}

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
