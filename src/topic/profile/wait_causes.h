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

#endif
