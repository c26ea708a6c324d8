/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "latency_worst": the longest latencies, and what the machine did then. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "topic/latency/cpu_context.h"
#include "topic/latency/latency_run.h"

struct worst_row {
	const char *woken_time, *clock, *cpu, *task, *interrupts, *softirqs;
	double latency_seconds, task_ratio, frequency_hertz, forks_per_second, context_switches_per_second;
	uint64_t n_interrupts, n_softirqs, throttles;
};

#define WORST_COLUMN(field, ...) COLUMN(struct worst_row, field, __VA_ARGS__)

static const struct column columns[] = {
	WORST_COLUMN(latency_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("delay"),
		     .width = 8, .help = N_("latency of the wake-up"),
		     .source = "CLOCK_MONOTONIC when woken - when planned"),
	WORST_COLUMN(clock, .kind = COLUMN_LABEL, .title = N_("woke at"), .width = 12,
		     .help = N_("wake-up time, local"), .source = "as woken_time"),
	WORST_COLUMN(woken_time, .kind = COLUMN_KEY, .fleeting = true, .title = N_("time"), .width = 30,
		     .hidden = true, .help = N_("wake-up time in UTC"),
		     .source = "CLOCK_MONOTONIC and CLOCK_REALTIME"),
	WORST_COLUMN(cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
		     .help = N_("CPU that was measured"), .source = "sched_setaffinity(2)"),
	WORST_COLUMN(
		task, .kind = COLUMN_LABEL, .title = N_("busiest task then"), .width = 17,
		.of_interval = true,
		.help = N_(
			"process that used most of this CPU in the interval between two samples, not who ran "
			"at that moment; an estimate, as only the last CPU of each process is known"),
		.source = "CPU clocks, and processor of /proc/PID/stat"),
	WORST_COLUMN(task_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%CPU"), .width = 5,
		     .rank = 2, .of_interval = true,
		     .help = N_("CPU use of this process in the interval; 100 is one CPU"),
		     .source = "growth of its CPU clock / time"),
	WORST_COLUMN(n_interrupts, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("irqs"), .width = 6,
		     .rank = 1, .of_interval = true, .help = N_("interrupts of this CPU in the interval"),
		     .source = "/proc/interrupts"),
	WORST_COLUMN(interrupts, .kind = COLUMN_LABEL, .title = N_("interrupts"), .width = 20, .rank = 1,
		     .of_interval = true, .help = N_("the most frequent ones"), .source = "/proc/interrupts"),
	WORST_COLUMN(n_softirqs, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("softirqs"),
		     .width = 8, .rank = 3, .of_interval = true,
		     .help = N_("soft interrupts of this CPU in the interval"), .source = "/proc/softirqs"),
	WORST_COLUMN(softirqs, .kind = COLUMN_LABEL, .title = N_("soft interrupts"), .width = 20, .rank = 3,
		     .of_interval = true, .help = N_("the most frequent ones"), .source = "/proc/softirqs"),
	WORST_COLUMN(frequency_hertz, .kind = COLUMN_GAUGE, .unit = UNIT_HERTZ, .title = N_("clock"),
		     .width = 7, .rank = 2, .of_interval = true,
		     .help = N_("frequency of this CPU at the end of the interval"),
		     .source = "cpufreq/scaling_cur_freq, else /proc/cpuinfo cpu MHz"),
	WORST_COLUMN(forks_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND, .title = N_("forks/s"),
		     .width = 7, .rank = 4, .of_interval = true,
		     .help = N_("processes and threads started on the machine in the interval"),
		     .source = "growth of /proc/stat processes / time"),
	WORST_COLUMN(context_switches_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND,
		     .title = N_("ctx/s"), .width = 7, .rank = 4, .of_interval = true,
		     .help = N_("context switches of the machine in the interval"),
		     .source = "growth of /proc/stat ctxt / time"),
	WORST_COLUMN(throttles, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("hot"), .width = 3,
		     .rank = 5, .of_interval = true,
		     .help = N_("thermal throttling events of this CPU in the interval"),
		     .source = "growth of thermal_throttle/core_throttle_count"),
};

static const struct schema schema = {
	.name = "latency_worst",
	.help = N_("the worst wake-ups, and what the machine did in that interval"),
	.row_size = sizeof(struct worst_row),
	.over_interval = true,
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/interrupts", .gives = N_("interrupts of the CPUs"), .optional = true },
	{ .path = "proc/softirqs", .gives = N_("soft interrupts of the CPUs"), .optional = true },
	{ .path = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
	  .gives = N_("thermal throttling"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("not used here (only Intel processors, outside of virtual machines)"),
			  .unused = true } } },
	{ 0 },
};

/* An outlier with its context when it was first seen. */
struct outlier {
	struct latency_outlier late;
	uint64_t wall_ns;
	struct cpu_activity activity;
};

struct state {
	struct latency_run *run;
	struct process_list *processes;
	struct frequencies *frequencies;
	struct cpu_context *context;
	struct outlier worst[LATENCY_WORST], next[LATENCY_WORST];
	unsigned n_worst;
};

static const struct outlier *find(const struct state *state, const struct latency_outlier *late)
{
	for (unsigned i = 0; i < state->n_worst; i++)
		if (state->worst[i].late.cpu == late->cpu &&
		    state->worst[i].late.late.woken_ns == late->late.woken_ns)
			return &state->worst[i];
	return NULL;
}

static void take(const struct sample *sample, const struct latency_outlier *late, struct outlier *outlier)
{
	const struct state *state = sample->state;
	const struct latency_run *run = state->run;
	size_t index = 0;

	while (index + 1 < run->n_cpus && run->cpus[index] != late->cpu)
		index++;
	outlier->late = *late;
	outlier->wall_ns = env_wall_ns(sample->env) - (env_mono_ns(sample->env) - late->late.woken_ns);
	cpu_context_read(state->context, sample, index, &outlier->activity);
}

/* Outliers that remain in the list keep their context. */
static void update(const struct sample *sample)
{
	struct state *state = sample->state;
	const struct latency_run *run = state->run;

	cpu_context_update(state->context, sample, run->all.cpu_ns);
	for (unsigned i = 0; i < run->n_worst; i++) {
		const struct outlier *known = find(state, &run->worst[i]);

		if (known)
			state->next[i] = *known;
		else
			take(sample, &run->worst[i], &state->next[i]);
	}
	state->n_worst = run->n_worst;
	memcpy(state->worst, state->next, state->n_worst * sizeof(state->worst[0]));
}

static const char *text_of(struct frame *frame, const char *text)
{
	return *text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

static void add_row(struct table *table, struct frame *frame, const struct outlier *outlier)
{
	const struct cpu_activity *activity = &outlier->activity;
	struct worst_row *row = table_add(table);
	char time[CLOCK_TEXT_MAX];

	row->woken_time = text_of(frame, clock_utc(time, outlier->wall_ns));
	row->clock = arena_print(&frame->arena, "%s.%03u", clock_local(time, outlier->wall_ns, "%H:%M:%S"),
				 (unsigned)(outlier->wall_ns / 1000000 % 1000));
	row->cpu = outlier->late.cpu == LATENCY_ANY_CPU
			   ? "any"
			   : arena_print(&frame->arena, "%u", outlier->late.cpu);
	row->latency_seconds = (double)outlier->late.late.late_ns / 1e9;
	row->task = text_of(frame, activity->task);
	row->task_ratio = activity->task_ratio;
	row->n_interrupts = activity->n_interrupts;
	row->interrupts = text_of(frame, activity->interrupts);
	row->n_softirqs = activity->n_softirqs;
	row->softirqs = text_of(frame, activity->softirqs);
	row->frequency_hertz = activity->hertz;
	row->forks_per_second = activity->forks_per_second;
	row->context_switches_per_second = activity->switches_per_second;
	row->throttles = activity->throttles;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;

	update(sample);
	for (unsigned i = 0; i < state->n_worst; i++)
		add_row(sample->table, sample->frame, &state->worst[i]);
	return 0;
}

static int open_worst(struct sample *sample)
{
	struct state *state = sample->state;

	state->context = cpu_context_open(sample, state->processes, state->frequencies, state->run->cpus,
					  state->run->n_cpus);
	return 0;
}

static void close_worst(struct sample *sample)
{
	struct state *state = sample->state;

	cpu_context_close(state->context);
}

static const struct reading reads[] = {
	READING(struct state, run, &latency_run_reader),
	READING_ON_DEMAND(struct state, processes, &process_reader),
	READING_ON_DEMAND(struct state, frequencies, &frequency_reader),
	{ 0 },
};

const struct topic topic_latency_worst = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.uses = LATENCY_RUN_USES | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	LATENCY_RUN_TOPIC,
	.reads = reads,
	.open = open_worst,
	.sample = sample,
	.close = close_worst,
};
