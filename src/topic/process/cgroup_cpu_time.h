/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of the whole machine, exited processes included, as the scheduler counts it for control groups. */
#ifndef PANETOP_TOPIC_PROCESS_CGROUP_CPU_TIME_H
#define PANETOP_TOPIC_PROCESS_CGROUP_CPU_TIME_H

#include "sys/env.h"

struct cgroup_cpu_time;

/* NULL: the root group of cpuacct, or of version 2, is not visible. */
struct cgroup_cpu_time *cgroup_cpu_time_open(struct env *env);
void cgroup_cpu_time_close(struct cgroup_cpu_time *sum); /* NULL is fine */

/* Since the previous call, to the nanosecond (version 2: microsecond); U64_UNKNOWN: not known. */
uint64_t cgroup_cpu_time_grown(struct cgroup_cpu_time *sum);

/* 1: cpuacct, a sum over all processes; 2: cpu.stat, without the processes of the root group. */
int cgroup_cpu_time_version(const struct cgroup_cpu_time *sum);

/* The pids in the root group, one per line, valid until the next tick. 0 or -errno. */
int cgroup_cpu_time_root_pids(const struct cgroup_cpu_time *sum, struct span *pids);

#endif
