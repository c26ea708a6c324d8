/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracing file system, also where it is not mounted. */
#ifndef PANETOP_SYS_TRACEFS_H
#define PANETOP_SYS_TRACEFS_H

#include "sys/env.h"

/*
 * Its directory, owned by the caller: path, relative to the root, else one that only this descriptor sees,
 * which takes root and Linux 5.2. -EACCES when it may not be read, -ENOENT when it is not mounted, -ENOTSUP
 * where env is not the live machine, or -errno.
 */
int tracefs_open(const struct env *env, const char *path);

/* Reads a file below it, "events/sched/sched_process_exec/id" say: the length, or -errno. */
long tracefs_read(int tracefs, const char *path, char *bytes, size_t room);

#endif
