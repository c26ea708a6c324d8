/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "waiting": what the threads of the selected process, or of those of the scope, wait for, by the
 * function of the kernel that they wait in.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/process/process_find.h"
#include "topic/profile/wait_kernel.h"
#include "topic/profile/wait_switches.h"

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
	ROW(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7, .help = N_("PID"),
	    .source = "task_struct; else /proc"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "task_struct; else /proc/PID/stat starttime"),
	ROW(ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .additive = true, .title = N_("%time"),
	    .width = 7,
	    .help = N_(
		    "time of all its threads; 1 is one thread all the time; the rows of a process add up to "
		    "its threads"),
	    .source = "seconds / length of the interval"),
	ROW(seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("time"), .width = 9, .rank = 1,
	    .help = N_("time of all its threads in the interval; waits that have not ended count up to now"),
	    .source = "BPF at sched_switch, sched_wakeup; else perf switch records"),
	ROW(waits, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("waits"), .width = 8, .rank = 1,
	    .help = N_("waits that began in the interval"),
	    .source = "BPF at sched_switch; else perf switch records"),
	ROW(cause, .kind = COLUMN_KEY, .words = true, .title = N_("cause"), .width = 8,
	    .help = N_(
		    "running on a CPU; ready: waiting for one; disk: for I/O; lock: for a futex, or a lock "
		    "of "
		    "the kernel; network: for a socket; pipe; poll: for one of several files; sleep: for a "
		    "timer; memory: for memory to be reclaimed or read back; child: for a process to end"),
	    .source = "functions of the kernel; else /proc/PID/syscall"),
	ROW(function, .kind = COLUMN_KEY, .fleeting = true, .title = N_("function"), .width = 28,
	    .help = N_(
		    "function of the kernel that it waits in, below those of the scheduler; without kernel "
		    "stacks the system call"),
	    .source = "kernel stack, /proc/kallsyms; else /proc/PID/syscall"),
	ROW(how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 8, .rank = 3,
	    .help = N_("bpf: counted in the kernel; switches: times from perf, causes sampled; proc: from "
		       "files, "
		       "causes sampled"),
	    .source = "panetop"),
	ROW(command, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("command"), .width = 16,
	    .help = N_("name of the process"), .source = "/proc/PID/comm"),
};

static const struct schema schema = {
	.name = "waiting",
	.help = N_("what the threads of the selected process, or of the scope, wait for, by function"),
	.none = N_("choose a process, or a scope with @; the table time_account has all processes"),
	.over_interval = true,
	.row_size = sizeof(struct waiting_row),
	SCHEMA_COLUMNS(columns),
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
			{ ENOSYS, N_("this kernel is built without perf events") } } },
	{ 0 },
};

struct state {
	struct process_list *processes;
	bool opened, of_scope;
	uint32_t process; /* the one that is looked at; 0: the scope, or none */
	unsigned epoch;   /* of the scope */
	struct wait_kernel kernel;
	struct wait_switches *switches; /* where the kernel does not count; NULL */
	struct wait_ledger ledger;
	uint32_t *order; /* of items, for rows */
	size_t order_capacity;
};

static uint32_t wanted_process(const struct sample_request *request)
{
	if (request->profiled_pid)
		return request->profiled_pid;
	if (scope_is_set(request->scope))
		return wait_scope_process(request);
	return request->mapped.is_set ? request->mapped.pid : 0;
}

static void close_counting(struct state *state)
{
	wait_kernel_close(&state->kernel);
	wait_switches_close(state->switches);
	state->switches = NULL;
	wait_ledger_free(&state->ledger);
	state->opened = false;
}

/* Before the processes are listed: those that are then seen were counted from their start. */
static void prepare(struct sample *sample)
{
	struct state *state = sample->state;
	uint32_t process = wanted_process(sample->request);
	bool of_scope = process == 0 && scope_is_set(sample->request->scope);
	unsigned epoch = of_scope ? sample->request->scope->epoch : 0;

	if (state->opened &&
	    (state->process != process || state->of_scope != of_scope || state->epoch != epoch))
		close_counting(state);
	if (state->opened || (!process && !of_scope))
		return;
	state->process = process;
	state->of_scope = of_scope;
	state->epoch = epoch;
	state->opened = true;
	wait_kernel_open(&state->kernel, sample, process);
	if (state->kernel.trace.error && sample->env->live)
		state->switches = wait_switches_open(sample->env);
	state->ledger.last_ns = env_mono_ns();
}

static void close_waiting(struct sample *sample)
{
	struct state *state = sample->state;

	close_counting(state);
	wait_kernel_free(&state->kernel);
	free(state->order);
}

static const struct wait_ledger *sorted; /* while it is */

static int by_row(const void *a, const void *b)
{
	const struct wait_item *one = &sorted->items[*(const uint32_t *)a];
	const struct wait_item *other = &sorted->items[*(const uint32_t *)b];

	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	if (one->cause != other->cause)
		return one->cause < other->cause ? -1 : 1;
	return strcmp(one->function ? one->function : "", other->function ? other->function : "");
}

/* In scope now; what has ended was, when it was looked at. */
static bool is_shown(const struct state *state, const struct wait_process *process)
{
	const struct process *listed = process_list_find(state->processes, process->pid);

	return !listed || listed->start_ticks != process->start_ticks || !listed->outside || state->process;
}

static const char *name_of(const struct state *state, const struct wait_process *process)
{
	const struct process *listed = process_list_find(state->processes, process->pid);

	return listed && listed->start_ticks == process->start_ticks ? listed->name : process->command;
}

static struct waiting_row *add_row(struct sample *sample, const struct wait_item *item)
{
	const struct state *state = sample->state;
	const struct wait_process *process = &state->ledger.processes[item->process];
	struct waiting_row *row = table_add(sample->table);
	const char *name = name_of(state, process), *function = item->function ? item->function : "";

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->cause = wait_cause_words[item->cause];
	row->function = arena_copy(&sample->frame->arena, function, strlen(function));
	row->command = arena_copy(&sample->frame->arena, name, strlen(name));
	row->seconds = row->ratio = 0;
	row->waits = item->cause <= WAIT_READY ? U64_BLANK : 0;
	row->how = "bpf";
	if (state->switches) {
		bool counted = wait_switches_has(state->switches, process->pid);

		row->how = counted ? "switches" : "proc";
		if (row->waits == 0 && !counted)
			row->waits = U64_UNKNOWN;
	}
	return row;
}

static void add_rows(struct sample *sample)
{
	struct state *state = sample->state;
	double interval = wait_ledger_sum(&state->ledger);
	struct waiting_row *row = NULL;
	size_t n = 0;

	VECTOR_RESERVE(state->order, state->ledger.n_items + 1, state->order_capacity);
	for (uint32_t i = 0; i < state->ledger.n_items; i++) {
		const struct wait_item *item = &state->ledger.items[i];

		if ((item->window_ns != 0 || item->window_waits != 0) &&
		    is_shown(state, &state->ledger.processes[item->process]))
			state->order[n++] = i;
	}
	sorted = &state->ledger;
	qsort(state->order, n, sizeof(*state->order), by_row);
	for (size_t i = 0; i < n; i++) {
		const struct wait_item *item = &state->ledger.items[state->order[i]];
		const struct wait_process *process = &state->ledger.processes[item->process];

		if (i == 0 || by_row(&state->order[i - 1], &state->order[i]) != 0)
			row = add_row(sample, item);
		row->seconds += process->is_broken ? NAN : (double)item->window_ns / 1e9;
		row->ratio = interval > 0 ? row->seconds / interval : 0;
		if (row->waits < U64_BLANK)
			row->waits += item->window_waits > 0 ? (uint64_t)item->window_waits : 0;
	}
}

/* How causes are known without BPF, and for which threads they are not. */
static void add_notices(struct sample *sample)
{
	const struct state *state = sample->state;
	size_t left_out = state->switches ? wait_switches_left_out(state->switches) : 0;

	trace_notice(&state->kernel.trace, sample->frame,
		     _("causes are sampled, of processes that may be read, and short waits have those of "
		       "others"));
	if (left_out > 0)
		frame_notice(sample->frame, "waiting", _("choose a scope with less of them"),
			     P_("%zu thread is not followed", "%zu threads are not followed", left_out),
			     left_out);
}

static int sample_waiting(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t now_ns;

	if (!state->opened)
		return 0;
	wait_ledger_begin(&state->ledger);
	now_ns = state->switches
			 ? wait_switches_update(state->switches, state->processes, state->process,
						&state->ledger)
			 : wait_kernel_update(&state->kernel, sample, state->processes, &state->ledger);
	if (now_ns == 0)
		return 0;
	add_notices(sample);
	wait_ledger_end(&state->ledger, now_ns,
			sample->request->batch ? state->ledger.last_ns : now_ns - WAIT_WINDOW_NS);
	sample->table->mono_ns = now_ns;
	add_rows(sample);
	return 0;
}

static const struct reading reads[] = {
	READING(struct state, processes, &process_reader),
	{ 0 },
};

const struct topic topic_waiting = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
		PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.state_size = sizeof(struct state),
	.reads = reads,
	.prepare = prepare,
	.sample = sample_waiting,
	.close = close_waiting,
};
