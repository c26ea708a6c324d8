/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread waits for, by the functions of the kernel or the system call that it waits in. */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_CAUSES_H
#define PANETOP_TOPIC_PROFILE_WAIT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
