/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "waiting": what the threads of the selected process, or of those of the scope, wait for, by the
 * function of the kernel that they wait in; and "wall_time": running code and waits in one table.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "topic/process/process_entry.h"
#include "topic/profile/profiler.h"
#include "topic/profile/wait_list.h"
#include "topic/profile/wait_switches.h"
#include "topic/trace/trace.h"

#define NEEDS N_("this needs Linux 5.18 with BTF, on x86 or arm64")

struct waiting_row {
	uint64_t pid;
	double start_seconds;
	const char *cause, *function;
	double seconds, ratio;
	uint64_t waits;
	const char *how, *command;
};

#define ROW(field, ...) COLUMN(struct waiting_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("PID"),
	    .source = "task_struct; else /proc"),
	ROW(start_seconds, A_KEY(N_("started"), 10), .fleeting = true, .unit = UNIT_SECONDS, .hidden = true,
	    .help = N_("start time, after boot"), .source = "task_struct; else /proc/PID/stat starttime"),
	ROW(ratio, A_GAUGE(RATIO, N_("%time"), 7), .additive = true,
	    .help = N_("time of all its threads; 1 is one thread all the time; the rows of a process add up "
		       "to its threads"),
	    .source = "seconds / length of the interval"),
	ROW(seconds, A_GAUGE(SECONDS, N_("time"), 9), .rank = 1,
	    .help = N_("time of all its threads in the interval; waits that have not ended count up to now"),
	    .source = "BPF at sched_switch, sched_wakeup; else perf switch records"),
	ROW(waits, A_GAUGE(COUNT, N_("waits"), 8), .rank = 1, .help = N_("waits that began in the interval"),
	    .source = "BPF at sched_switch; else perf switch records"),
	ROW(cause, A_KEY(N_("cause"), 8), .words = true,
	    .help = N_("running on a CPU; ready: waiting for one; disk: for I/O; lock: for a futex, or a "
		       "lock of the kernel; network: for a socket; pipe; poll: for one of several files; "
		       "sleep: for a timer; memory: for memory to be reclaimed or read back; child: for a "
		       "process to end"),
	    .source = "functions of the kernel; else /proc/PID/syscall"),
	ROW(function, A_KEY(N_("function"), 28), .fleeting = true,
	    .help = N_("function of the kernel that it waits in, below those of the scheduler; without "
		       "kernel stacks the system call"),
	    .source = "kernel stack, /proc/kallsyms; else /proc/PID/syscall"),
	ROW(how, A_LABEL(N_("how"), 8), .rank = 3,
	    .help = N_("bpf: counted in the kernel; switches: times from perf, causes sampled; proc: from "
		       "files, causes sampled"),
	    .source = "panetop"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/comm"),
};

static const struct schema schema = {
	.name = "waiting",
	.help = N_("what the threads of the selected process, or of the scope, wait for, by function"),
	.none = N_("choose a process, or a scope with @; the table time_account has all processes"),
	.over_interval = true,
	SCHEMA_ROWS(struct waiting_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("what processes wait for, by function of the kernel"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, NEEDS }, { ENODATA, NEEDS } } },
	{ .path = "perf switch records",
	  .gives = N_("without BPF: how long threads of the user's own processes wait"),
	  .optional = true,
	  .test = wait_switches_test,
	  .remedies = { { EACCES, N_("lower kernel.perf_event_paranoid to 2 or less") },
			{ EPERM, REMEDY_OF_FILTER },
			{ ENOSYS, N_("this kernel is built without perf events") } } },
	{ 0 },
};

struct state {
	struct wait_list *waits;
	struct profiler *profiler;   /* of wall_time, as … */
	struct profile_sum *running; /* … of each function: itself */
	size_t capacity;
};

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	wait_list_prepare(state->waits, sample);
}

static void add_row(struct sample *sample, const struct wait_row *of, double interval)
{
	struct waiting_row *row = table_add(sample->table);

	row->pid = of->pid;
	row->start_seconds = process_start_seconds(sample->env, of->start_ticks);
	row->cause = wait_cause_words[of->cause];
	row->function = sample_text(sample, of->function);
	row->command = sample_text(sample, of->command);
	row->seconds = of->seconds;
	row->ratio = interval > 0 ? of->seconds / interval : 0;
	row->waits = of->waits;
	row->how = of->how;
}

static int sample_waiting(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t now_ns;
	size_t n;
	const struct wait_row *rows = wait_list_rows(state->waits, &n, &now_ns);

	if (now_ns == 0)
		return 0;
	wait_list_notices(state->waits, sample->frame);
	sample->table->mono_ns = now_ns;
	for (size_t i = 0; i < n; i++)
		add_row(sample, &rows[i], wait_list_seconds(state->waits));
	return 0;
}

const struct topic topic_waiting = {
	.schema = &schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
		PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.state_size = sizeof(struct state), .reads = READINGS(READING(struct state, waits, &wait_reader)),
	.prepare = prepare, .sample = sample_waiting
};

struct wall_row {
	const char *cause, *function, *file;
	double seconds, ratio, error_ratio;
};

#define WALL(field, ...) COLUMN(struct wall_row, field, __VA_ARGS__)
#define SOURCE "topics waiting and profile"

static const struct column wall_columns[] = {
	WALL(ratio, A_GAUGE(RATIO, N_("%time"), 7), .additive = true,
	    .help = N_("part of the time of all threads; running, ready and waiting are all of it"),
	    .source = SOURCE),
	WALL(seconds, A_GAUGE(SECONDS, N_("time"), 9),
	    .help = N_("in the interval, of all threads together; of functions that run: the time that "
		       "threads ran, in the parts that samples have"),
	    .source = SOURCE),
	WALL(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 2,
	    .help = N_("statistical error of what was sampled; 0: the time is measured"),
	    .source = "2 sqrt(self * (1 - self) / samples) of topic profile"),
	WALL(cause, A_KEY(N_("cause"), 8), .words = true,
	    .help = N_("running on a CPU; ready: waiting for one; else what they wait for, as in topic "
		       "waiting"),
	    .source = SOURCE),
	WALL(file, A_KEY(N_("file"), 16), .fleeting = true, .rank = 1,
	    .help = N_("program or library of a function that runs"), .source = "topic profile"),
	WALL(function, A_KEY(N_("function"), 32), .fleeting = true,
	    .help = N_("function that runs itself, or that of the kernel that threads wait in"),
	    .source = SOURCE),
};

static const struct schema wall_schema = {
	.name = "wall_time",
	.help = N_("running code and waits of the threads in the scope, as parts of all their time"),
	.none = N_("choose a process, or a scope with @"),
	.over_interval = true,
	SCHEMA_ROWS(struct wall_row, wall_columns),
};

static struct wall_row *add_wall(struct sample *sample, enum wait_cause cause, const char *function,
				const char *file)
{
	struct wall_row *row = table_add(sample->table);

	row->cause = wait_cause_words[cause];
	row->function = sample_text(sample, function);
	row->file = sample_text(sample, file);
	row->seconds = 0;
	row->error_ratio = 0;
	return row;
}

/* Rows of all processes with the same cause and function are one. */
static void add_waits(struct sample *sample, const struct wait_row *rows, size_t n)
{
	struct hash by_what = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t hash = hash_bytes(hash_u64(rows[i].cause), span_text(rows[i].function));
		struct wall_row *row;
		uint32_t at;

		if (rows[i].cause == WAIT_RUNNING)
			continue;
		HASH_FIND(at, &by_what, hash,
			  ((const struct wall_row *)table_row(sample->table, at))->cause ==
					  wait_cause_words[rows[i].cause] &&
				  strcmp(((const struct wall_row *)table_row(sample->table, at))->function,
					 rows[i].function) == 0);
		if (at == HASH_NONE) {
			hash_add(&by_what, hash, (uint32_t)sample->table->n_rows);
			row = add_wall(sample, rows[i].cause, rows[i].function, "");
		} else {
			row = (struct wall_row *)table_row(sample->table, at);
		}
		row->seconds += rows[i].seconds;
	}
	hash_free(&by_what);
}

static void sum_running(struct state *state, const struct profile_window *window)
{
	VECTOR_RESERVE(state->running, window->n_functions + 1, state->capacity);
	memset(state->running, 0, window->n_functions * sizeof(*state->running));
	for (size_t i = 0; i < window->n_nodes; i++) {
		struct profile_sum *of = &state->running[window->nodes[i].function];

		of->samples += window->sums[i].samples;
		of->weight += window->sums[i].weight;
	}
}

/* The time that threads ran is measured; which part of it a function has, sampled. */
static void add_running(struct sample *sample, double seconds)
{
	struct state *state = sample->state;
	const struct profile_window *window = profiler_window(state->profiler, sample);

	if (window->all.samples == 0) {
		if (seconds > 0)
			add_wall(sample, WAIT_RUNNING, "", "")->seconds = seconds;
		return;
	}
	sum_running(state, window);
	for (size_t i = 0; i < window->n_functions; i++) {
		double part = (double)state->running[i].weight / (double)window->all.weight;
		struct wall_row *row;

		if (state->running[i].samples == 0)
			continue;
		row = add_wall(sample, WAIT_RUNNING, window->functions[i].name, window->functions[i].file);
		row->seconds = part * seconds;
		row->error_ratio = 2 * sqrt(part * (1 - part) / window->n_effective);
	}
}

static int sample_wall_time(struct sample *sample)
{
	struct state *state = sample->state;
	double running = 0, all = 0;
	uint64_t now_ns;
	size_t n;
	const struct wait_row *rows = wait_list_rows(state->waits, &n, &now_ns);

	if (now_ns == 0 || !wait_list_is_wanted(sample->request))
		return 0;
	sample->table->mono_ns = now_ns;
	for (size_t i = 0; i < n; i++) {
		all += rows[i].seconds;
		running += rows[i].cause == WAIT_RUNNING ? rows[i].seconds : 0;
	}
	add_running(sample, running);
	add_waits(sample, rows, n);
	for (size_t i = 0; i < sample->table->n_rows; i++) {
		struct wall_row *row = (struct wall_row *)table_row(sample->table, i);

		row->ratio = all > 0 ? row->seconds / all : NAN;
		row->error_ratio *= all > 0 ? running / all : NAN;
	}
	return 0;
}

static void close_state(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->running);
}

const struct topic topic_wall_time = {
	.schema = &wall_schema,
	.sources = no_source,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
		PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MAPS),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, waits, &wait_reader),
			  READING(struct state, profiler, &profiler_reader)),
	.prepare = prepare,
	.sample = sample_wall_time,
	.close = close_state,
};
