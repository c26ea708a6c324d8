/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs, also where it is not mounted. */
#ifndef PANETOP_SYS_TRACEFS_H
#define PANETOP_SYS_TRACEFS_H

#include "sys/env.h"

/*
 * Its directory, owned by the caller: path, relative to the root, else on the live machine a detached mount,
 * which needs root and Linux 5.2. -EACCES: not readable; -ENOENT: not mounted; or -errno.
 */
int tracefs_open(const struct env *env, const char *path);

/* Reads a file below it, such as "events/sched/sched_process_exec/id": the length, at most room, or -errno.
 */
long tracefs_read(int tracefs, const char *path, char *bytes, size_t room);

#endif
