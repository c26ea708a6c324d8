/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cpu": how each CPU spends its time, and its frequency. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/cpu/frequency.h"
#include "topic/cpu/proc_stat.h"
#include "topic/topic.h"

struct cpu_row {
	const char *cpu;
	double busy_ratio, user_ratio, nice_ratio, system_ratio, idle_ratio, iowait_ratio, irq_ratio,
		softirq_ratio;
	double steal_ratio, guest_ratio, frequency_hertz;
	double user_seconds, nice_seconds, system_seconds, idle_seconds, iowait_seconds, irq_seconds;
	double softirq_seconds, steal_seconds, guest_seconds, busy_seconds, total_seconds;
};

#define SHARE(name, heading, what, ...)                                                                     \
	COLUMN(struct cpu_row, name##_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = heading,     \
	       .width = 6, .rate_of = offsetof(struct cpu_row, name##_seconds),                             \
	       .rate_over = offsetof(struct cpu_row, total_seconds), .help = what,                          \
	       .source = "growth of " #name "_seconds / growth of total_seconds", __VA_ARGS__)

#define TIME(name, heading, what, from)                                                                      \
	COLUMN(struct cpu_row, name##_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,                 \
	       .title = heading, .width = 9, .hidden = true, .help = what, .source = from)

static const struct column columns[] = {
	COLUMN(struct cpu_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
	       .help = N_("CPU number; all: mean of all CPUs"), .source = "/proc/stat"),
	SHARE(busy, N_("%busy"), N_("everything but idle and waiting for a disk"), .hidden = true),
	SHARE(user, N_("%user"), N_("running programs, except niced ones and guests"), .rank = 0),
	SHARE(nice, N_("%nice"), N_("running niced programs"), .rank = 3),
	SHARE(system, N_("%sys"), N_("running the kernel on behalf of programs"), .rank = 0),
	SHARE(idle, N_("%idle"), N_("idle: nothing to run"), .rank = 1),
	SHARE(iowait, N_("%wait"),
	      N_("idle while a task that ran here waits for a disk: a hint, not a measurement"), .rank = 2),
	SHARE(irq, N_("%irq"), N_("serving interrupts"), .rank = 3),
	SHARE(softirq, N_("%soft"), N_("serving softirqs: network, timers, disks"), .rank = 2),
	SHARE(steal, N_("%steal"), N_("ready to run, but the host ran something else"), .rank = 2),
	SHARE(guest, N_("%guest"), N_("running virtual machines"), .rank = 4),
	COLUMN(struct cpu_row, frequency_hertz, .kind = COLUMN_GAUGE, .unit = UNIT_HERTZ, .title = N_("freq"),
	       .width = 8, .rank = 3, .help = N_("current frequency; all: mean of the online CPUs"),
	       .source = "cpufreq/scaling_cur_freq, else /proc/cpuinfo cpu MHz"),
	TIME(user, N_("user"), N_("running programs, since boot"), "/proc/stat user - guest"),
	TIME(nice, N_("nice"), N_("running niced programs, since boot"), "/proc/stat nice - guest_nice"),
	TIME(system, N_("system"), N_("running the kernel on behalf of programs, since boot"),
	     "/proc/stat system"),
	TIME(idle, N_("idle"), N_("idle since boot; decreases of the kernel's counter are ignored"),
	     "/proc/stat idle"),
	TIME(iowait, N_("iowait"),
	     N_("idle while a task waited for a disk, since boot; decreases of the kernel's counter are "
		"ignored"),
	     "/proc/stat iowait"),
	TIME(irq, N_("irq"), N_("serving interrupts, since boot"), "/proc/stat irq"),
	TIME(softirq, N_("softirq"), N_("serving softirqs, since boot"), "/proc/stat softirq"),
	TIME(steal, N_("steal"), N_("taken by the host since boot"), "/proc/stat steal"),
	TIME(guest, N_("guest"), N_("running virtual machines since boot, niced ones included"),
	     "/proc/stat guest + guest_nice"),
	TIME(busy, N_("busy"), N_("everything but idle and waiting for a disk, since boot"),
	     "total_seconds - idle_seconds - iowait_seconds"),
	TIME(total, N_("total"), N_("sum of all times of this CPU"), "sum of all times of this CPU"),
};

static const struct schema schema = {
	.name = "cpu", .is_public = true, .help = N_("how each CPU spends its time"), .sum_row = "all",
	SCHEMA_ROWS(struct cpu_row, columns),
};

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, N_PARTS };

/*
 * The kernel takes back a little of what it counted, mostly idle time: the highest value so far counts. What
 * goes back by more than a second was reset, as for a CPU that comes online again, and what grows by more
 * than the time since the last sample and a minute was read while it was written: both count on from there.
 */
#define LATE_SECONDS 60

struct cpu_state {
	uint64_t highest[N_PARTS]; /* since a reset */
	uint64_t sum[N_PARTS];     /* in the row */
	unsigned long update;      /* the last one with this CPU; 0: none */
};

struct state {
	struct cpu_state *cpus; /* all at index 0, CPU N at N + 1 */
	size_t n_cpus, capacity;
	unsigned long update;
	uint64_t mono_ns;            /* of the last sample; 0: there was none */
	uint64_t second, most_ticks; /* that a part can go back and grow */
	struct frequencies *frequencies;
};

static struct cpu_state *state_of(struct state *state, uint64_t cpu)
{
	size_t index = cpu == CPU_ALL ? 0 : (size_t)cpu + 1;

	if (index >= state->n_cpus) {
		VECTOR_RESERVE(state->cpus, index + 1, state->capacity);
		memset(state->cpus + state->n_cpus, 0, (index + 1 - state->n_cpus) * sizeof(*state->cpus));
		state->n_cpus = index + 1;
	}
	return &state->cpus[index];
}

/* The kernel counts guest time also as user and nice: it is subtracted there. */
static void split(const struct cpu_times *times, uint64_t parts[N_PARTS])
{
	uint64_t guest = times->guest, guest_nice = times->guest_nice == U64_UNKNOWN ? 0 : times->guest_nice;

	parts[USER] = guest <= times->user ? times->user - guest : times->user;
	parts[NICE] = guest_nice <= times->nice ? times->nice - guest_nice : times->nice;
	parts[SYSTEM] = times->system;
	parts[IDLE] = times->idle;
	parts[IOWAIT] = times->iowait;
	parts[IRQ] = times->irq;
	parts[SOFTIRQ] = times->softirq;
	parts[STEAL] = times->steal;
	parts[GUEST] = guest == U64_UNKNOWN ? U64_UNKNOWN : guest + guest_nice;
}

/* Without a previous sample. Its sum does not go back while it is offline. */
static void begin_part(struct cpu_state *cpu, unsigned part, uint64_t ticks)
{
	bool again = cpu->update > 0 && ticks != U64_UNKNOWN && cpu->sum[part] != U64_UNKNOWN;

	cpu->highest[part] = ticks;
	if (!again || cpu->sum[part] < ticks)
		cpu->sum[part] = ticks;
}

/* Its growth. */
static uint64_t follow_part(const struct state *state, struct cpu_state *cpu, unsigned part, uint64_t ticks)
{
	uint64_t grown = 0;

	if (ticks == U64_UNKNOWN || cpu->highest[part] == U64_UNKNOWN) {
		cpu->highest[part] = cpu->sum[part] = ticks;
	} else if (ticks >= cpu->highest[part] && ticks - cpu->highest[part] <= state->most_ticks) {
		grown = ticks - cpu->highest[part];
		cpu->highest[part] = ticks;
		cpu->sum[part] += grown;
	} else if (ticks >= cpu->highest[part] || cpu->highest[part] - ticks > state->second) {
		cpu->highest[part] = ticks;
	}
	return grown;
}

/* Adds its growth since the previous sample, if that had it, to grown. */
static void update_cpu(struct state *state, const struct cpu_times *times, uint64_t grown[N_PARTS])
{
	struct cpu_state *cpu = state_of(state, times->cpu);
	bool followed = cpu->update > 0 && cpu->update + 1 == state->update;
	uint64_t parts[N_PARTS];

	split(times, parts);
	for (unsigned i = 0; i < N_PARTS; i++)
		if (followed)
			grown[i] += follow_part(state, cpu, i, parts[i]);
		else
			begin_part(cpu, i, parts[i]);
	cpu->update = state->update;
}

/*
 * The row of all grows by the CPUs that are in both samples: the sum in the kernel goes back with a CPU that
 * goes offline, because its idle time is then counted in another way.
 */
static void update(struct state *state, const struct proc_stat *stat)
{
	uint64_t grown[N_PARTS] = { 0 };
	struct cpu_state *all;

	state->update++;
	for (size_t i = 0; i < stat->n_cpus; i++)
		update_cpu(state, &stat->cpus[i], grown);
	if (!stat->has_all)
		return;
	all = state_of(state, CPU_ALL);
	if (stat->n_cpus == 0 || all->update == 0 || all->update + 1 != state->update) {
		update_cpu(state, &stat->all, grown);
		return;
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		if (all->sum[i] != U64_UNKNOWN)
			all->sum[i] += grown[i];
	all->update = state->update;
}

static void set_limits(struct state *state, uint64_t mono_ns, uint64_t hz)
{
	uint64_t ns = state->mono_ns > 0 && mono_ns > state->mono_ns ? mono_ns - state->mono_ns : 0;

	state->second = hz;
	state->most_ticks = (ns / UINT64_C(1000000000) + LATE_SECONDS) * hz;
	state->mono_ns = mono_ns;
}

static uint64_t ticks(uint64_t part)
{
	return part == U64_UNKNOWN ? 0 : part;
}

static double seconds(uint64_t ticks, double per_second)
{
	return u64_number(ticks) / per_second;
}

/* Sums are of ticks: those of seconds would go back by rounding, as after a reset. */
static void set_times(struct cpu_row *row, const uint64_t sum[N_PARTS], double hz)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < N_PARTS; i++)
		total += ticks(sum[i]);
	row->user_seconds = seconds(sum[USER], hz);
	row->nice_seconds = seconds(sum[NICE], hz);
	row->system_seconds = seconds(sum[SYSTEM], hz);
	row->idle_seconds = seconds(sum[IDLE], hz);
	row->iowait_seconds = seconds(sum[IOWAIT], hz);
	row->irq_seconds = seconds(sum[IRQ], hz);
	row->softirq_seconds = seconds(sum[SOFTIRQ], hz);
	row->steal_seconds = seconds(sum[STEAL], hz);
	row->guest_seconds = seconds(sum[GUEST], hz);
	row->busy_seconds = seconds(total - ticks(sum[IDLE]) - ticks(sum[IOWAIT]), hz);
	row->total_seconds = seconds(total, hz);
}

/* Sets the frequency of the first row, "all", to the mean of those that are known. */
static void set_mean_speed(struct table *table)
{
	struct cpu_row *all = table_row(table, 0);
	double sum = 0;
	unsigned known = 0;

	for (size_t i = 1; i < table->n_rows; i++) {
		const struct cpu_row *row = table_row(table, i);

		if (isnan(row->frequency_hertz))
			continue;
		sum += row->frequency_hertz;
		known++;
	}
	if (known > 0)
		all->frequency_hertz = sum / known;
}

static void add_row(struct sample *sample, uint64_t number)
{
	struct state *state = sample->state;
	const struct cpu_frequency *frequency = frequency_find(state->frequencies, number);
	struct cpu_row *row = table_add(sample->table);

	row->cpu = number == CPU_ALL ? "all" : arena_print(&sample->frame->arena, "%u", (unsigned)number);
	set_times(row, state_of(state, number)->sum, (double)sample->env->ticks_per_second);
	if (frequency)
		row->frequency_hertz = frequency->now;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	const struct proc_stat *stat;
	int error = proc_stat_read(sample->env, &stat);

	if (error)
		return error;
	set_limits(state, sample->table->mono_ns, sample->env->ticks_per_second);
	update(state, stat);
	if (stat->has_all)
		add_row(sample, CPU_ALL);
	for (size_t i = 0; i < stat->n_cpus; i++)
		add_row(sample, stat->cpus[i].cpu);
	if (sample->table->n_rows == 0)
		return -ENODATA;
	if (stat->has_all)
		set_mean_speed(sample->table);
	return 0;
}

static void close_cpu(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->cpus);
}

const struct topic topic_cpu = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/stat", .gives = N_("times of each CPU") },
		{ .path = CPUFREQ, .gives = N_("CPU frequencies"), .optional = true,
		  .remedies = { { ENOENT, N_("no driver (normal in a virtual machine)") } } },
		{ .path = "proc/cpuinfo", .gives = N_("CPU frequencies where there is no cpufreq"),
		  .optional = true }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, frequencies, &frequency_reader)), .sample = sample,
	.close = close_cpu,
};
