/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "idle_state" and "throttle": time of CPUs in each idle state, and throttled because of heat. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"
#include "topic/topic.h"

#define NAME_FILE "sys/devices/system/cpu/cpu0/cpuidle/state0/name"
#define STATES_MAX 16 /* the kernel allows 10 */
#define NAME_MAX_BYTES 32

struct idle_row {
	const char *cpu, *state;
	double residency_ratio, entries_per_second;
	uint64_t entries;
	double residency_seconds;
};

static const struct column columns[] = {
	COLUMN(struct idle_row, cpu, A_KEY(N_("CPU"), 4),
	       .help = N_("CPU number; all: mean time and summed entries of all CPUs"),
	       .source = "/proc/stat"),
	COLUMN(struct idle_row, state, A_KEY(N_("state"), 8),
	       .help = N_("name in the driver; later states of a CPU are deeper and save more power"),
	       .source = "cpuidle/stateN/name"),
	COLUMN(struct idle_row, residency_ratio, A_RATE(RATIO, N_("%time"), 6),
	       .rate_of = offsetof(struct idle_row, residency_seconds),
	       .help = N_("share of time in this state; the kernel counts a sleep when it ends, so a long "
			  "one shows as 0 first and then as more than 100"),
	       .source = "growth of residency_seconds / time"),
	COLUMN(struct idle_row, entries_per_second, A_RATE(PER_SECOND, N_("entries/s"), 9),
	       .rate_of = offsetof(struct idle_row, entries), .help = N_("entries per second"),
	       .source = "growth of entries / time"),
	COLUMN(struct idle_row, entries, A_COUNTER(COUNT, N_("entries"), 12), .rank = 2,
	       .help = N_("since boot"), .source = "cpuidle/stateN/usage"),
	COLUMN(struct idle_row, residency_seconds, A_COUNTER(SECONDS, N_("time"), 10), .rank = 1,
	       .help = N_("time in this state since boot"), .source = "cpuidle/stateN/time"),
};

static const struct schema schema = {
	.name = "idle_state", .is_public = true, .help = N_("idle states of the CPUs: time and entries"),
	.none = N_("no driver (normal in a virtual machine)"), .sum_row = "all",
	SCHEMA_ROWS(struct idle_row, columns),
};

struct idle_state {
	char name[NAME_MAX_BYTES];
	size_t kind; /* index in kinds */
	struct attribute time, usage;
	uint64_t entries, time_us;                 /* as read last; U64_UNKNOWN */
	uint64_t counted_entries, counted_time_us; /* in the sums so far; U64_UNKNOWN: nothing yet */
};

struct idle_cpu {
	uint32_t cpu;
	bool came; /* since the last sample */
	unsigned n_states;
	struct idle_state states[STATES_MAX];
};

/*
 * An idle state summed over CPUs. The sums start with the counts of the CPUs online at first and then add
 * growth, so that CPUs that come and go do not change them.
 */
struct idle_kind {
	char name[NAME_MAX_BYTES];
	uint64_t entries;
	double mean_us;
	bool present, compared;           /* some CPU has it in this sample, and had it in the last one */
	bool entries_unknown, us_unknown; /* not known for some CPU now */
	const char *text;                 /* name in the arena of the frame */
};

struct state {
	struct online_cpus *online;
	unsigned long seen; /* generation of online that cpus were made from */
	struct idle_cpu *cpus;
	size_t n_cpus;
	struct idle_kind *kinds; /* first those of the first CPU */
	size_t n_kinds, kinds_capacity;
};

static void close_cpus(struct idle_cpu *cpus, size_t n_cpus, struct env *env)
{
	for (size_t i = 0; i < n_cpus; i++) {
		for (unsigned s = 0; s < cpus[i].n_states; s++) {
			attribute_close(&cpus[i].states[s].time, env);
			attribute_close(&cpus[i].states[s].usage, env);
		}
	}
	free(cpus);
}

static bool open_state(struct env *env, const struct idle_cpu *cpu, unsigned number, struct idle_state *state)
{
	char path[128], name[ATTRIBUTE_TEXT_MAX];
	int length = snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpuidle/state%u/", cpu->cpu,
			      number);

	strcpy(path + length, "name");
	if (attribute_once(env, path, name, sizeof(name)) <= 0)
		return false;
	*state = (struct idle_state){ .entries = U64_UNKNOWN, .time_us = U64_UNKNOWN };
	snprintf(state->name, sizeof(state->name), "%.31s", name);
	for (unsigned i = 0; i < number; i++)
		if (strcmp(cpu->states[i].name, state->name) == 0) /* keys must differ */
			snprintf(state->name, sizeof(state->name), "%.20s#%u", name, number);
	strcpy(path + length, "time");
	attribute_open(&state->time, path);
	strcpy(path + length, "usage");
	attribute_open(&state->usage, path);
	return true;
}

/* On hybrid machines not all CPUs have the same states. */
static size_t kind_of(struct state *state, const char *name)
{
	struct idle_kind *kind;

	for (size_t i = 0; i < state->n_kinds; i++)
		if (strcmp(state->kinds[i].name, name) == 0)
			return i;
	kind = VECTOR_ADD(state->kinds, state->n_kinds, state->kinds_capacity);
	*kind = (struct idle_kind){ 0 };
	strcpy(kind->name, name);
	return state->n_kinds - 1;
}

static void open_cpu(struct state *state, struct idle_cpu *cpu, uint32_t number, bool came)
{
	struct env *env = state->online->env;

	cpu->cpu = number;
	cpu->came = came;
	while (cpu->n_states < STATES_MAX &&
	       open_state(env, cpu, cpu->n_states, &cpu->states[cpu->n_states])) {
		struct idle_state *idle = &cpu->states[cpu->n_states++];

		idle->kind = kind_of(state, idle->name);
		idle->counted_entries = idle->counted_time_us = came ? U64_UNKNOWN : 0;
	}
}

static struct idle_cpu *find_cpu(struct idle_cpu *cpus, size_t n_cpus, uint32_t number)
{
	for (size_t i = 0; i < n_cpus; i++)
		if (cpus[i].cpu == number)
			return &cpus[i];
	return NULL;
}

static void follow_cpus(struct state *state)
{
	const struct online_cpus *online = state->online;
	struct idle_cpu *before = state->cpus;
	size_t n_before = state->n_cpus;
	bool began = state->n_kinds > 0;

	if (state->seen == online->generation)
		return;
	state->seen = online->generation;
	state->n_cpus = online->count;
	state->cpus = alloc_zeroed(state->n_cpus, sizeof(*state->cpus));
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct idle_cpu *stays = find_cpu(before, n_before, online->list[i]);

		if (stays) {
			state->cpus[i] = *stays;
			stays->n_states = 0;
		} else {
			open_cpu(state, &state->cpus[i], online->list[i], began);
		}
	}
	close_cpus(before, n_before, online->env);
}

/* The kernel counts the time and the entry when the sleep ends: without a new entry there is no new time. */
static void read_state(struct env *env, struct idle_state *state)
{
	uint64_t entries = U64_UNKNOWN;

	attribute_u64(&state->usage, env, &entries);
	if (entries == U64_UNKNOWN || entries != state->entries) {
		state->time_us = U64_UNKNOWN;
		attribute_u64(&state->time, env, &state->time_us);
	}
	state->entries = entries;
}

/* Growth since the last call; U64_UNKNOWN: not known now, or reset. */
static uint64_t growth(uint64_t *counted, uint64_t now)
{
	uint64_t before = *counted;

	if (now == U64_UNKNOWN)
		return U64_UNKNOWN;
	*counted = now;
	return before == U64_UNKNOWN ? 0 : u64_less(now, before);
}

static void add_growth(struct idle_kind *kind, struct idle_state *state, size_t n_compared)
{
	uint64_t entries = growth(&state->counted_entries, state->entries);
	uint64_t time_us = growth(&state->counted_time_us, state->time_us);

	kind->entries_unknown |= entries == U64_UNKNOWN;
	kind->us_unknown |= time_us == U64_UNKNOWN;
	if (entries != U64_UNKNOWN)
		kind->entries = u64_sum(kind->entries, entries);
	if (time_us != U64_UNKNOWN && n_compared > 0)
		kind->mean_us += (double)time_us / (double)n_compared;
}

static void read_all(struct state *state)
{
	size_t n_compared = 0;

	for (size_t i = 0; i < state->n_kinds; i++) {
		struct idle_kind *kind = &state->kinds[i];

		kind->present = kind->compared = kind->entries_unknown = kind->us_unknown = false;
	}
	for (size_t i = 0; i < state->n_cpus; i++)
		n_compared += !state->cpus[i].came;
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct idle_cpu *cpu = &state->cpus[i];

		for (unsigned s = 0; s < cpu->n_states; s++) {
			struct idle_kind *kind = &state->kinds[cpu->states[s].kind];

			read_state(state->online->env, &cpu->states[s]);
			add_growth(kind, &cpu->states[s], n_compared);
			kind->present = true;
			kind->compared |= !cpu->came;
		}
		cpu->came = false;
	}
}

static void add_row(struct table *table, const char *cpu, const char *state, uint64_t entries, double time_us)
{
	struct idle_row *row = table_add(table);

	row->cpu = cpu;
	row->state = state;
	row->entries = entries;
	row->residency_seconds = time_us / 1e6;
}

static void add_sums(struct state *state, struct frame *frame, struct table *table)
{
	for (size_t i = 0; i < state->n_kinds; i++) {
		struct idle_kind *kind = &state->kinds[i];

		if (!kind->present)
			continue;
		kind->text = arena_copy(&frame->arena, kind->name, strlen(kind->name));
		add_row(table, "all", kind->text,
			kind->compared && !kind->entries_unknown ? kind->entries : U64_UNKNOWN,
			kind->compared && !kind->us_unknown ? kind->mean_us : NAN);
	}
}

static void add_cpus(const struct state *state, struct frame *frame, struct table *table)
{
	for (size_t i = 0; i < state->n_cpus; i++) {
		const struct idle_cpu *cpu = &state->cpus[i];
		const char *name = arena_print(&frame->arena, "%u", cpu->cpu);

		for (unsigned s = 0; s < cpu->n_states; s++) {
			const struct idle_state *idle = &cpu->states[s];

			add_row(table, name, state->kinds[idle->kind].text, idle->entries,
				u64_number(idle->time_us));
		}
	}
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;

	follow_cpus(state);
	read_all(state);
	add_sums(state, sample->frame, sample->table);
	add_cpus(state, sample->frame, sample->table);
	return 0;
}

static void close_idle(struct sample *sample)
{
	struct state *state = sample->state;

	close_cpus(state->cpus, state->n_cpus, state->online->env);
	free(state->kinds);
}

const struct topic topic_idle_state = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("list of online CPUs") },
		{ .path = NAME_FILE, .gives = N_("idle states of the CPUs"), .optional = true,
		  .remedies = { { ENOENT, N_("no driver (normal in a virtual machine)") } } }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, online, &online_cpus_reader)), .sample = sample,
	.close = close_idle,
};

/* Topic "throttle": how often and how long CPUs were throttled because of heat. */

#define THROTTLE "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"

struct throttle_row {
	const char *cpu;
	double core_throttles_per_second, package_throttles_per_second;
	uint64_t core_throttles, package_throttles;
	double core_throttled_seconds, package_throttled_seconds;
};

#define COUNT(part, heading, what)                                                                           \
	COLUMN(struct throttle_row, part##_throttles, A_COUNTER(COUNT, heading, 8), .help = what,            \
	       .source = "thermal_throttle/" #part "_throttle_count")
#define RATE(part, heading, what)                                                                            \
	COLUMN(struct throttle_row, part##_throttles_per_second, A_RATE(PER_SECOND, heading, 7),             \
	       .rate_of = offsetof(struct throttle_row, part##_throttles), .help = what,                     \
	       .source = "growth of " #part "_throttles / time")
#define TIME(part, heading, what)                                                                            \
	COLUMN(struct throttle_row, part##_throttled_seconds, A_COUNTER(SECONDS, heading, 9), .rank = 1,     \
	       .help = what, .source = "thermal_throttle/" #part "_throttle_total_time_ms")

static const struct column throttle_columns[] = {
	COLUMN(struct throttle_row, cpu, A_KEY(N_("CPU"), 4), .help = N_("CPU number"),
	       .source = "/proc/stat"),
	RATE(core, N_("core/s"), N_("throttle events of its core per second")),
	RATE(package, N_("pkg/s"), N_("throttle events of its package per second")),
	COUNT(core, N_("core"), N_("throttle events of its core since boot")),
	COUNT(package, N_("package"), N_("throttle events of its package since boot")),
	TIME(core, N_("core for"), N_("time its core was throttled since boot")),
	TIME(package, N_("pkg for"), N_("time its package was throttled since boot")),
};

static const struct schema throttle_schema = {
	.name = "throttle", .is_public = true, .help = N_("thermal throttling of the CPUs"),
	.none = N_("only Intel processors count this, and no virtual machines"),
	SCHEMA_ROWS(struct throttle_row, throttle_columns),
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

struct throttle_state {
	struct online_cpus *online;
	unsigned long seen; /* generation of online that cpus were made from */
	struct throttle_cpu *cpus;
	size_t n_cpus;
};

static void forget_cpus(struct throttle_state *state)
{
	for (size_t i = 0; i < state->n_cpus; i++)
		for (unsigned k = 0; k < N_ITEMS; k++)
			attribute_close(&state->cpus[i].items[k], state->online->env);
	free(state->cpus);
	state->cpus = NULL;
	state->n_cpus = 0;
}

static void open_cpus(struct throttle_state *state)
{
	static const char *const names[N_ITEMS] = { "core_throttle_count", "package_throttle_count",
						    "core_throttle_total_time_ms",
						    "package_throttle_total_time_ms" };

	forget_cpus(state);
	state->seen = state->online->generation;
	state->n_cpus = state->online->count;
	state->cpus = alloc_zeroed(state->n_cpus, sizeof(*state->cpus));
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct throttle_cpu *cpu = &state->cpus[i];

		cpu->cpu = state->online->list[i];
		for (unsigned k = 0; k < N_ITEMS; k++) {
			char path[128];

			snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/thermal_throttle/%s",
				 cpu->cpu, names[k]);
			attribute_open(&cpu->items[k], path);
			cpu->values[k] = U64_UNKNOWN;
		}
		cpu->package = online_cpus_topology(state->online->env, cpu->cpu, "physical_package_id");
		while (cpu->leader < i &&
		       (cpu->package < 0 || state->cpus[cpu->leader].package != cpu->package))
			cpu->leader++;
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
static void read_package(struct throttle_state *state, struct env *env, size_t index)
{
	struct throttle_cpu *cpu = &state->cpus[index];

	if (cpu->leader == index || state->cpus[cpu->leader].hot ||
	    cpu->values[PACKAGE_COUNT] == U64_UNKNOWN || index % ALL_EVERY == env->tick % ALL_EVERY)
		cpu->hot = read_part(cpu, env, PACKAGE_COUNT, PACKAGE_TIME);
}

static int sample_throttle(struct sample *sample)
{
	struct env *env = sample->env;
	struct throttle_state *state = sample->state;

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
		row->core_throttled_seconds = u64_number(cpu->values[CORE_TIME]) / 1e3;
		row->package_throttled_seconds = u64_number(cpu->values[PACKAGE_TIME]) / 1e3;
	}
	return 0;
}

static void close_throttle(struct sample *sample)
{
	struct throttle_state *state = sample->state;

	forget_cpus(state);
}

const struct topic topic_throttle = {
	.schema = &throttle_schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("list of online CPUs") },
		{ .path = THROTTLE, .gives = N_("thermal throttling of the CPUs"), .optional = true,
		  .remedies = { { ENOENT, N_("not used here (only Intel processors, outside of virtual "
					     "machines)"), .unused = true } } }),
	.state_size = sizeof(struct throttle_state),
	.reads = READINGS(READING(struct throttle_state, online, &online_cpus_reader)),
	.sample = sample_throttle, .close = close_throttle,
};
