/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that /proc lists, read once per tick, and one-off reads of their files. */
#ifndef PANETOP_SYS_PIDS_H
#define PANETOP_SYS_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "sys/env.h"

/*
 * The pids, ascending, valid until the next tick; after pids_list_new() in this tick those that it gave. 0 or
 * -errno; an unreadable or missing proc is an error, a proc without processes is none.
 */
int pids_list(struct env *env, const uint32_t **pids, size_t *n_pids);

/* The threads of a process likewise, valid until the next call. -ENOENT or -ESRCH when it has ended. */
int pids_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids);

/*
 * As pids_list(), but it reads only the part of proc where the processes lie that are new since the tick
 * before, as pids are given out in ascending order. Those that ended may still be listed, and one that was
 * given its pid by other rules may not be, for up to 8 ticks. now: as it was in this tick, of our own pid
 * namespace.
 */
int pids_list_new(struct env *env, const struct env_pids_mark *now, const uint32_t **pids, size_t *n_pids);

/*
 * Reads proc/PID/NAME into bytes: the length, or -errno. -ENOENT and -ESRCH mean that it has ended. What
 * does not fit is cut off.
 */
long pids_read(struct env *env, uint32_t pid, const char *name, char *bytes, size_t room);

/* Opens proc/PID/NAME; flags as of open(2): the descriptor, which the caller closes, or -errno. */
int pids_open(struct env *env, uint32_t pid, const char *name, int flags);

/* Reads all of proc/PID/NAME, which may be long: 0 or -errno. What was in text is gone. */
int pids_read_text(struct env *env, uint32_t pid, const char *name, struct buffer *text);

/*
 * As pids_read(), for a file that is read again and again: it stays open in *file (-1 before), as far as
 * RLIMIT_NOFILE has room, and can then never become that of another process.
 */
long pids_read_kept(struct env *env, int *file, uint32_t pid, const char *name, char *bytes, size_t room);
void pids_release(struct env *env, int *file);

/*
 * The effective user of a process: the owner of its directory, also where its files are root's because it
 * may not be dumped. False when there is none.
 */
bool pids_owner(const struct env *env, uint32_t pid, uint32_t *uid);

#endif
