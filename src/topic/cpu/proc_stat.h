/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/stat, parsed once per tick for all topics; and the CPUs that it lists. */
#ifndef PANETOP_TOPIC_CPU_PROC_STAT_H
#define PANETOP_TOPIC_CPU_PROC_STAT_H

#include "kernel/system.h"
#include "sys/env.h"
#include "topic/reader.h"

struct proc_stat {
	struct cpu_times all;   /* CPUs that went offline included */
	bool has_all;
	struct cpu_times *cpus; /* those that are online, in the order of the file */
	size_t n_cpus, capacity;
	struct stat_totals totals;
	double busy, last_busy;         /* of all CPUs, in clock ticks: in this reading and the one before */
	uint64_t read_ns, last_read_ns; /* when they were read; 0: never, or from stored files */
	uint64_t tick;
};

/* The file as it is in this tick; *stat is valid until the next. 0 or -errno. */
int proc_stat_read(struct env *env, const struct proc_stat **stat);

/*
 * Busy clock ticks of all CPUs at mono_ns, shortly after the reading: where panetop had to wait for a CPU
 * between the two, they are extended at the rate of the last interval.
 */
double proc_stat_busy_at(const struct proc_stat *stat, uint64_t mono_ns);

struct online_cpus {
	struct env *env; /* borrowed */
	uint32_t *list;  /* ascending */
	size_t count, capacity;
	unsigned long generation; /* of the list: grows when CPUs come or go */
};

/* A failed update leaves the list as it was. */
extern const struct reader online_cpus_reader;

/* The number in this file of a CPU's topology ("physical_package_id", "core_id"); -1: not known. */
long online_cpus_topology(struct env *env, uint32_t cpu, const char *name);

#endif
