/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for the ends of processes with certain names. With CAP_NET_ADMIN by the kernel's exit records, of
 * which it sends those names alone, so that nothing wakes up before; else by a descriptor for each process,
 * which process_ends_look() has to find.
 */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ENDS_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ENDS_H

#include <stdbool.h>

#include "sys/env.h"

#define PROGRAM_NAMES_MAX 128

#define PROGRAM_NAME_BYTES 16 /* with its NUL */

struct program_names {
	char list[PROGRAM_NAMES_MAX][PROGRAM_NAME_BYTES];
	size_t n;
};

/* A longer name is cut as the kernel does; there must be room. */
void program_names_add(struct program_names *names, const char *name);

/* The first place of a name; names->n: it is not among them. */
size_t program_names_find(const struct program_names *names, const char *name);

/* The same for the name of a process; names->n also where it has ended: then *error is -errno. */
size_t program_names_of(const struct program_names *names, struct env *env, uint32_t pid, int *error);

#define PROCESS_ENDS_STATUS_UNKNOWN (-1)

struct process_end {
	uint32_t pid;
	size_t name; /* the first place of its name */
	int status;  /* as of wait(2), or PROCESS_ENDS_STATUS_UNKNOWN */
};

struct process_ends;

/*
 * Never NULL; *error: why there are no exit records, as of exit_reader_open(), -ENODATA before Linux 5.19; 0:
 * there are.
 */
struct process_ends *process_ends_open(struct env *env, const struct program_names *names, int *error);
void process_ends_close(struct process_ends *ends); /* NULL is fine */

/* Becomes readable when there is something to read. */
int process_ends_fd(const struct process_ends *ends);

/*
 * Finds processes that are to be watched, where there are no exit records: reads a file of each process.
 * Processes that begin and end between two calls are missed; zombies of the first one ended before it. 0 or
 * -errno of the list of processes.
 */
int process_ends_look(struct process_ends *ends);

/* Calls each for the ends so far. It does not wait. */
void process_ends_read(struct process_ends *ends, void (*each)(void *context, const struct process_end *end),
		       void *context);

/* Records lost so far, since too many came at a time. */
uint64_t process_ends_lost(const struct process_ends *ends);

#endif
