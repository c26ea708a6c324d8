/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "throttle": how often and how long CPUs were throttled because of heat. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"
#include "topic/topic.h"

#define THROTTLE "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"

struct throttle_row {
	const char *cpu;
	double core_throttles_per_second, package_throttles_per_second;
	uint64_t core_throttles, package_throttles;
	double core_throttled_seconds, package_throttled_seconds;
};

#define COUNT(part, heading, what)                                                                           \
	COLUMN(struct throttle_row, part##_throttles, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,            \
	       .title = heading, .width = 8, .help = what,                                                   \
	       .source = "thermal_throttle/" #part "_throttle_count")
#define RATE(part, heading, what)                                                                            \
	COLUMN(struct throttle_row, part##_throttles_per_second, .kind = COLUMN_RATE,                        \
	       .unit = UNIT_PER_SECOND, .title = heading, .width = 7,                                        \
	       .rate_of = offsetof(struct throttle_row, part##_throttles), .help = what,                     \
	       .source = "growth of " #part "_throttles / time")
#define TIME(part, heading, what)                                                                            \
	COLUMN(struct throttle_row, part##_throttled_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,  \
	       .title = heading, .width = 9, .rank = 1, .help = what,                                        \
	       .source = "thermal_throttle/" #part "_throttle_total_time_ms")

static const struct column columns[] = {
	COLUMN(struct throttle_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 4,
	       .help = N_("CPU number"), .source = "/proc/stat"),
	RATE(core, N_("core/s"), N_("throttle events of its core per second")),
	RATE(package, N_("pkg/s"), N_("throttle events of its package per second")),
	COUNT(core, N_("core"), N_("throttle events of its core since boot")),
	COUNT(package, N_("package"), N_("throttle events of its package since boot")),
	TIME(core, N_("core for"), N_("time its core was throttled since boot")),
	TIME(package, N_("pkg for"), N_("time its package was throttled since boot")),
};

static const struct schema schema = {
	.name = "throttle", .is_public = true, .help = N_("thermal throttling of the CPUs"),
	.none = N_("only Intel processors count this, and no virtual machines"),
	SCHEMA_ROWS(struct throttle_row, columns),
};

#define ALL_EVERY 8 /* samples */

enum item { CORE_COUNT, PACKAGE_COUNT, CORE_TIME, PACKAGE_TIME, N_ITEMS };

struct throttle_cpu {
	uint32_t cpu;
	long package;  /* -1: not known */
	size_t leader; /* index of the first CPU of its package */
	bool hot;      /* its package counts changed in the last sample */
	struct attribute items[N_ITEMS];
	uint64_t values[N_ITEMS]; /* as read last; U64_UNKNOWN */
};

struct state {
	struct online_cpus *online;
	unsigned long seen; /* generation of online that cpus were made from */
	struct throttle_cpu *cpus;
	size_t n_cpus;
};

static void forget_cpus(struct state *state)
{
	for (size_t i = 0; i < state->n_cpus; i++)
		for (unsigned k = 0; k < N_ITEMS; k++)
			attribute_close(&state->cpus[i].items[k], state->online->env);
	free(state->cpus);
	state->cpus = NULL;
	state->n_cpus = 0;
}

static void find_leader(struct state *state, size_t index)
{
	struct throttle_cpu *cpu = &state->cpus[index];

	cpu->package = online_cpus_topology(state->online->env, cpu->cpu, "physical_package_id");
	cpu->leader = 0;
	while (cpu->leader < index &&
	       (cpu->package < 0 || state->cpus[cpu->leader].package != cpu->package))
		cpu->leader++;
}

static void open_cpus(struct state *state)
{
	static const char *const names[N_ITEMS] = { "core_throttle_count", "package_throttle_count",
						    "core_throttle_total_time_ms",
						    "package_throttle_total_time_ms" };

	forget_cpus(state);
	state->seen = state->online->generation;
	state->n_cpus = state->online->count;
	state->cpus = alloc_zeroed(state->n_cpus, sizeof(*state->cpus));
	for (size_t i = 0; i < state->n_cpus; i++) {
		state->cpus[i].cpu = state->online->list[i];
		for (unsigned k = 0; k < N_ITEMS; k++) {
			char path[128];

			snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/thermal_throttle/%s",
				 state->cpus[i].cpu, names[k]);
			attribute_open(&state->cpus[i].items[k], path);
			state->cpus[i].values[k] = U64_UNKNOWN;
		}
		find_leader(state, i);
	}
}

/*
 * The kernel counts a throttle event when it begins and adds its time when it ends. The time is read only
 * where the count is not 0, which is rare. False: nothing changed.
 */
static bool read_part(struct throttle_cpu *cpu, struct env *env, enum item count, enum item time)
{
	uint64_t count_before = cpu->values[count], time_before = cpu->values[time];

	cpu->values[count] = U64_UNKNOWN;
	attribute_u64(&cpu->items[count], env, &cpu->values[count]);
	if (cpu->values[count] == 0 && count_before == 0)
		return false;
	cpu->values[time] = U64_UNKNOWN;
	attribute_u64(&cpu->items[time], env, &cpu->values[time]);
	return cpu->values[count] == U64_UNKNOWN || cpu->values[count] != count_before ||
	       cpu->values[time] != time_before;
}

/*
 * All CPUs of a package count its throttling: the first is read in every sample, the others when it changed,
 * and each in every eighth sample.
 */
static void read_package(struct state *state, struct env *env, size_t index)
{
	struct throttle_cpu *cpu = &state->cpus[index];

	if (cpu->leader == index || state->cpus[cpu->leader].hot ||
	    cpu->values[PACKAGE_COUNT] == U64_UNKNOWN || index % ALL_EVERY == env->tick % ALL_EVERY)
		cpu->hot = read_part(cpu, env, PACKAGE_COUNT, PACKAGE_TIME);
}

static double seconds(uint64_t ms)
{
	return u64_number(ms) / 1e3;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct state *state = sample->state;

	if (state->seen != state->online->generation)
		open_cpus(state);
	if (!env_exists(env, THROTTLE))
		return 0;
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct throttle_cpu *cpu = &state->cpus[i];
		struct throttle_row *row = table_add(sample->table);

		read_part(cpu, env, CORE_COUNT, CORE_TIME);
		read_package(state, env, i);
		row->cpu = arena_print(&sample->frame->arena, "%u", cpu->cpu);
		row->core_throttles = cpu->values[CORE_COUNT];
		row->package_throttles = cpu->values[PACKAGE_COUNT];
		row->core_throttled_seconds = seconds(cpu->values[CORE_TIME]);
		row->package_throttled_seconds = seconds(cpu->values[PACKAGE_TIME]);
	}
	return 0;
}

static void close_throttle(struct sample *sample)
{
	struct state *state = sample->state;

	forget_cpus(state);
}

const struct topic topic_throttle = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("list of online CPUs") },
		{ .path = THROTTLE, .gives = N_("thermal throttling of the CPUs"), .optional = true,
		  .remedies = { { ENOENT, N_("not used here (only Intel processors, outside of virtual "
					     "machines)"), .unused = true } } }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, online, &online_cpus_reader)), .sample = sample,
	.close = close_throttle,
};
