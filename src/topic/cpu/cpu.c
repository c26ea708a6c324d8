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
	double user_ratio, nice_ratio, system_ratio, idle_ratio, iowait_ratio, irq_ratio, softirq_ratio;
	double steal_ratio, guest_ratio, frequency_hertz;
	double user_seconds, nice_seconds, system_seconds, idle_seconds, iowait_seconds, irq_seconds;
	double softirq_seconds, steal_seconds, guest_seconds, total_seconds;
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
	SHARE(user, N_("user%"), N_("running programs, except niced ones and guests"),
	      .rank = 0),
	SHARE(nice, N_("nice%"), N_("running niced programs"), .rank = 3),
	SHARE(system, N_("sys%"), N_("running the kernel on behalf of programs"), .rank = 0),
	SHARE(idle, N_("idle%"), N_("idle: nothing to run"), .rank = 1),
	SHARE(iowait, N_("wait%"),
	      N_("idle while a task that ran here waits for a disk: a hint, not a measurement"), .rank = 2),
	SHARE(irq, N_("irq%"), N_("serving interrupts"), .rank = 3),
	SHARE(softirq, N_("soft%"), N_("serving softirqs: network, timers, disks"), .rank = 2),
	SHARE(steal, N_("steal"), N_("ready to run, but the host ran something else"),
	      .rank = 2),
	SHARE(guest, N_("guest"), N_("running virtual machines"), .rank = 4),
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
	TIME(total, N_("total"), N_("sum of all times of this CPU"), "sum of all times of this CPU"),
};

static const struct schema schema = {
	.name = "cpu",
	.help = N_("how each CPU spends its time"),
	.row_size = sizeof(struct cpu_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/stat", .gives = N_("times of each CPU") },
	{ .path = CPUFREQ,
	  .gives = N_("CPU frequencies"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("no driver (normal in a virtual machine)") } } },
	{ .path = "proc/cpuinfo",
	  .gives = N_("CPU frequencies where there is no cpufreq"),
	  .optional = true },
	{ 0 },
};

/* The kernel's counters of idle and iowait may go backwards: the highest value so far counts. */
struct cpu_state {
	uint64_t idle, iowait;
};

struct state {
	struct cpu_state *cpus; /* all at index 0, CPU N at N + 1 */
	size_t n_cpus, capacity;
	struct frequencies *frequencies;
};

static uint64_t keep_greatest(uint64_t *greatest, uint64_t ticks)
{
	if (ticks != U64_UNKNOWN && ticks > *greatest)
		*greatest = ticks;
	return ticks == U64_UNKNOWN ? ticks : *greatest;
}

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

static double seconds(uint64_t ticks, double per_second)
{
	return ticks == U64_UNKNOWN ? NAN : (double)ticks / per_second;
}

/* The kernel counts guest time also as user and nice: it is subtracted there. */
static void set_times(struct cpu_row *row, const struct cpu_times *times, double hz)
{
	const double parts[] = { seconds(times->user, hz),    seconds(times->nice, hz),
				 seconds(times->system, hz),  seconds(times->idle, hz),
				 seconds(times->iowait, hz),  seconds(times->irq, hz),
				 seconds(times->softirq, hz), seconds(times->steal, hz) };
	uint64_t guest = times->guest, guest_nice = times->guest_nice == U64_UNKNOWN ? 0 : times->guest_nice;

	row->user_seconds = guest <= times->user ? seconds(times->user - guest, hz) : parts[0];
	row->nice_seconds = guest_nice <= times->nice ? seconds(times->nice - guest_nice, hz) : parts[1];
	row->system_seconds = parts[2];
	row->idle_seconds = parts[3];
	row->iowait_seconds = parts[4];
	row->irq_seconds = parts[5];
	row->softirq_seconds = parts[6];
	row->steal_seconds = parts[7];
	row->guest_seconds = guest == U64_UNKNOWN ? NAN : seconds(guest + guest_nice, hz);
	row->total_seconds = 0;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		row->total_seconds += isnan(parts[i]) ? 0 : parts[i];
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

static void add_row(struct sample *sample, const struct cpu_times *parsed)
{
	struct state *state = sample->state;
	const struct cpu_frequency *frequency = frequency_find(state->frequencies, parsed->cpu);
	struct cpu_state *cpu = state_of(state, parsed->cpu);
	struct cpu_row *row = table_add(sample->table);
	struct cpu_times times = *parsed;

	times.idle = keep_greatest(&cpu->idle, times.idle);
	times.iowait = keep_greatest(&cpu->iowait, times.iowait);
	row->cpu = times.cpu == CPU_ALL ? "all"
					: arena_print(&sample->frame->arena, "%u", (unsigned)times.cpu);
	set_times(row, &times, (double)sample->env->ticks_per_second);
	if (frequency)
		row->frequency_hertz = frequency->now;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	const struct proc_stat *stat;
	int error = frequency_update(state->frequencies);

	if (!error)
		error = proc_stat_read(sample->env, &stat);
	if (error)
		return error;
	if (stat->has_all)
		add_row(sample, &stat->all);
	for (size_t i = 0; i < stat->n_cpus; i++)
		add_row(sample, &stat->cpus[i]);
	if (sample->table->n_rows == 0)
		return -ENODATA;
	set_mean_speed(sample->table);
	return 0;
}

static int open_cpu(struct sample *sample)
{
	struct state *state = sample->state;

	state->frequencies = frequency_open(sample->env);
	return 0;
}

static void close_cpu(struct sample *sample)
{
	struct state *state = sample->state;

	frequency_close(state->frequencies);
	free(state->cpus);
}

const struct topic topic_cpu = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.open = open_cpu,
	.sample = sample,
	.close = close_cpu,
};
