/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of the scope, as programs of a plan of_wanted know them; and what programs in the kernel cost
 * from tick to tick, so that they end before that is much, or run in bursts.
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

/*
 * What is too dear to be counted all the time is counted in bursts: 1 s of each 10 s, or less, so that it
 * takes no more than TRACE_COST_MOST of all the time. A burst begins in a tick; a thread ends it. All zero:
 * all the time.
 */
struct trace_bursts {
	struct burst *burst;  /* owned, shared with that thread; NULL: all the time */
	double cost;          /* part of one CPU that it took while it counted, in the last burst … */
	double cost_at_first; /* … and before bursts */
	unsigned n_cheap;     /* bursts one after the other */
	bool runs, judged;    /* runs: at the last look; judged: what the burst that has ended cost */
	uint64_t begun_ns, next_ns, looked_ns;
	uint64_t used_ns; /* by the programs when it began */

	/* At the last look: */
	uint64_t counted_ns; /* so long the burst lasts, or lasted */
	uint64_t lasted_ns;  /* so long the last one that has ended; 0: none has */
	uint64_t period_ns;  /* from the begin of the one before to that of the last one */
	uint64_t age_ns;     /* since it ended; 0: it goes on */
	uint64_t missed_ns;  /* since the look before, without a burst … */
	bool counted;        /* … and there was one, too */
};

/* In bursts, of which the first one began when the set was read. cost: as trace_cost_since() gave it. */
void trace_bursts_start(struct trace_bursts *bursts, struct trace_set *set, const char *tracepoint,
			double cost, uint64_t read_ns);

/* In each tick, before the set is read: the time of that. */
uint64_t trace_bursts_look(struct trace_bursts *bursts, const struct env *env);

/*
 * And after it. True: another burst begins. Where two in a row took less than half of what they may, they are
 * over, and all is counted again.
 */
bool trace_bursts_go_on(struct trace_bursts *bursts);

/* Before the set is closed. */
void trace_bursts_close(struct trace_bursts *bursts);

/* How much more there was while nothing was counted, at the rate of n in the last burst. */
double trace_bursts_missed(const struct trace_bursts *bursts, uint64_t n);

/* What its programs at this tracepoint lost at most; a set that is not open has lost nothing. */
uint64_t trace_lost(struct trace_set *set, const char *tracepoint);

/* That of it for which a map or a ring had no room: exact. */
uint64_t trace_refused(struct trace_set *set, const char *tracepoint);

#endif
