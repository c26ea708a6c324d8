/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the threads of processes were in what, over a sliding time. Whoever counts gives sums since it
 * began, in each tick all of them; the ledger keeps what they grew by.
 */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_LEDGER_H
#define PANETOP_TOPIC_PROFILE_WAIT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/hash.h"
#include "core/span.h"
#include "sys/bpf/program.h"

enum wait_cause {
	WAIT_RUNNING,
	WAIT_READY,
	WAIT_DISK,
	WAIT_LOCK,
	WAIT_NETWORK,
	WAIT_PIPE,
	WAIT_POLL,
	WAIT_SLEEP,
	WAIT_MEMORY,
	WAIT_CHILD,
	WAIT_OTHER,
	N_WAIT_CAUSES,
};

extern const char *const wait_cause_words[N_WAIT_CAUSES]; /* N_() */

struct wait_meaning {
	enum wait_cause cause;
	struct span function; /* one of those given, without what a compiler added; empty: none says more */
};

/*
 * Of functions from the innermost on; some may be empty: without a name. state: enum bpf_state; call: the
 * name of the system call, or NULL.
 */
struct wait_meaning wait_meaning_of(const struct span *functions, size_t n, unsigned state, const char *call);

/* Of a system call alone; target: the link of the file that it works on, or NULL. */
enum wait_cause wait_cause_of_call(const char *call, const char *target);

#define WAIT_REASONS_MAX 64
#define WAIT_FUNCTION_BYTES 48
#define WAIT_LENGTHS 16 /* below 1 µs, 2 µs, 4 µs … */

struct wait_reason {
	enum wait_cause cause;
	char function[WAIT_FUNCTION_BYTES];
	uint64_t ns, waits;        /* since the last end */
	double seen[WAIT_LENGTHS]; /* waits that were looked at; what is older weighs less */
	double sum_ns, sum_waits;  /* with its part of the others, up to the last end */
};

/* All zero is an empty one. */
struct wait_tally {
	struct wait_reason reasons[WAIT_REASONS_MAX]; /* the first one is of what no reason is known for */
	unsigned n;
	uint64_t unseen_ns[WAIT_LENGTHS], unseen_waits[WAIT_LENGTHS]; /* since the last end */
};

/* The number of a reason, which stays; the first one when there are too many. */
unsigned wait_tally_reason(struct wait_tally *tally, enum wait_cause cause, struct span function);

/* A part of a wait. is_new: it begins with it; whole_ns: it ends with it, and took so long in all; 0: not. */
void wait_tally_add(struct wait_tally *tally, unsigned reason, uint64_t ns, bool is_new, uint64_t whole_ns);
void wait_tally_add_unseen(struct wait_tally *tally, uint64_t ns, bool is_new, uint64_t whole_ns);

/* All of it took so long. */
void wait_tally_end(struct wait_tally *tally, uint64_t waited_ns);

#define WAIT_COMMAND_BYTES 64
#define WAIT_WINDOW_NS UINT64_C(10000000000)

struct wait_process {
	uint32_t pid;
	uint64_t start_ticks;
	char command[WAIT_COMMAND_BYTES];
	bool seen;                                                        /* in this tick */
	bool ended;                                                       /* another one may have its pid */
	uint64_t gone_ns[N_BPF_WAIT_CLASSES], now_ns[N_BPF_WAIT_CLASSES]; /* gone: of threads that ended */
	uint64_t counted_ns;                                              /* of waits, in this tick */
	uint32_t most_item;                                               /* that has the most of these … */
	uint64_t most_ns;                                                 /* … as much */
	uint32_t threads;
	uint64_t clock_ns, run_ns; /* its CPU clock in the last tick, 0: unknown, and how long it ran by us */
	uint64_t excess_ns;        /* that it ran beyond its clock */
	bool is_broken;            /* switches of it are missing: its times are not known */
};

/* What its threads were in. */
struct wait_item {
	uint32_t process; /* its index */
	uint32_t stack, state;
	int32_t call;
	bool is_known; /* the next two */
	enum wait_cause cause;
	const char *function;             /* interned; NULL: there is none */
	uint64_t now_ns, now_waits;       /* sums in this tick … */
	uint64_t before_ns, before_waits; /* … and in the one before */
	int64_t window_ns, window_waits;  /* after wait_ledger_sum() */
};

/* What an item grew by in an interval. Its time may shrink by what was taken for another item's. */
struct wait_growth {
	uint32_t item;
	int64_t ns, waits;
};

struct wait_ledger {
	struct wait_process *processes;
	size_t n_processes, process_capacity;
	struct hash by_pid;
	struct wait_item *items;
	size_t n_items, item_capacity;
	size_t n_items_kept; /* after the last time that unused ones were left out */
	struct hash by_what;
	struct intern names;
	struct wait_growth *growth; /* of all intervals, the oldest first */
	size_t n_growth, growth_capacity;
	struct wait_interval {
		uint64_t from_ns, to_ns;
		size_t n; /* of growth */
	} *intervals;
	size_t n_intervals, interval_capacity;
	uint64_t last_ns; /* of the last tick; 0: none */
};

/* All zero is an empty one. */
void wait_ledger_free(struct wait_ledger *ledger);

/* Before the sums of a tick. */
void wait_ledger_begin(struct wait_ledger *ledger);

/* The index of the process that has this pid, which is valid up to the end of the tick; HASH_NONE: none. */
uint32_t wait_ledger_find(const struct wait_ledger *ledger, uint32_t pid);
uint32_t wait_ledger_process(struct wait_ledger *ledger, uint32_t pid, uint64_t start_ticks);

/* Likewise of an item. */
uint32_t wait_ledger_item(struct wait_ledger *ledger, uint32_t process, uint32_t state, uint32_t stack,
			  int32_t call);

void wait_ledger_add(struct wait_ledger *ledger, uint32_t item, uint64_t ns, uint64_t waits);

/* Its name is copied. */
void wait_ledger_name(struct wait_ledger *ledger, uint32_t item, enum wait_cause cause, struct span function);

/*
 * After all sums, which are of now_ns; keep_ns: what was before then is left out, unless it is of the last
 * interval. Processes that were not seen have ended: what is kept of them begins with 0 when they come back.
 */
void wait_ledger_end(struct wait_ledger *ledger, uint64_t now_ns, uint64_t keep_ns);

/* Sums of the window for all items; how long it is. */
double wait_ledger_sum(struct wait_ledger *ledger);

#endif
