/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all tasks of the machine ran, those that ended included: a sum that the scheduler keeps. */
#ifndef PANETOP_TOPIC_PROCESS_CGROUP_CPU_TIME_H
#define PANETOP_TOPIC_PROCESS_CGROUP_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/env.h"

struct run_time;
struct task;
struct tasks;

/* NULL where no such sum is to be had: no group of cpuacct, or of version 2, is seen from the very top. */
struct run_time *run_time_open(struct env *env);
void run_time_close(struct run_time *run_time); /* NULL is fine */

/* To the nanosecond (version 2: microsecond), since the call before; U64_UNKNOWN where that is not known. */
uint64_t run_time_grown(struct run_time *run_time);

/*
 * Once per tick before run_time_has(): looks which of the tasks are outside the sum. False when the sum is no
 * use: processes that end outside of it, or processes that we cannot see inside of it.
 */
bool run_time_check(struct run_time *run_time, struct tasks *tasks);

/* Is what this task ran in the sum? */
bool run_time_has(const struct run_time *run_time, const struct task *task);

/* Where "sum less tasks" is from. */
const char *run_time_source(const struct run_time *run_time);

#endif
