/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions of the kernel by address, which are looked up when they are first needed, in slices. */
#ifndef PANETOP_TOPIC_TRACE_FUNCTION_NAMES_H
#define PANETOP_TOPIC_TRACE_FUNCTION_NAMES_H

#include "core/hash.h"
#include "sys/env.h"

#define FUNCTION_NAME_BYTES 64
#define FUNCTION_NAMES_SOURCE "proc/kallsyms"
#define FUNCTION_NAMES_REMEDY N_("run it as root, or give it the capability cap_syslog")

enum function_state { FUNCTION_NEW, FUNCTION_SOUGHT, FUNCTION_FOUND, FUNCTION_UNKNOWN };

struct function_name {
	uint64_t address;
	enum function_state state;
	char name[FUNCTION_NAME_BYTES];
};

struct function_names {
	struct env *env;
	struct function_name *list; /* owned */
	size_t count, capacity, n_new;
	struct hash by_address;
	int fd, error; /* fd: while it is read, else -1; error: -errno why there are no names, or 0 */
	size_t n_rest; /* bytes of a line that goes on in the next slice */
	char *bytes;   /* owned, while it is read */
};

void function_names_open(struct function_names *names, struct env *env);
void function_names_close(struct function_names *names);

/* Its element, in the order in which they were first wanted. */
size_t function_names_find(struct function_names *names, uint64_t address);

/* Goes on looking up; whole: to the end of the file. */
void function_names_update(struct function_names *names, bool whole);

/* For --probe: 0, -EACCES: addresses are hidden from this user, or -errno. */
int function_names_test(struct env *env);

#endif
