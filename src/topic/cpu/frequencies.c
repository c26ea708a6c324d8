/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Speeds of the CPUs: by cpufreq, else by /proc/cpuinfo. */
#include <config.h>

#include "topic/cpu/frequencies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/cpu_times.h"

#define LIMITS_EVERY 8

static const char key;

static void *open_frequencies(struct env *env)
{
	struct frequencies *frequencies = alloc_zeroed(1, sizeof(*frequencies));

	frequencies->env = env;
	frequencies->online = online_cpus_open(env);
	frequencies->tick = ENV_NEVER;
	return frequencies;
}

static void forget_cpus(struct frequencies *frequencies)
{
	for (size_t i = 0; i < frequencies->n_cpus; i++) {
		attribute_close(&frequencies->cpus[i].now_file, frequencies->env);
		attribute_close(&frequencies->cpus[i].low_file, frequencies->env);
		attribute_close(&frequencies->cpus[i].high_file, frequencies->env);
	}
	frequencies->n_cpus = 0;
}

static void close_frequencies(void *state)
{
	struct frequencies *frequencies = state;

	forget_cpus(frequencies);
	online_cpus_close(frequencies->online);
	free(frequencies->cpus);
	free(frequencies);
}

struct frequencies *frequencies_open(struct env *env)
{
	return env_share(env, &key, open_frequencies, close_frequencies);
}

void frequencies_close(struct frequencies *frequencies)
{
	env_unshare(frequencies->env, &key);
}

static void make_path(char *path, size_t room, uint32_t cpu, const char *name)
{
	snprintf(path, room, "sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, name);
}

static void open_file(struct attribute *file, uint32_t cpu, const char *name)
{
	char path[128];

	make_path(path, sizeof(path), cpu, name);
	attribute_open(file, path);
}

static double read_once(struct env *env, uint32_t cpu, const char *name)
{
	uint64_t kilohertz;
	char path[128];

	make_path(path, sizeof(path), cpu, name);
	return attribute_once_u64(env, path, &kilohertz) < 0 ? NAN : (double)kilohertz * 1e3;
}

static void open_cpu(struct env *env, struct cpu_frequency *cpu, uint32_t number)
{
	*cpu = (struct cpu_frequency){
		.cpu = number,
		.now = NAN,
		.low = NAN,
		.high = NAN,
		.least = read_once(env, number, "cpuinfo_min_freq"),
		.most = read_once(env, number, "cpuinfo_max_freq"),
		.base = read_once(env, number, "base_frequency"),
	};
	open_file(&cpu->now_file, number, "scaling_cur_freq");
	open_file(&cpu->low_file, number, "scaling_min_freq");
	open_file(&cpu->high_file, number, "scaling_max_freq");
}

static void follow_cpus(struct frequencies *frequencies)
{
	const struct online_cpus *online = frequencies->online;

	if (frequencies->seen == online->findings)
		return;
	frequencies->seen = online->findings;
	forget_cpus(frequencies);
	frequencies->by_cpuinfo = false;
	frequencies->n_cpus = online->count;
	frequencies->cpus = alloc_resize(frequencies->cpus, online->count, sizeof(*frequencies->cpus));
	for (size_t i = 0; i < online->count; i++)
		open_cpu(frequencies->env, &frequencies->cpus[i], online->list[i]);
}

static double read_hertz(struct env *env, struct attribute *file)
{
	uint64_t kilohertz;

	return attribute_u64(file, env, &kilohertz) < 0 ? NAN : (double)kilohertz * 1e3;
}

/* Limits change when somebody changes them: each is read in every eighth sample. */
static bool limits_are_due(const struct frequencies *frequencies, size_t index)
{
	const struct cpu_frequency *cpu = &frequencies->cpus[index];

	if (isnan(cpu->most))
		return false; /* no driver: it has no limits either */
	return isnan(cpu->low) || isnan(cpu->high) ||
	       index % LIMITS_EVERY == frequencies->tick % LIMITS_EVERY;
}

/* False when none of them tells its speed. */
static bool read_cpufreq(struct frequencies *frequencies)
{
	bool any = false;

	for (size_t i = 0; i < frequencies->n_cpus; i++) {
		struct cpu_frequency *cpu = &frequencies->cpus[i];

		cpu->now = read_hertz(frequencies->env, &cpu->now_file);
		any |= !isnan(cpu->now);
		if (!limits_are_due(frequencies, i))
			continue;
		cpu->low = read_hertz(frequencies->env, &cpu->low_file);
		cpu->high = read_hertz(frequencies->env, &cpu->high_file);
	}
	return any;
}

static struct cpu_frequency *find(const struct frequencies *frequencies, uint64_t cpu)
{
	size_t low = 0, high = frequencies->n_cpus;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (frequencies->cpus[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < frequencies->n_cpus && frequencies->cpus[low].cpu == cpu ? &frequencies->cpus[low]
									      : NULL;
}

const struct cpu_frequency *frequencies_find(const struct frequencies *frequencies, uint64_t cpu)
{
	return find(frequencies, cpu);
}

static void read_cpuinfo(struct frequencies *frequencies)
{
	struct cpu_frequency *found;
	struct span text;
	uint64_t cpu;
	double hertz;

	for (size_t i = 0; i < frequencies->n_cpus; i++)
		frequencies->cpus[i].now = NAN;
	if (env_read(frequencies->env, env_file(frequencies->env, "proc/cpuinfo"), &text) < 0)
		return;
	while (cpuinfo_next_speed(&text, &cpu, &hertz)) {
		found = find(frequencies, cpu);
		if (found)
			found->now = hertz;
	}
}

int frequencies_update(struct frequencies *frequencies)
{
	int error = online_cpus_update(frequencies->online);

	if (error || frequencies->tick == frequencies->env->tick)
		return error;
	frequencies->tick = frequencies->env->tick;
	follow_cpus(frequencies);
	if (!frequencies->by_cpuinfo)
		frequencies->by_cpuinfo = !read_cpufreq(frequencies);
	if (frequencies->by_cpuinfo)
		read_cpuinfo(frequencies);
	return 0;
}

double frequencies_hertz(struct frequencies *frequencies, uint64_t cpu)
{
	struct cpu_frequency *found;

	if (frequencies->n_cpus == 0 && frequencies_update(frequencies) < 0)
		return NAN;
	found = find(frequencies, cpu);
	if (!found)
		return NAN;
	if (frequencies->tick != frequencies->env->tick && frequencies->by_cpuinfo)
		read_cpuinfo(frequencies);
	else if (frequencies->tick != frequencies->env->tick)
		found->now = read_hertz(frequencies->env, &found->now_file);
	return found->now;
}
