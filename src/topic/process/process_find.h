/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds processes by pid and start time, because pids are reused, or by the words of --pid. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_FIND_H
#define PANETOP_TOPIC_PROCESS_PROCESS_FIND_H

#include "kernel/pid/pid_stat.h"
#include "sys/env.h"

#define PROCESS_STAT_MAX 1024

/* Seconds after boot: the column start_seconds. */
double process_start_seconds(const struct env *env, uint64_t start_ticks);
uint64_t process_start_ticks(const struct env *env, double start_seconds);

/*
 * Reads the stat file of the process with this pid and start time, without comm. 0, -ESRCH when it has
 * exited, even if the pid is in use, or -errno.
 */
int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat);

/* Reads its stat file into bytes[PROCESS_STAT_MAX], and parses it. False when it has exited. */
bool process_read_stat(struct env *env, uint32_t pid, char *bytes, struct pid_stat *stat);

/*
 * Of a process whose main thread has ended before the others: the first thread that lives, whose state, CPU,
 * priority and memory replace those of stat. 0, and stat unchanged: the main thread lives, or none was found.
 */
uint32_t process_living_thread(struct env *env, uint32_t pid, struct pid_stat *stat);

/* The first argument of its command line, in bytes. */
struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room);

/* Does this process group have a process? */
bool process_any_in_group(struct env *env, uint64_t group);

#endif
