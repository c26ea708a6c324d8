/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for all CPUs, with the file read by the first topic of a tick that asks. */
#include <config.h>

#include "topic/cpu/proc_stat.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/system.h"
#include "sys/attribute.h"

#define AT_ONCE_NS UINT64_C(10000000) /* as long as the clock tick that the file counts in */

static const char key;

static void close_stat(void *state)
{
	struct proc_stat *stat = state;

	free(stat->cpus);
}

static void parse(struct proc_stat *stat, struct span text)
{
	struct cpu_times times;

	stat_totals_parse(text, &stat->totals);
	stat->has_all = false;
	stat->n_cpus = 0;
	while (cpu_times_next(&text, &times)) {
		if (times.cpu == CPU_ALL) {
			stat->has_all = true;
			stat->all = times;
		} else if (times.cpu < CPU_LIST_MAX) {
			*VECTOR_ADD(stat->cpus, stat->n_cpus, stat->capacity) = times;
		}
	}
}

int proc_stat_read(struct env *env, const struct proc_stat **stat)
{
	struct proc_stat *kept = env_state(env, &key);
	struct span text;
	int error = env_read(env, env_file(env, "proc/stat"), &text);

	if (!kept) {
		kept = env_state_add(env, &key, sizeof(*kept), close_stat);
		kept->tick = ENV_NEVER;
	}
	if (!error && kept->tick != env->tick) {
		kept->last_busy = kept->busy;
		kept->last_read_ns = kept->read_ns;
		kept->read_ns = env->live ? env_mono_ns(env) : 0;
		parse(kept, text);
		kept->busy = cpu_times_busy(&kept->all);
		kept->tick = env->tick;
	}
	*stat = kept;
	return error;
}

double proc_stat_busy_at(const struct proc_stat *stat, uint64_t mono_ns)
{
	if (stat->last_read_ns == 0 || mono_ns < stat->read_ns + AT_ONCE_NS)
		return stat->busy;
	return stat->busy + (stat->busy - stat->last_busy) * (double)(mono_ns - stat->read_ns) /
				    (double)(stat->read_ns - stat->last_read_ns);
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

	online->env = sample->env;
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
	.name = "online CPUs", .state_size = sizeof(struct online_cpus), .update = update,
	.close = close_online, .source = "proc/stat",
};

long online_cpus_topology(struct env *env, uint32_t cpu, const char *name)
{
	char path[128];
	uint64_t number;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return attribute_once_u64(env, path, &number) < 0 || number > INT16_MAX ? -1 : (long)number;
}
