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

static const char key;

static void *open_online(struct env *env)
{
	struct online_cpus *online = alloc_zeroed(1, sizeof(*online));

	online->env = env;
	online->tick = ENV_NEVER;
	return online;
}

static void close_online(void *state)
{
	struct online_cpus *online = state;

	free(online->list);
	free(online);
}

struct online_cpus *online_cpus_open(struct env *env)
{
	return env_share(env, &key, open_online, close_online);
}

void online_cpus_close(struct online_cpus *online)
{
	env_unshare(online->env, &key);
}

static bool is_same(const struct online_cpus *online, const struct proc_stat *stat)
{
	for (size_t i = 0; i < online->count && i < stat->n_cpus; i++)
		if (online->list[i] != stat->cpus[i].cpu)
			return false;
	return online->count == stat->n_cpus;
}

int online_cpus_update(struct online_cpus *online)
{
	const struct proc_stat *stat;

	if (online->tick == online->env->tick)
		return online->error;
	online->tick = online->env->tick;
	online->error = proc_stat_read(online->env, &stat);
	if (online->error || is_same(online, stat))
		return online->error;
	VECTOR_RESERVE(online->list, stat->n_cpus, online->capacity);
	online->count = stat->n_cpus;
	for (size_t i = 0; i < stat->n_cpus; i++)
		online->list[i] = (uint32_t)stat->cpus[i].cpu;
	online->generation++;
	return 0;
}

long online_cpus_topology(struct env *env, uint32_t cpu, const char *name)
{
	char path[128];
	uint64_t number;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return attribute_once_u64(env, path, &number) < 0 || number > INT16_MAX ? -1 : (long)number;
}
