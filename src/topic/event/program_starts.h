/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for starts of certain programs. Each exec of the machine wakes its reader: by a perf record that has
 * its name, or by the proc connector, where the name has to be read from the process; where the kernel
 * reports no execs to this user, program_starts_look() has to find new processes.
 */
#ifndef PANETOP_TOPIC_EVENT_PROGRAM_STARTS_H
#define PANETOP_TOPIC_EVENT_PROGRAM_STARTS_H

#include "topic/process/process_ends.h"

struct program_start {
	uint32_t pid;
	size_t name; /* the first place of its name */
};

typedef void program_start_fn(void *context, const struct program_start *start);

struct program_starts;

/* Never NULL; *error: why execs are not reported, as of event_connector_open(); 0: they are. */
struct program_starts *program_starts_open(struct env *env, const struct program_names *names, int *error);
void program_starts_close(struct program_starts *starts); /* NULL is fine */

int program_starts_fd(const struct program_starts *starts); /* readable when programs started; -1: look */

/* Calls each for the starts so far. It does not wait. */
void program_starts_read(struct program_starts *starts, program_start_fn *each, void *context);

/*
 * Where execs are not reported: calls each for processes with these names that were not there before, also
 * for forks of the program. Reads a file of each process; those that begin and end between two calls are
 * missed. The first call finds what is there, and calls none. 0 or -errno of the list of processes.
 */
int program_starts_look(struct program_starts *starts, program_start_fn *each, void *context);

/*
 * Execs so far whose program is not known: too many came at a time, or, by the proc connector, the process
 * ended at once or went on to another program.
 */
uint64_t program_starts_lost(const struct program_starts *starts);

#endif
