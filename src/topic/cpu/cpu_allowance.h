/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU time that the cgroup of panetop and its ancestors may use: quotas and cpusets. Shared by topics. */
#ifndef PANETOP_TOPIC_CPU_CPU_ALLOWANCE_H
#define PANETOP_TOPIC_CPU_CPU_ALLOWANCE_H

#include "topic/cgroup.h"
#include "topic/reader.h"

struct cpu_allowance {
	struct env *env;        /* borrowed */
	struct own_cgroup cpu;  /* in the hierarchy of quotas … */
	struct own_cgroup used; /* … of CPU time … */
	struct own_cgroup set;  /* … and of cpusets */
	bool is_container;      /* panetop is in a pid namespace of its own: /proc has its processes alone */
};

extern const struct reader cpu_allowance_reader;

/* The quota of a group in the hierarchy cpu, in CPUs; 0: none. */
double cpu_allowance_quota(struct env *env, const struct cgroup_place *place);

/*
 * CPUs that the container may use at once, by its quotas, its cpuset and the online CPUs of the machine; NaN:
 * panetop is in none.
 */
double cpu_allowance_container(const struct cpu_allowance *allowance, uint64_t online);

#endif
