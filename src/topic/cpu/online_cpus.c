/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs are online, by the lines of /proc/stat. */
#include <config.h>

#include "topic/cpu/online_cpus.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "kernel/cpu_list.h"
#include "kernel/cpu_times.h"

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

static bool next_cpu(struct span *stat, uint64_t *cpu)
{
	struct cpu_times times;

	while (cpu_times_next(stat, &times)) {
		*cpu = times.cpu;
		if (times.cpu != CPU_ALL && times.cpu < CPU_LIST_MAX)
			return true;
	}
	return false;
}

/* *count: how many stat tells of. */
static bool is_same(const struct online_cpus *online, struct span stat, size_t *count)
{
	bool same = true;
	uint64_t cpu;

	for (*count = 0; next_cpu(&stat, &cpu); ++*count)
		same = same && *count < online->count && online->list[*count] == cpu;
	return same && *count == online->count;
}

int online_cpus_update(struct online_cpus *online)
{
	struct env *env = online->env;
	struct span stat;
	uint64_t cpu;
	size_t count;

	if (online->tick == env->tick)
		return online->error;
	online->tick = env->tick;
	online->error = env_read(env, env_file(env, "proc/stat"), &stat);
	if (online->error || is_same(online, stat, &count))
		return online->error;
	online->list = alloc_resize(online->list, count, sizeof(*online->list));
	for (online->count = 0; next_cpu(&stat, &cpu);)
		online->list[online->count++] = (uint32_t)cpu;
	online->findings++;
	return 0;
}
