/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the online CPUs, which are those with a line in /proc/stat. */
#include <config.h>

#include "topic/cpu/online_cpus.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"

static int open_online(void *state, const struct sample *sample)
{
	struct online_cpus *online = state;

	online->env = sample->env;
	return 0;
}

static void close_online(void *state)
{
	struct online_cpus *online = state;

	free(online->list);
}

static bool is_same(const struct online_cpus *online, const struct proc_stat *stat)
{
	for (size_t i = 0; i < online->count && i < stat->n_cpus; i++)
		if (online->list[i] != stat->cpus[i].cpu)
			return false;
	return online->count == stat->n_cpus;
}

static int update(void *state, const struct sample *sample)
{
	struct online_cpus *online = state;
	const struct proc_stat *stat;
	int error = proc_stat_read(sample->env, &stat);

	if (error || is_same(online, stat))
		return error;
	VECTOR_RESERVE(online->list, stat->n_cpus, online->capacity);
	online->count = stat->n_cpus;
	for (size_t i = 0; i < stat->n_cpus; i++)
		online->list[i] = (uint32_t)stat->cpus[i].cpu;
	online->generation++;
	return 0;
}

const struct reader online_cpus_reader = {
	.name = "online CPUs",
	.state_size = sizeof(struct online_cpus),
	.open = open_online,
	.update = update,
	.close = close_online,
	.source = "proc/stat",
};

long online_cpus_topology(struct env *env, uint32_t cpu, const char *name)
{
	char path[128];
	uint64_t number;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return attribute_once_u64(env, path, &number) < 0 || number > INT16_MAX ? -1 : (long)number;
}
