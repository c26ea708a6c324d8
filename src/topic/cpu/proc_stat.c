/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/cpu/proc_stat.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/cpu_list.h"

static const char key;

static void *open_stat(struct env *env)
{
	struct proc_stat *stat = alloc_zeroed(1, sizeof(*stat));

	(void)env;
	stat->tick = ENV_NEVER;
	return stat;
}

static void close_stat(void *state)
{
	struct proc_stat *stat = state;

	free(stat->cpus);
	free(stat);
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
	struct proc_stat *kept = env_kept(env, &key, open_stat, close_stat);
	struct span text;
	int error = env_read(env, env_file(env, "proc/stat"), &text);

	if (!error && kept->tick != env->tick) {
		parse(kept, text);
		kept->tick = env->tick;
	}
	*stat = kept;
	return error;
}
