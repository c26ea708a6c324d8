/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cpuset of version 1 has a hierarchy of its own, as CPU time may; their paths are the same in practice. */
#include <config.h>

#include "topic/cpu/cpu_allowance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/cgroup.h"
#include "kernel/system.h"

#define MACHINE_PIDS "pid:[4026531836]" /* PROC_PID_INIT_INO of the kernel */

static bool is_container(struct env *env)
{
	char name[64];
	ssize_t length = root_read_link(&env->root, "proc/self/ns/pid", name, sizeof(name) - 1);

	if (length <= 0)
		return false;
	name[length] = '\0';
	return strcmp(name, MACHINE_PIDS) != 0;
}

static void find(struct env *env, const char *controller, struct own_cgroup *own)
{
	own->found = cgroup_own(env, controller, &own->place) == 0;
}

static int open_allowance(void *state, const struct sample *sample)
{
	struct cpu_allowance *allowance = state;

	allowance->env = sample->env;
	allowance->is_container = is_container(allowance->env);
	find(allowance->env, "cpu", &allowance->cpu);
	find(allowance->env, "cpuacct", &allowance->used);
	find(allowance->env, "cpuset", &allowance->set);
	return 0;
}

const struct reader cpu_allowance_reader = {
	.name = "our CPU quotas",
	.state_size = sizeof(struct cpu_allowance),
	.open = open_allowance,
};

double cpu_allowance_quota(struct env *env, const struct cgroup_place *place)
{
	struct span text, quota, period;
	double cpus;

	if (place->version == 2) {
		if (cgroup_read(env, place, "cpu.max", &text) < 0 || !span_word(&text, &quota))
			return 0;
		return cgroup_quota_parse(quota, text, &cpus) ? cpus : 0;
	}
	if (cgroup_read(env, place, "cpu.cfs_quota_us", &quota) < 0 ||
	    cgroup_read(env, place, "cpu.cfs_period_us", &period) < 0)
		return 0;
	return cgroup_quota_parse(quota, period, &cpus) ? cpus : 0;
}

uint64_t cpu_allowance_used_ns(const struct cpu_allowance *allowance, const char *group)
{
	struct cgroup_place place = allowance->used.place;
	struct cgroup_cpu_stat stat;
	uint64_t used_ns;
	struct span text;

	strcpy(place.group, group);
	if (!allowance->used.found ||
	    cgroup_read(allowance->env, &place, place.version == 2 ? "cpu.stat" : "cpuacct.usage", &text) < 0)
		return U64_UNKNOWN;
	if (place.version == 1)
		return span_u64(&text, &used_ns) ? used_ns : U64_UNKNOWN;
	cgroup_cpu_stat_parse(text, &stat);
	return stat.used_ns;
}

uint64_t cpu_allowance_set(const struct cpu_allowance *allowance)
{
	const struct cgroup_place *place = &allowance->set.place;
	uint32_t first, last;
	uint64_t count = 0;
	struct span text;

	if (!allowance->set.found ||
	    cgroup_read(allowance->env, place,
			place->version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus", &text) < 0)
		return U64_UNKNOWN;
	while (cpu_list_next(&text, &first, &last))
		count += last - first + 1;
	return count > 0 ? count : U64_UNKNOWN;
}

double cpu_allowance_container(const struct cpu_allowance *allowance, uint64_t online)
{
	struct cgroup_place place = allowance->cpu.place;
	double cpus = (double)online, quota;
	uint64_t set;

	if (!allowance->is_container || online == U64_UNKNOWN)
		return NAN;
	set = cpu_allowance_set(allowance);
	if (set < online)
		cpus = (double)set;
	do {
		quota = allowance->cpu.found ? cpu_allowance_quota(allowance->env, &place) : 0;
		if (quota > 0 && quota < cpus)
			cpus = quota;
	} while (cgroup_up(&place));
	return cpus;
}
