/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that reads the rings of samples, unwinds stacks and finds names, without any right: what it
 * parses is of all users. It may crash; panetop starts it again.
 */
#ifndef PANETOP_TOPIC_PROFILE_PROFILE_CHILD_H
#define PANETOP_TOPIC_PROFILE_PROFILE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topic/profile/code_files.h"

#define PROFILE_RESULTS                                                                                      \
	UINT32_MAX /* the first word of a message with results; other messages ask for a file */

#define PROFILE_FAMILIAR_MAX 4096

/* What both processes see; it survives the one that unwinds. */
struct profile_shared {
	_Atomic uint32_t pid;   /* whose stack is being unwound; 0: none */
	_Atomic uint32_t works; /* counts them: one that does not end is seen */
	struct code_work work;
	_Atomic bool wants_lines;
	uint32_t familiar[PROFILE_FAMILIAR_MAX]; /* processes whose stacks cost little; by pid */
};

struct profile_child_plan {
	const struct machine_clock *clock;
	const int *events; /* descriptors, one for each CPU */
	size_t n_events;
	size_t ring_bytes; /* of each */
	int channel;       /* a socket, for files and results; it ends when the other side is closed */
	struct profile_shared *shared;
	const struct code_shunned *shunned;
	size_t n_shunned;
};

/* Forks it. Its pid, or -errno. */
pid_t profile_child_start(const struct profile_child_plan *plan);

#endif
