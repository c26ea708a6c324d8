/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/stat, parsed once per tick for all topics. */
#ifndef PANETOP_TOPIC_CPU_PROC_STAT_H
#define PANETOP_TOPIC_CPU_PROC_STAT_H

#include "kernel/cpu_times.h"
#include "kernel/system.h"
#include "sys/env.h"

struct proc_stat {
	struct cpu_times all;   /* CPUs that went offline included */
	bool has_all;
	struct cpu_times *cpus; /* those that are online, in the order of the file */
	size_t n_cpus, capacity;
	struct stat_totals totals;
	uint64_t tick;
};

/* The file as it is in this tick; *stat is valid until the next. 0 or -errno. */
int proc_stat_read(struct env *env, const struct proc_stat **stat);

#endif
