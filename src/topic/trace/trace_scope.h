/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of the scope, as programs of a plan of_wanted know them; and what programs in the kernel cost
 * from tick to tick, so that they end before that is much.
 */
#ifndef PANETOP_TOPIC_TRACE_TRACE_SCOPE_H
#define PANETOP_TOPIC_TRACE_TRACE_SCOPE_H

#include "topic/process/process_list.h"
#include "topic/trace/trace.h"

/* The program of a plan of_wanted that adds children. */
#define TRACE_SCOPE_FORKS                                                                                    \
	{ .name = N_("a process of the scope forks"),                                                        \
	  .tracepoint = "sched_process_fork",                                                                \
	  .does = &bpf_follow }

/* All zero: none is known. */
struct wait_scope {
	uint32_t *wanted, *room; /* pids, ascending */
	size_t n_wanted, capacity, room_capacity;
};

/* The only process that the scope names, by its number: to look at that alone costs others less. 0: none. */
uint32_t wait_scope_process(const struct sample_request *request);

/* Has the programs look at those that the scope has now, and no others. */
void wait_scope_update(struct wait_scope *scope, struct trace_set *set, const struct process_list *processes);
void wait_scope_free(struct wait_scope *scope);

#define TRACE_COST_MOST 0.05 /* of one CPU */

/* All zero: at first, and when another program begins or ends. */
struct trace_cost {
	uint64_t used_ns, at_ns;
};

/* Part of one CPU that its programs took in the last second or more; 0: that has not passed yet. */
double trace_cost_since(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns);

/* Closes the set where that is more than TRACE_COST_MOST, and gives it; else 0. */
double trace_cost_end(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns);

/* What its programs at this tracepoint lost at most; a set that is not open has lost nothing. */
uint64_t trace_lost(struct trace_set *set, const char *tracepoint);

/* That of it for which a map or a ring had no room: exact. */
uint64_t trace_refused(struct trace_set *set, const char *tracepoint);

#endif
