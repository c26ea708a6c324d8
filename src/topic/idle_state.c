/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "idle_state": how deep each CPU sleeps when it has nothing to do. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/attribute.h"
#include "core/i18n.h"
#include "topic/frequencies.h"
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
	COLUMN(struct idle_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 4,
	       .help = N_("number of the processor; all: the mean of all, of entries the sum"),
	       .source = "/proc/stat"),
	COLUMN(struct idle_row, state, .kind = COLUMN_KEY, .title = N_("state"), .width = 8,
	       .help = N_("as the driver calls it; later ones of a CPU are deeper and save more"),
	       .source = "cpuidle/stateN/name"),
	COLUMN(struct idle_row, residency_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO,
	       .title = N_("time%"), .width = 6, .rate_of = offsetof(struct idle_row, residency_seconds),
	       .help = N_(
		       "share of the time in this state; the kernel counts a sleep when it ends, so that a "
		       "long one shows nothing first and then more than 100"),
	       .source = "growth of residency_seconds / time"),
	COLUMN(struct idle_row, entries_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("entries/s"), .width = 9, .rate_of = offsetof(struct idle_row, entries),
	       .help = N_("how often it was entered"), .source = "growth of entries / time"),
	COLUMN(struct idle_row, entries, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("entries"),
	       .width = 12, .rank = 2, .help = N_("since boot"), .source = "cpuidle/stateN/usage"),
	COLUMN(struct idle_row, residency_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,
	       .title = N_("time"), .width = 10, .rank = 1, .help = N_("in this state since boot"),
	       .source = "cpuidle/stateN/time"),
};

static const struct schema schema = {
	.name = "idle_state",
	.help = N_("idle states of the CPUs: share of time, and how often they are entered"),
	.row_size = sizeof(struct idle_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/stat", .gives = N_("which CPUs there are") },
	{ .path = NAME_FILE,
	  .gives = N_("idle states of the CPUs"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("no driver for it here, as on many virtual machines") } } },
	{ 0 },
};

struct idle_state {
	char name[NAME_MAX_BYTES];
	size_t kind; /* index of the name among those of all CPUs */
	struct attribute time, usage;
	uint64_t entries, time_us; /* as read last; U64_UNKNOWN */
};

struct idle_cpu {
	uint32_t cpu;
	unsigned n_states;
	struct idle_state states[STATES_MAX];
};

struct state {
	struct frequencies *frequencies; /* for the list of CPUs */
	struct idle_cpu *cpus;
	size_t n_cpus;
	const char **kinds; /* their names, those of the first CPU first; of cpus */
	size_t n_kinds;
};

static void forget_cpus(struct state *state)
{
	for (size_t i = 0; i < state->n_cpus; i++) {
		for (unsigned s = 0; s < state->cpus[i].n_states; s++) {
			attribute_close(&state->cpus[i].states[s].time, state->frequencies->env);
			attribute_close(&state->cpus[i].states[s].usage, state->frequencies->env);
		}
	}
	free(state->cpus);
	free(state->kinds);
	state->cpus = NULL;
	state->kinds = NULL;
	state->n_cpus = state->n_kinds = 0;
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

static bool same_cpus(const struct state *state)
{
	const struct frequencies *frequencies = state->frequencies;

	if (state->n_cpus != frequencies->n_cpus)
		return false;
	for (size_t i = 0; i < state->n_cpus; i++)
		if (state->cpus[i].cpu != frequencies->cpus[i].cpu)
			return false;
	return true;
}

/* On hybrid machines not all CPUs have the same states. */
static size_t kind_of(struct state *state, const char *name)
{
	for (size_t i = 0; i < state->n_kinds; i++)
		if (strcmp(state->kinds[i], name) == 0)
			return i;
	state->kinds = alloc_resize(state->kinds, state->n_kinds + 1, sizeof(*state->kinds));
	state->kinds[state->n_kinds] = name;
	return state->n_kinds++;
}

static void follow_cpus(struct state *state, struct env *env)
{
	if (same_cpus(state))
		return;
	forget_cpus(state);
	state->n_cpus = state->frequencies->n_cpus;
	state->cpus = alloc_zeroed(state->n_cpus, sizeof(*state->cpus));
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct idle_cpu *cpu = &state->cpus[i];

		cpu->cpu = state->frequencies->cpus[i].cpu;
		while (cpu->n_states < STATES_MAX &&
		       open_state(env, cpu, cpu->n_states, &cpu->states[cpu->n_states]))
			cpu->n_states++;
		for (unsigned s = 0; s < cpu->n_states; s++)
			cpu->states[s].kind = kind_of(state, cpu->states[s].name);
	}
}

/* The kernel counts time and entry together, when the sleep ends: where no entry is new, no time is. */
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

/* The first rows are the sums by kind; a sum lacks nothing that some CPU does not tell. */
static void add_row(struct table *table, const char *cpu, const struct idle_state *state, size_t n_cpus)
{
	struct idle_row *row = table_add(table), *sum = table_row(table, state->kind);

	row->cpu = cpu;
	row->state = sum->state;
	row->entries = state->entries;
	if (state->time_us != U64_UNKNOWN)
		row->residency_seconds = (double)state->time_us / 1e6;
	sum->residency_seconds += row->residency_seconds / (double)n_cpus;
	sum->entries = u64_sum(sum->entries, row->entries);
}

static void add_sums(const struct state *state, struct frame *frame, struct table *table)
{
	for (size_t i = 0; i < state->n_kinds; i++) {
		struct idle_row *row = table_add(table);

		row->cpu = "all";
		row->state = arena_copy(&frame->arena, state->kinds[i], strlen(state->kinds[i]));
		row->residency_seconds = 0;
		row->entries = 0;
	}
}

static int sample(struct sampler *sampler, struct env *env, struct frame *frame, struct table *table)
{
	struct state *state = sampler->state;
	int error = frequencies_update(state->frequencies);

	if (error)
		return error;
	follow_cpus(state, env);
	add_sums(state, frame, table);
	for (size_t i = 0; i < state->n_cpus; i++) {
		struct idle_cpu *cpu = &state->cpus[i];
		const char *name = arena_print(&frame->arena, "%u", cpu->cpu);

		for (unsigned s = 0; s < cpu->n_states; s++) {
			read_state(env, &cpu->states[s]);
			add_row(table, name, &cpu->states[s], state->n_cpus);
		}
	}
	return 0;
}

static int open_idle(struct sampler *sampler, struct env *env, const struct settings *settings)
{
	struct state *state = alloc_zeroed(1, sizeof(*state));

	(void)settings;
	state->frequencies = frequencies_open(env);
	sampler->state = state;
	return 0;
}

static void close_idle(struct sampler *sampler)
{
	struct state *state = sampler->state;

	forget_cpus(state);
	frequencies_close(state->frequencies);
	free(state);
}

const struct topic topic_idle_state = {
	.schema = &schema,
	.sources = sources,
	.open = open_idle,
	.sample = sample,
	.close = close_idle,
};
