/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "latency_worst": the longest latencies, and what the machine did then. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/system.h"
#include "sys/env.h"
#include "topic/cpu/frequency.h"
#include "topic/latency/latency_run.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

struct interrupt_growth {
	struct env *env;
	struct env_file *file;
	const uint32_t *cpus; /* borrowed: the CPUs to watch */
	size_t n_cpus;
	bool *listed;         /* whether each CPU has a column in the table */
	size_t *owners;       /* index in cpus of each column; SIZE_MAX: not watched */
	size_t n_columns, columns_capacity;
	struct interrupt_kind *kinds; /* in the order of the lines */
	size_t n_kinds, capacity;
	uint64_t *counts; /* two for each CPU and kind: now and in the last update */
	size_t counts_capacity;
	unsigned updates; /* consecutive successful ones */
};

/* Interrupts that a CPU served: the growth of /proc/interrupts or /proc/softirqs. */

#define NAME_MAX_BYTES 32
#define SHOWN 3

struct interrupt_kind {
	char label[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
	bool is_new; /* it was not in the last update */
};

static void interrupt_growth_open(struct interrupt_growth *growth, struct env *env, const char *path,
			   const uint32_t *cpus, size_t n_cpus)
{
	*growth = (struct interrupt_growth){
		.env = env,
		.file = env_file(env, path),
		.cpus = cpus,
		.n_cpus = n_cpus,
		.listed = alloc_zeroed(n_cpus, sizeof(*growth->listed)),
	};
}

static void interrupt_growth_close(struct interrupt_growth *growth)
{
	free(growth->listed);
	free(growth->owners);
	free(growth->kinds);
	free(growth->counts);
}

/* The count of a kind on a CPU: now (0) or in the last update (1). */
static uint64_t *count_of(const struct interrupt_growth *growth, size_t kind, size_t cpu, unsigned when)
{
	return &growth->counts[(kind * growth->n_cpus + cpu) * 2 + when];
}

/* Finds the CPU of the next column. */
static void add_column(struct interrupt_growth *growth, uint32_t number)
{
	size_t *owner;

	owner = VECTOR_ADD(growth->owners, growth->n_columns, growth->columns_capacity);
	*owner = SIZE_MAX;
	for (size_t i = 0; i < growth->n_cpus && *owner == SIZE_MAX; i++)
		if (growth->cpus[i] == number)
			*owner = i;
	if (*owner != SIZE_MAX)
		growth->listed[*owner] = true;
}

static void find_columns(struct interrupt_growth *growth, struct span heading)
{
	uint32_t number;

	growth->n_columns = 0;
	for (size_t i = 0; i < growth->n_cpus; i++)
		growth->listed[i] = false;
	while (interrupt_cpu_next(&heading, &number))
		add_column(growth, number);
}

/* A line with another label than the last update had at this place starts from zero. */
static void place_line(struct interrupt_growth *growth, size_t index, struct span label)
{
	char text[NAME_MAX_BYTES];

	span_copy(text, sizeof(text), label);
	if (index == growth->n_kinds) {
		VECTOR_ADD(growth->kinds, growth->n_kinds, growth->capacity)->label[0] = '\0';
		VECTOR_RESERVE(growth->counts, growth->n_kinds * growth->n_cpus * 2,
			       growth->counts_capacity);
	}
	growth->kinds[index].is_new = strcmp(growth->kinds[index].label, text) != 0;
	memcpy(growth->kinds[index].label, text, sizeof(text));
}

static void parse_line(struct interrupt_growth *growth, size_t index, struct interrupt_line *line)
{
	uint64_t value;

	place_line(growth, index, line->label);
	for (size_t i = 0; i < growth->n_cpus; i++) {
		*count_of(growth, index, i, 1) =
			growth->kinds[index].is_new ? U64_UNKNOWN : *count_of(growth, index, i, 0);
		*count_of(growth, index, i, 0) = U64_UNKNOWN;
	}
	for (size_t column = 0; column < growth->n_columns && span_u64(&line->counts, &value); column++)
		if (growth->owners[column] != SIZE_MAX)
			*count_of(growth, index, growth->owners[column], 0) = value;
	span_copy(growth->kinds[index].name, NAME_MAX_BYTES, interrupt_name(line));
}

/* Once per tick. */
static void interrupt_growth_update(struct interrupt_growth *growth)
{
	struct interrupt_line line;
	struct span text, heading;
	size_t index = 0;

	if (env_read(growth->env, growth->file, &text) < 0 || !span_line(&text, &heading)) {
		growth->updates = 0;
		growth->n_kinds = 0;
		return;
	}
	find_columns(growth, heading);
	while (interrupt_next(&text, &line))
		parse_line(growth, index++, &line);
	growth->n_kinds = index;
	growth->updates++;
}

static uint64_t grown(const struct interrupt_growth *growth, size_t kind, size_t cpu)
{
	uint64_t now = *count_of(growth, kind, cpu, 0), before = *count_of(growth, kind, cpu, 1);

	return now == U64_UNKNOWN || before == U64_UNKNOWN || now < before ? 0 : now - before;
}

/*
 * Interrupts of cpus[index] since the last update; the three most frequent are written to text. U64_UNKNOWN:
 * not known.
 */
static uint64_t interrupt_growth_text(const struct interrupt_growth *growth, size_t index, char *text,
				      size_t room)
{
	size_t most[SHOWN] = { 0 }, length = 0;
	uint64_t sum = 0;

	*text = '\0';
	if (growth->updates < 2 || !growth->listed[index])
		return U64_UNKNOWN;
	for (size_t k = 0; k < growth->n_kinds; k++) {
		uint64_t own = grown(growth, k, index);
		size_t place = SHOWN;

		sum += own;
		while (place > 0 && own > (most[place - 1] ? grown(growth, most[place - 1] - 1, index) : 0))
			place--;
		if (place == SHOWN)
			continue;
		memmove(&most[place + 1], &most[place], (SHOWN - 1 - place) * sizeof(most[0]));
		most[place] = k + 1;
	}
	for (size_t i = 0; i < SHOWN && most[i] && length < room; i++)
		length +=
			(size_t)snprintf(text + length, room - length, "%s%s %" PRIu64, i > 0 ? ", " : "",
					 growth->kinds[most[i] - 1].name, grown(growth, most[i] - 1, index));
	return sum;
}

#define CPU_ACTIVITY_TEXT_MAX 80

struct cpu_activity {
	char task[CPU_ACTIVITY_TEXT_MAX];    /* process that probably used most of this CPU; "": none */
	double task_ratio;                   /* of one CPU */
	char interrupts[CPU_ACTIVITY_TEXT_MAX]; /* the most frequent: "timer 250, eth0 31" */
	char softirqs[CPU_ACTIVITY_TEXT_MAX];
	uint64_t n_interrupts, n_softirqs; /* all of this CPU */
	double hertz;
	double forks_per_second, switches_per_second; /* of the whole machine */
	uint64_t throttles;                           /* how often heat slowed this CPU down */
};

#define NOTICEABLE_NS UINT64_C(500000) /* processes that used less in an interval are ignored */

struct cpu_place {
	struct env_file *throttles;
	uint64_t throttled, throttled_before;
	const struct process *task; /* used most of this CPU in the last interval; NULL: none did */
	uint64_t task_ns;        /* CPU time of the task in that interval */
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
	uint64_t own_ns, own_ns_before; /* CPU time of the measuring threads */
	struct cpu_place *places;       /* of the CPUs of the run */
	struct interrupt_growth interrupts, softirqs;
	struct totals {
		uint64_t forks, switches, mono_ns;
	} now, before;
	struct outlier worst[LATENCY_WORST], next[LATENCY_WORST];
	unsigned n_worst;
};

static void update_totals(struct state *state, struct env *env)
{
	struct totals *now = &state->now;
	const struct proc_stat *stat;

	state->before = *now;
	*now = (struct totals){ U64_UNKNOWN, U64_UNKNOWN, env_mono_ns(env) };
	if (proc_stat_read(env, &stat) < 0)
		return;
	now->forks = stat->totals.forks;
	now->switches = stat->totals.context_switches;
}

/* CPU time in the last interval; that of panetop excludes its measuring threads. */
static uint64_t used_by(const struct state *state, const struct process *task, uint32_t own_pid)
{
	uint64_t measuring = state->own_ns - state->own_ns_before;

	if (task->used_ns == U64_UNKNOWN)
		return 0;
	if (task->pid != own_pid)
		return task->used_ns;
	return task->used_ns > measuring ? task->used_ns - measuring : 0;
}

/* Of the CPUs that a process ran on only the last one is known. */
static void update_tasks(struct state *state, const struct sample *sample)
{
	const struct process_list *tasks = state->processes;

	for (size_t i = 0; i < state->run->n_cpus; i++)
		state->places[i].task = NULL;
	if (reader_update(&process_reader, sample) < 0)
		return;
	for (size_t t = 0; t < tasks->n_all; t++) {
		const struct process *task = tasks->all[t];
		uint64_t used_ns = used_by(state, task, sample->request->own_pid);

		if (used_ns < NOTICEABLE_NS)
			continue;
		for (size_t i = 0; i < state->run->n_cpus; i++) {
			struct cpu_place *place = &state->places[i];

			if (state->run->cpus[i] != task->stat.processor ||
			    (place->task && used_ns <= place->task_ns))
				continue;
			place->task = task;
			place->task_ns = used_ns;
		}
	}
}

static void update_throttles(struct state *state, struct env *env)
{
	for (size_t i = 0; i < state->run->n_cpus; i++) {
		struct cpu_place *place = &state->places[i];
		struct span text;

		place->throttled_before = place->throttled;
		if (env_read(env, place->throttles, &text) < 0 ||
		    !span_u64(&text, &place->throttled))
			place->throttled = U64_UNKNOWN;
	}
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
	uint64_t growth = u64_less(now, before);

	return growth == U64_UNKNOWN || !(seconds > 0) ? NAN : (double)growth / seconds;
}

/* For cpus[index]; unknown values are U64_UNKNOWN, NaN or "". */
static void describe_cpu(const struct state *state, const struct sample *sample, size_t index,
			 struct cpu_activity *activity)
{
	const struct cpu_place *place = &state->places[index];
	const struct totals *now = &state->now, *before = &state->before;
	double seconds = before->mono_ns > 0 ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;

	*activity = (struct cpu_activity){
		.task_ratio = NAN,
		.hertz = frequency_hertz(state->frequencies, sample, state->run->cpus[index]),
		.forks_per_second = per_second(now->forks, before->forks, seconds),
		.switches_per_second = per_second(now->switches, before->switches, seconds),
		.throttles = u64_less(place->throttled, place->throttled_before),
	};
	if (place->task) {
		snprintf(activity->task, sizeof(activity->task), "%s %u", place->task->name,
			 place->task->pid);
		activity->task_ratio = seconds > 0 ? (double)place->task_ns / 1e9 / seconds : NAN;
	}
	activity->n_interrupts = interrupt_growth_text(&state->interrupts, index, activity->interrupts,
						       sizeof(activity->interrupts));
	activity->n_softirqs = interrupt_growth_text(&state->softirqs, index, activity->softirqs,
						     sizeof(activity->softirqs));
}

struct worst_row {
	const char *woken_time, *clock, *cpu, *task, *interrupts, *softirqs;
	double latency_seconds, task_ratio, frequency_hertz, forks_per_second, context_switches_per_second;
	uint64_t n_interrupts, n_softirqs, throttles;
};

#define COL(field, ...) COLUMN_OF(struct worst_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(latency_seconds, GAUGE, SECONDS, N_("delay"), 8, N_("latency of the wake-up"),
	    "CLOCK_MONOTONIC when woken - when planned"),
	COL(clock, LABEL, NONE, N_("woke at"), 12, N_("wake-up time, local"), "as woken_time"),
	COL(woken_time, KEY, NONE, N_("time"), 30, N_("wake-up time in UTC"),
	    "CLOCK_MONOTONIC and CLOCK_REALTIME", .fleeting = true, .hidden = true),
	COL(cpu, KEY, NONE, N_("CPU"), 3, N_("CPU that was measured"), "sched_setaffinity(2)"),
	COL(task, LABEL, NONE, N_("busiest task then"), 17,
	    N_("process that used most of this CPU in the interval between two samples, not who ran at "
	       "that moment; an estimate, as only the last CPU of each process is known"),
	    "CPU clocks, and processor of /proc/PID/stat", .of_interval = true),
	COL(task_ratio, GAUGE, RATIO, N_("%CPU"), 5,
	    N_("CPU use of this process in the interval; 100 is one CPU"), "growth of its CPU clock / time",
	    .rank = 2, .of_interval = true),
	COL(n_interrupts, GAUGE, COUNT, N_("irqs"), 6, N_("interrupts of this CPU in the interval"),
	    "/proc/interrupts", .rank = 1, .of_interval = true),
	COL(interrupts, LABEL, NONE, N_("interrupts"), 20, N_("the most frequent ones"), "/proc/interrupts",
	    .rank = 1, .of_interval = true),
	COL(n_softirqs, GAUGE, COUNT, N_("softirqs"), 8, N_("soft interrupts of this CPU in the interval"),
	    "/proc/softirqs", .rank = 3, .of_interval = true),
	COL(softirqs, LABEL, NONE, N_("soft interrupts"), 20, N_("the most frequent ones"), "/proc/softirqs",
	    .rank = 3, .of_interval = true),
	COL(frequency_hertz, GAUGE, HERTZ, N_("clock"), 7,
	    N_("frequency of this CPU at the end of the interval"),
	    "cpufreq/scaling_cur_freq, else /proc/cpuinfo cpu MHz", .rank = 2, .of_interval = true),
	COL(forks_per_second, GAUGE, PER_SECOND, N_("forks/s"), 7,
	    N_("processes and threads started on the machine in the interval"),
	    "growth of /proc/stat processes / time", .rank = 4, .of_interval = true),
	COL(context_switches_per_second, GAUGE, PER_SECOND, N_("ctx/s"), 7,
	    N_("context switches of the machine in the interval"), "growth of /proc/stat ctxt / time",
	    .rank = 4, .of_interval = true),
	COL(throttles, GAUGE, COUNT, N_("hot"), 3,
	    N_("thermal throttling events of this CPU in the interval"),
	    "growth of thermal_throttle/core_throttle_count", .rank = 5, .of_interval = true),
};

static const struct schema schema = {
	.name = "latency_worst",
	.help = N_("the worst wake-ups, and what the machine did in that interval"),
	.row_size = sizeof(struct worst_row),
	.over_interval = true,
	SCHEMA_COLUMNS(columns),
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
	describe_cpu(state, sample, index, &outlier->activity);
}

/* Outliers that remain in the list keep their context. */
static void update(const struct sample *sample)
{
	struct state *state = sample->state;
	const struct latency_run *run = state->run;

	state->own_ns_before = state->own_ns; /* the interval starts at the previous update */
	state->own_ns = run->all.cpu_ns;
	update_totals(state, sample->env);
	update_tasks(state, sample);
	update_throttles(state, sample->env);
	interrupt_growth_update(&state->interrupts);
	interrupt_growth_update(&state->softirqs);
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
	return *text ? frame_text(frame, text) : NULL;
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
	const struct latency_run *run = state->run;

	state->places = alloc_zeroed(run->n_cpus, sizeof(*state->places));
	state->now = (struct totals){ U64_UNKNOWN, U64_UNKNOWN, 0 };
	for (size_t i = 0; i < run->n_cpus; i++) {
		char path[96];

		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count", run->cpus[i]);
		state->places[i].throttles = env_file(sample->env, path);
		state->places[i].throttled = U64_UNKNOWN;
	}
	interrupt_growth_open(&state->interrupts, sample->env, "proc/interrupts", run->cpus, run->n_cpus);
	interrupt_growth_open(&state->softirqs, sample->env, "proc/softirqs", run->cpus, run->n_cpus);
	return 0;
}

static void close_worst(struct sample *sample)
{
	struct state *state = sample->state;

	interrupt_growth_close(&state->interrupts);
	interrupt_growth_close(&state->softirqs);
	free(state->places);
}

const struct topic topic_latency_worst = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/interrupts", .gives = N_("interrupts of the CPUs"), .optional = true },
		{ .path = "proc/softirqs", .gives = N_("soft interrupts of the CPUs"), .optional = true },
		{ .path = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
		  .gives = N_("thermal throttling"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("not used here (only Intel processors, outside of virtual "
					     "machines)"),
				  .unused = true } } }),
	.state_size = sizeof(struct state),
	.uses = LATENCY_RUN_USES | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	LATENCY_RUN_TOPIC,
	.reads = READINGS(READING(struct state, run, &latency_run_reader),
			  READING_ON_DEMAND(struct state, processes, &process_reader),
			  READING_ON_DEMAND(struct state, frequencies, &frequency_reader)),
	.open = open_worst,
	.sample = sample,
	.close = close_worst,
};
