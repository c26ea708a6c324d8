/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "frequency": frequencies of CPUs, from cpufreq or else /proc/cpuinfo, and of GPUs. */
#include <config.h>

#include "topic/cpu/frequency.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/system.h"
#include "model/statistics.h"
#include "topic/gpu/gpus.h"
#include "topic/topic.h"

#define LIMITS_EVERY 8

static int open_shared(void *state, const struct sample *sample)
{
	struct frequencies *frequencies = state;

	frequencies->env = sample->env;
	frequencies->tick = ENV_NEVER;
	return 0;
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

static void close_shared(void *state)
{
	struct frequencies *frequencies = state;

	forget_cpus(frequencies);
	free(frequencies->cpus);
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

	if (frequencies->seen == online->generation)
		return;
	frequencies->seen = online->generation;
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

/* Limits change only when a user changes them: each is read in every eighth sample. */
static bool limits_are_due(const struct frequencies *frequencies, size_t index)
{
	const struct cpu_frequency *cpu = &frequencies->cpus[index];

	if (isnan(cpu->most))
		return false; /* no driver, no limits */
	return isnan(cpu->low) || isnan(cpu->high) ||
	       index % LIMITS_EVERY == frequencies->tick % LIMITS_EVERY;
}

/* False: no CPU has cpufreq. */
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
	size_t at;

	VECTOR_BOUND(at, frequencies->n_cpus, frequencies->cpus[at].cpu < cpu);
	return at < frequencies->n_cpus && frequencies->cpus[at].cpu == cpu ? &frequencies->cpus[at] : NULL;
}

const struct cpu_frequency *frequency_find(const struct frequencies *frequencies, uint64_t cpu)
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

static int update(void *state, const struct sample *sample)
{
	struct frequencies *frequencies = state;

	frequencies->tick = sample->env->tick;
	follow_cpus(frequencies);
	if (!frequencies->by_cpuinfo)
		frequencies->by_cpuinfo = !read_cpufreq(frequencies);
	if (frequencies->by_cpuinfo)
		read_cpuinfo(frequencies);
	return 0;
}

const struct reader frequency_reader = {
	.name = "frequencies", .state_size = sizeof(struct frequencies),
	.reads = READINGS(READING(struct frequencies, online, &online_cpus_reader)), .open = open_shared,
	.update = update, .close = close_shared,
};

double frequency_hertz(struct frequencies *frequencies, const struct sample *sample, uint64_t cpu)
{
	struct cpu_frequency *found;

	if (frequencies->n_cpus == 0 && reader_update(&frequency_reader, sample) < 0)
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

#define NO_TURBO "sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST "sys/devices/system/cpu/cpufreq/boost"

struct frequency_row {
	const char *cpu;
	double hertz, min_hertz, max_hertz, least_hertz, base_hertz, most_hertz;
	const char *turbo;
};

#define SPEED(field, heading, place, what, from, ...)                                                        \
	ROW(field, A_GAUGE(HERTZ, heading, 8), .rank = place, .help = what, .source = from, __VA_ARGS__)

#define ROW(field, ...) COLUMN(struct frequency_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(cpu, A_KEY(N_("CPU"), 5), .help = N_("CPU number; all: geometric mean of all CPUs; cardN: a GPU"),
	    .source = "/proc/stat, /sys/class/drm"),
	SPEED(hertz, N_("now"), 0, N_("current frequency"),
	      "cpufreq/scaling_cur_freq, else /proc/cpuinfo cpu MHz; gt_act_freq_mhz, act_freq, freq1_input",
	      .optional = false),
	SPEED(min_hertz, N_("from"), 1, N_("lowest frequency allowed now"),
	      "cpufreq/scaling_min_freq; gt_min_freq_mhz, min_freq", .optional = true),
	SPEED(max_hertz, N_("to"), 1, N_("highest frequency allowed now"),
	      "cpufreq/scaling_max_freq; gt_max_freq_mhz, max_freq", .optional = true),
	SPEED(least_hertz, N_("least"), 2, N_("lowest frequency of the hardware"), "cpufreq/cpuinfo_min_freq",
	      .optional = true),
	SPEED(base_hertz, N_("base"), 2, N_("highest frequency without turbo"), "cpufreq/base_frequency",
	      .optional = true),
	SPEED(most_hertz, N_("most"), 2, N_("highest frequency of the hardware, with turbo"),
	      "cpufreq/cpuinfo_max_freq", .optional = true),
	ROW(turbo, A_LABEL(N_("turbo"), 7), .rank = 3, .words = true, .optional = true,
	    .help = N_("in the row all: allowed or off; in that of a CPU: used when it runs above its base"),
	    .source = "intel_pstate/no_turbo, cpufreq/boost; hertz > base_hertz"),
};

static const struct schema schema = {
	.name = "frequency", .is_public = true, .help = N_("frequencies of CPUs and GPUs"),
	SCHEMA_ROWS(struct frequency_row, columns),
};

struct state {
	struct frequencies *frequencies;
	struct gpus *gpus;
	struct attribute no_turbo, boost;
};

static const char *turbo_allowed(struct state *state, struct env *env)
{
	uint64_t flag;

	if (attribute_u64(&state->no_turbo, env, &flag) == 0)
		return flag ? N_("off") : N_("allowed");
	if (attribute_u64(&state->boost, env, &flag) == 0)
		return flag ? N_("allowed") : N_("off");
	return NULL;
}

static void add_cpu(const struct cpu_frequency *cpu, struct frame *frame, struct table *table)
{
	struct frequency_row *row = table_add(table);

	row->cpu = arena_print(&frame->arena, "%u", cpu->cpu);
	row->hertz = cpu->now;
	row->min_hertz = cpu->low;
	row->max_hertz = cpu->high;
	row->least_hertz = cpu->least;
	row->base_hertz = cpu->base;
	row->most_hertz = cpu->most;
	if (!isnan(cpu->base) && !isnan(cpu->now))
		row->turbo = cpu->now > cpu->base ? N_("used") : "";
}

static void add_all(struct state *state, struct env *env, struct table *table)
{
	const struct frequencies *frequencies = state->frequencies;
	struct frequency_row *row = table_add(table);
	struct statistics speeds = { 0 }, lows = { 0 }, highs = { 0 };

	for (size_t i = 0; i < frequencies->n_cpus; i++) {
		statistics_add(&speeds, frequencies->cpus[i].now, 1);
		statistics_add(&lows, frequencies->cpus[i].low, 1);
		statistics_add(&highs, frequencies->cpus[i].high, 1);
	}
	row->cpu = "all";
	row->hertz = statistics_geometric_mean(&speeds);
	row->min_hertz = statistics_minimum(&lows);
	row->max_hertz = statistics_maximum(&highs);
	row->turbo = turbo_allowed(state, env);
}

static void add_gpu(struct gpus *gpus, struct gpu *gpu, struct frame *frame, struct table *table)
{
	struct frequency_row *row = table_add(table);

	row->cpu = arena_copy(&frame->arena, gpu->card, strlen(gpu->card));
	row->hertz = gpu_read(gpus, gpu, GPU_FREQUENCY, gpu->hertz);
	row->min_hertz = gpu_read(gpus, gpu, GPU_FREQUENCY_LOW, gpu->hertz);
	row->max_hertz = gpu_read(gpus, gpu, GPU_FREQUENCY_HIGH, gpu->hertz);
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct state *state = sample->state;

	add_all(state, sample->env, table);
	for (size_t i = 0; i < state->frequencies->n_cpus; i++)
		add_cpu(&state->frequencies->cpus[i], sample->frame, table);
	for (size_t i = 0; i < state->gpus->count; i++)
		if (state->gpus->list[i].hertz > 0)
			add_gpu(state->gpus, &state->gpus->list[i], sample->frame, table);
	return 0;
}

static int open_frequency(struct sample *sample)
{
	struct state *state = sample->state;

	attribute_open(&state->no_turbo, NO_TURBO);
	attribute_open(&state->boost, BOOST);
	return 0;
}

static void close_frequency(struct sample *sample)
{
	struct state *state = sample->state;
	struct env *env = state->frequencies->env;

	attribute_close(&state->no_turbo, env);
	attribute_close(&state->boost, env);
}

const struct topic topic_frequency = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("list of online CPUs") },
		{ .path = CPUFREQ, .gives = N_("CPU frequencies"), .optional = true,
		  .remedies = { { ENOENT, N_("no driver (normal in a virtual machine)") } } },
		{ .path = NO_TURBO, .gives = N_("whether turbo is allowed (Intel)"), .optional = true,
		  .remedies = { { ENOENT, N_("not used here (another driver, or none)"), .unused = true } } },
		{ .path = BOOST, .gives = N_("whether turbo is allowed (AMD, others)"), .optional = true,
		  .remedies = { { ENOENT, N_("not used here (another driver, or none)"),
				  .unused = true } } }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, frequencies, &frequency_reader),
			  READING(struct state, gpus, &gpus_reader)),
	.open = open_frequency, .sample = sample, .close = close_frequency,
};
