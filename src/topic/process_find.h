/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process is meant: a pid alone may be given to another one. */
#ifndef PANETOP_TOPIC_PROCESS_FIND_H
#define PANETOP_TOPIC_PROCESS_FIND_H

#include "core/env.h"
#include "kernel/pid_stat.h"

/* When a process was started, in seconds after boot: its column start_seconds. */
double process_start_seconds(const struct env *env, uint64_t start_ticks);
uint64_t process_start_ticks(const struct env *env, double start_seconds);

/*
 * Reads the stat file of the process with this pid and start time; comm is left empty. 0, -ESRCH when it
 * has ended, whoever has its pid now, or -errno.
 */
int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat);

#endif
