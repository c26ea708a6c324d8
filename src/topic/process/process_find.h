/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process is meant: a pid alone may be given to another one. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_FIND_H
#define PANETOP_TOPIC_PROCESS_PROCESS_FIND_H

#include "kernel/pid_stat.h"
#include "sys/env.h"

#define PROCESS_STAT_MAX 1024

/* When a process was started, in seconds after boot: its column start_seconds. */
double process_start_seconds(const struct env *env, uint64_t start_ticks);
uint64_t process_start_ticks(const struct env *env, double start_seconds);

/*
 * Reads the stat file of the process with this pid and start time; comm is left empty. 0, -ESRCH when it
 * has ended, whoever has its pid now, or -errno.
 */
int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat);

/* Its stat file, in bytes, which has PROCESS_STAT_MAX of them, and what it says: false when it has ended. */
bool process_read_stat(struct env *env, uint32_t pid, char *bytes, struct pid_stat *stat);

/* The program that its command line begins with; in bytes. */
struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room);

/* Is there any process on the list? See process_pattern_matches(). */
bool process_any_listed(struct env *env, const char *list);

/* Is there any process in the process group with this number? */
bool process_any_in_group(struct env *env, const char *group);

#endif
