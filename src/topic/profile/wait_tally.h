/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process waited for, where each wait is known with its time, but only some with their cause: those
 * that a look met. The others are given the causes of those that took as long.
 */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_TALLY_H
#define PANETOP_TOPIC_PROFILE_WAIT_TALLY_H

#include <stdbool.h>

#include "topic/profile/wait_causes.h"

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
