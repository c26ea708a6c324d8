/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of programs to wait for, as /proc/PID/comm has them. */
#ifndef PANETOP_TOPIC_PROCESS_PROGRAM_NAMES_H
#define PANETOP_TOPIC_PROCESS_PROGRAM_NAMES_H

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

#endif
