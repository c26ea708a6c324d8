/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rules of --when fired, until a sample takes it. */
#ifndef PANETOP_MODEL_FIRING_H
#define PANETOP_MODEL_FIRING_H

#include <stddef.h>
#include <stdint.h>

#define FIRING_TOPIC "watch" /* its rows have the columns rule and time */
#define FIRING_NO_COMMAND (-1)

struct firing {
	uint64_t wall_ns;
	const char *rule;      /* as written; borrowed */
	char *subject;         /* owned */
	double value;          /* NaN: none */
	uint64_t pid;          /* U64_UNKNOWN */
	int exit_code, signal; /* of the process that ended; -1: not known, or none did */
	uint64_t n_dropped;    /* firings of the rule that were too many before it */
	int status;            /* of its command, as in a shell, or FIRING_NO_COMMAND */
};

void firing_free(struct firing *firing);

/* In the order in which they are complete: a command has ended. All zero is empty. */
struct firing_log {
	struct firing **firings;
	size_t n, capacity;
};

void firing_log_add(struct firing_log *log, struct firing *firing); /* owns it */
void firing_log_clear(struct firing_log *log);
void firing_log_free(struct firing_log *log);

#endif
