/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of the scope are compared with those of the last tick. Each program measures one run of
 * BPF_TIMED_RUNS: what all took is estimated from that. A program that rests is not attached.
 */
#include <config.h>

#include "topic/trace/trace_scope.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/process.h"

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

#define BURST_NS UINT64_C(1000000000)
#define BURST_LEAST_NS UINT64_C(10000000) /* the period becomes longer then */
#define PERIOD_NS UINT64_C(10000000000)
#define EARLY_NS UINT64_C(100000000) /* of a tick, which may be so much before the end of a period */
#define CHEAP (TRACE_COST_MOST / 2)
#define CHEAP_BURSTS 2

struct burst {
	struct machine_thread *thread; /* NULL: a tick ends bursts */
	const struct machine_clock *clock;
	struct trace_set *set;
	const char *tracepoint;
	pthread_mutex_t lock; /* of all that follows, and of what is attached in set */
	bool runs;
	uint64_t until_ns, ended_ns;
};

/* Under lock. Now, after that. */
static uint64_t end_if_due(struct burst *burst)
{
	uint64_t now_ns = clock_mono_ns(burst->clock);

	if (!burst->runs || now_ns < burst->until_ns)
		return now_ns;
	trace_rest(burst->set, burst->tracepoint, true);
	burst->runs = false;
	return burst->ended_ns = clock_mono_ns(burst->clock);
}

static uint64_t wait_for_end(void *context)
{
	struct burst *burst = context;
	uint64_t now_ns, pause_ns;

	pthread_mutex_lock(&burst->lock);
	now_ns = end_if_due(burst);
	pause_ns = burst->runs ? burst->until_ns - now_ns : PERIOD_NS;
	pthread_mutex_unlock(&burst->lock);
	return pause_ns;
}

static void free_burst(void *context)
{
	struct burst *burst = context;

	pthread_mutex_destroy(&burst->lock);
	free(burst);
}

void trace_bursts_close(struct trace_bursts *bursts)
{
	if (bursts->burst && bursts->burst->thread)
		thread_end(bursts->burst->thread, true);
	else if (bursts->burst)
		free_burst(bursts->burst);
	*bursts = (struct trace_bursts){ 0 };
}

/* since_ns: since then its programs have run, and were not read; 0: they do not. */
static bool begin_burst(struct trace_bursts *bursts, uint64_t since_ns)
{
	struct burst *burst = bursts->burst;
	double most_ns = TRACE_COST_MOST * PERIOD_NS, length_ns = BURST_NS;
	uint64_t now_ns;
	int error;

	if (bursts->cost * length_ns > most_ns)
		length_ns = most_ns / bursts->cost;
	if (length_ns < BURST_LEAST_NS)
		length_ns = BURST_LEAST_NS;
	if (!patience_lock(&burst->lock))
		return false;
	error = trace_rest(burst->set, burst->tracepoint, false);
	now_ns = clock_mono_ns(burst->clock);
	burst->runs = !error;
	burst->until_ns = now_ns + (uint64_t)length_ns;
	pthread_mutex_unlock(&burst->lock);
	bursts->next_ns = now_ns + PERIOD_NS;
	if (error)
		return false;
	if (burst->thread)
		thread_wake(burst->thread);
	now_ns = since_ns ? since_ns : now_ns;
	bursts->period_ns = bursts->begun_ns ? now_ns - bursts->begun_ns : PERIOD_NS;
	bursts->begun_ns = now_ns;
	bursts->used_ns = used_ns(burst->set);
	bursts->runs = true;
	bursts->judged = false;
	return true;
}

void trace_bursts_start(struct trace_bursts *bursts, struct trace_set *set, const char *tracepoint,
			double cost, uint64_t read_ns)
{
	static const struct thread_work work = { wait_for_end, free_burst, 0, NULL, 0 };
	struct burst *burst = alloc_zeroed(1, sizeof(*burst));

	burst->clock = set->env->clock;
	burst->set = set;
	burst->tracepoint = tracepoint;
	pthread_mutex_init(&burst->lock, NULL);
	burst->thread = thread_start(set->env->own_threads, &work, burst);
	*bursts = (struct trace_bursts){ .burst = burst,
					 .cost = cost,
					 .cost_at_first = cost,
					 .looked_ns = read_ns };
	begin_burst(bursts, read_ns);
}

uint64_t trace_bursts_look(struct trace_bursts *bursts, const struct env *env)
{
	struct burst *burst = bursts->burst;
	uint64_t now_ns, ended_ns, from_ns;

	bursts->counted = false;
	bursts->missed_ns = 0;
	if (!burst || !patience_lock(&burst->lock))
		return env_mono_ns(env);
	now_ns = end_if_due(burst);
	bursts->runs = burst->runs;
	ended_ns = burst->runs ? now_ns : burst->ended_ns;
	pthread_mutex_unlock(&burst->lock);
	from_ns = bursts->looked_ns > bursts->begun_ns ? bursts->looked_ns : bursts->begun_ns;
	bursts->counted = ended_ns > from_ns;
	bursts->counted_ns = ended_ns - bursts->begun_ns;
	bursts->lasted_ns = bursts->runs ? bursts->lasted_ns : bursts->counted_ns;
	bursts->age_ns = now_ns - ended_ns;
	bursts->missed_ns = now_ns - bursts->looked_ns - (bursts->counted ? ended_ns - from_ns : 0);
	bursts->looked_ns = now_ns;
	return now_ns;
}

bool trace_bursts_go_on(struct trace_bursts *bursts)
{
	struct burst *burst = bursts->burst;

	if (!burst || bursts->runs)
		return false;
	if (!bursts->judged) {
		uint64_t took_ns = used_ns(burst->set);

		took_ns = took_ns > bursts->used_ns ? took_ns - bursts->used_ns : 0;
		bursts->judged = true;
		bursts->cost = bursts->counted_ns > 0 ? (double)took_ns / (double)bursts->counted_ns : 0;
		bursts->n_cheap = bursts->cost <= CHEAP ? bursts->n_cheap + 1 : 0;
		if ((double)took_ns > TRACE_COST_MOST * PERIOD_NS)
			bursts->next_ns = bursts->begun_ns + (uint64_t)((double)took_ns / TRACE_COST_MOST);
	}
	if (bursts->n_cheap >= CHEAP_BURSTS && trace_rest(burst->set, burst->tracepoint, false) == 0) {
		trace_bursts_close(bursts);
		return false;
	}
	return bursts->looked_ns + EARLY_NS >= bursts->next_ns && begin_burst(bursts, 0);
}

double trace_bursts_missed(const struct trace_bursts *bursts, uint64_t n)
{
	return bursts->counted_ns > 0
		       ? (double)n / (double)bursts->counted_ns * (double)bursts->missed_ns
		       : 0;
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
