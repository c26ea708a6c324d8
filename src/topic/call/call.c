/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "call": system calls by process and call, with their errors; of one process or a scope their times.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/call/call_counts.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/trace/trace_scope.h"

#define ENTRIES_MAX 32768
#define ERRORS_BYTES 160

struct call_row {
	uint64_t pid;
	double start_seconds;
	const char *call;
	double calls_per_second, errors_per_second, time_ratio;
	uint64_t calls, errors;
	const char *error_names;
	double seconds, p50_seconds, p99_seconds, max_seconds;
	double age_seconds, error_ratio;
	const char *how, *command;
};

#define ROW(field, ...) COLUMN(struct call_row, field, __VA_ARGS__)

#define IN_BURSTS .aged_by = offsetof(struct call_row, age_seconds)

#define PERCENTILE(field, number)                                                                            \
	ROW(field##_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = number, .width = 8,        \
	    .rank = 2, .optional = true, /* xgettext:no-c-format */                                          \
	    .help = N_("time that this percentage of the calls did not exceed since counting began "         \
		       "(rounded up by at most 7 %)"),                                                       \
	    .source = "BPF at sys_enter and sys_exit, upper end of the bucket that reaches this percentage")

static const struct column columns[] = {
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("PID; none: processes that exited"),
	    .source = "task_struct.tgid"),
	ROW(start_seconds, A_KEY(N_("started"), 8), .fleeting = true, .unit = UNIT_SECONDS, .hidden = true,
	    .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	ROW(call, A_KEY(N_("call"), 15),
	    .help = N_("system call; i386: or arm: of a program of 32 bits, by its number; (sigreturn): "
		       "returns from signal handlers, and calls that a tracer skipped; (invalid): numbers "
		       "that no call has"),
	    .source = "pt_regs of the kernel"),
	ROW(calls_per_second, A_RATE(PER_SECOND, N_("per s"), 9), .additive = true,
	    .rate_of = offsetof(struct call_row, calls), .trend = true, IN_BURSTS,
	    .help = N_("calls that returned in the last interval; while they are counted in bursts (how), "
		       "an estimate, between two of them that of the last one (age)"),
	    .source = "growth of calls / time"),
	ROW(errors_per_second, A_RATE(PER_SECOND, N_("errors/s"), 9), .additive = true, .rank = 1,
	    .rate_of = offsetof(struct call_row, errors), IN_BURSTS,
	    .help = N_("calls that failed in the last interval; in bursts an estimate, too"),
	    .source = "growth of errors / time"),
	ROW(time_ratio, A_RATE(RATIO, N_("%time"), 7), .optional = true,
	    .rate_of = offsetof(struct call_row, seconds),
	    .help = N_("time of all its threads in this call; 1 is one thread all the time"),
	    .source = "growth of seconds / time"),
	PERCENTILE(p50, "50%"),
	PERCENTILE(p99, "99%"),
	ROW(max_seconds, A_GAUGE(SECONDS, N_("max"), 8), .rank = 3, .optional = true,
	    .help = N_("longest time since counting began"), .source = "exact"),
	ROW(calls, A_COUNTER(COUNT, N_("calls"), 10), .rank = 3,
	    .help = N_("calls that returned since counting began, also those that had begun before; what "
		       "was not counted between bursts is estimated, at the rate of the burst before"),
	    .source = "BPF at sys_exit"),
	ROW(errors, A_COUNTER(COUNT, N_("errors"), 8), .rank = 3,
	    .help = N_("of these, those that failed, or were interrupted by a signal"),
	    .source = "BPF at sys_exit: results from -4095 to -1"),
	ROW(seconds, A_COUNTER(SECONDS, N_("time"), 9), .rank = 3, .optional = true,
	    .help = N_("sum of their times; calls that had begun before are counted, but not timed"),
	    .source = "BPF at sys_enter and sys_exit; else /proc/PID/task/TID/syscall, sampled"),
	ROW(how, A_LABEL(N_("how"), 5), .rank = 4,
	    .help = N_("bpf: each call is counted in the kernel; burst: only for a while of each 10 s, since "
		       "that is dear, and the rest is an estimate; proc: which call threads are in is looked "
		       "at 50 times a second, so that only its share of the time is known, as an estimate"),
	    .source = "panetop"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/comm"),
	ROW(error_names, A_LABEL(N_("errors by name"), 14), .fleeting = true, .rank = 1,
	    .help = N_("errors and how often each came; interrupted: a signal came, and the call begins "
		       "again or returns EINTR"),
	    .source = "BPF at sys_exit"),
	ROW(age_seconds, A_GAUGE(SECONDS, N_("age"), 5), .rank = 4, .optional = true, .whole = true,
	    .help = N_("in bursts: time since the last one ended; 0 while it goes on"),
	    .source = "panetop"),
	ROW(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 1, .optional = true,
	    .help = N_("in bursts: standard error of the number per second, if calls come at random; a loop "
		       "of cheap calls is slower while it is counted, so its number is too low besides"),
	    .source = "1 / sqrt(calls counted in the last burst)"),
};

static const struct schema schema = {
	.name = "call",
	.help = N_("system calls by process and call: how often, with which errors, how long"),
	.none = N_("no call has returned yet"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct call_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("system calls, each counted in the kernel"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { CALL_REMEDIES } },
	{ 0 },
};

static const struct bpf_program all_programs[] = {
	{ .name = N_("a system call returns"), .tracepoint = CALL_RETURNS, .does = &bpf_call },
};

/* The start comes last: what then returns without one had begun before. */
static const struct bpf_program timed_programs[] = {
	TRACE_SCOPE_FORKS,
	{ .name = N_("a timed system call returns"), .tracepoint = CALL_RETURNS, .does = &bpf_call_ended },
	{ .name = N_("a timed system call begins"),
	  .tracepoint = "sys_enter",
	  .does = &bpf_call_begun,
	  .keys = { { .is = BPF_PART_THREAD } },
	  .n_keys = 1 },
};
#define N_TIMED (sizeof(timed_programs) / sizeof(timed_programs[0]))
#define BEGUN (&timed_programs[N_TIMED - 1])

#define PLAN(...)                                                                                            \
	{                                                                                                    \
		.topic = "call", .n_words = 1, .n_entries_max = ENTRIES_MAX, .slots = true, .by_pid = true,  \
		__VA_ARGS__                                                                                  \
	}

const struct trace_plan trace_plan_call = PLAN(.programs = all_programs, .n_programs = 1);
const struct trace_plan trace_plan_call_of_one =
	PLAN(.programs = timed_programs + 1, .n_programs = N_TIMED - 1);
const struct trace_plan trace_plan_call_of_scope =
	PLAN(.programs = timed_programs, .n_programs = N_TIMED, .of_wanted = true);

struct counts {
	struct call_count *list;
	size_t n, capacity;
};

struct state {
	struct process_list *processes;
	struct call_target target;
	struct trace_set trace;
	struct call_looks *looks; /* where the kernel does not count; NULL */
	struct wait_scope scope;
	uint64_t read_ns;          /* when the kernel's counts were read, if … */
	bool counted;              /* … there are some */
	struct counts now, before; /* of processes that are listed; before: in the last tick */
	struct counts gone;        /* of the others, without their numbers */

	struct trace_cost cost;
	bool times_stopped;
	struct trace_bursts bursts; /* … after that */
};

static void close_counting(struct state *state)
{
	trace_bursts_close(&state->bursts);
	trace_close(&state->trace);
	call_looks_close(state->looks);
	state->looks = NULL;
	wait_scope_free(&state->scope);
	state->now.n = state->before.n = state->gone.n = 0;
	state->cost = (struct trace_cost){ 0 };
	state->times_stopped = false;
}

static void open_counting(struct state *state, const struct sample *sample)
{
	const struct trace_plan *plan = state->target.process    ? &trace_plan_call_of_one
					: state->target.of_scope ? &trace_plan_call_of_scope
								 : &trace_plan_call;

	trace_open_process(&state->trace, sample->env, sample->request, plan, state->target.process);
	if (state->trace.error && sample->env->live)
		state->looks = call_looks_open(sample->env);
}

/* Before the processes are listed: those that are not listed then have exited. */
static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	if (call_target_update(&state->target, sample->request)) {
		close_counting(state);
		open_counting(state, sample);
	}
	state->read_ns = trace_bursts_look(&state->bursts, sample->env);
	state->counted = trace_read(&state->trace);
}

static void close_calls(struct sample *sample)
{
	struct state *state = sample->state;

	close_counting(state);
	free(state->now.list);
	free(state->before.list);
	free(state->gone.list);
}

static void add_count(struct counts *counts, const struct call_count *count)
{
	*VECTOR_ADD(counts->list, counts->n, counts->capacity) = *count;
}

/* Since the last tick. */
static struct call_count growth_of(const struct counts *before, struct call_count count)
{
	const struct call_count *shown = call_counts_find(before->list, before->n, count.word);

	if (shown) {
		count.count -= shown->count;
		count.sum_ns -= shown->sum_ns;
		count.more -= shown->more;
	}
	return count;
}

/* With what it has in this burst, and what is missing since the last tick. */
static void estimate(const struct state *state, struct call_count *count)
{
	const struct call_count *shown =
		call_counts_find(state->before.list, state->before.n, count->word);

	count->in_burst = count->count;
	if (shown) {
		count->in_burst += shown->in_burst - shown->count;
		count->more = shown->more;
	}
	count->more += trace_bursts_missed(&state->bursts, count->in_burst);
}

static void take_entries(struct state *state)
{
	struct counts before = state->before;

	state->before = state->now;
	state->now = before;
	state->now.n = 0;
	for (size_t i = 0; i < state->gone.n; i++)
		state->gone.list[i].more +=
			trace_bursts_missed(&state->bursts, state->gone.list[i].in_burst);
	for (size_t i = 0; i < state->trace.n_entries; i++) {
		const struct bpf_entry *entry = &state->trace.values[i];
		struct call_count count = { *trace_key(&state->trace, i), entry->count, entry->sum,
					    entry->most };
		uint32_t pid = (uint32_t)(count.word >> BPF_CALL_PROCESS_SHIFT);

		estimate(state, &count);
		if (process_list_find(state->processes, pid) &&
		    !process_list_find_exited(state->processes, pid)) {
			add_count(&state->now, &count);
			continue; /* one whose number a new process has is gone, too */
		}
		count = growth_of(&state->before, count);
		count.word &= (UINT64_C(1) << BPF_CALL_PROCESS_SHIFT) - 1;
		if (!state->bursts.counted) /* others like it took its place in a burst alone */
			count.in_burst = 0;
		add_count(&state->gone, &count);
		trace_forget(&state->trace, i);
		if (state->target.of_scope)
			trace_want(&state->trace, pid, false);
	}
	state->now.n = call_counts_sort(state->now.list, state->now.n);
	state->gone.n = call_counts_sort(state->gone.list, state->gone.n);
}

static void add_row(struct sample *sample, const struct call_sum *sum, const struct process *process)
{
	const struct state *state = sample->state;
	struct call_row *row = table_add(sample->table);
	char name[CALL_NAME_BYTES], errors[ERRORS_BYTES];

	call_name(sum->number, name);
	call_sum_errors(sum, errors, sizeof(errors));
	row->pid = process ? sum->pid : U64_BLANK;
	row->start_seconds = process ? process_start_seconds(sample->env, process->start_ticks) : 0;
	row->call = sample_text(sample, name);
	row->command = process ? sample_text(sample, process->name) : _("(exited)");
	row->how = state->looks ? "proc" : state->bursts.burst ? "burst" : "bpf";
	if (state->looks || (sum->timed > 0 && !state->times_stopped))
		row->seconds = (double)sum->sum_ns / 1e9;
	if (state->looks)
		return;
	row->calls = sum->calls;
	row->errors = sum->errors;
	row->error_names = sample_text(sample, errors);
	if (state->bursts.burst)
		row->age_seconds = (double)state->bursts.age_ns / 1e9;
	if (state->bursts.burst && sum->in_burst > 0)
		row->error_ratio = 1 / sqrt((double)sum->in_burst);
	if (sum->timed == 0)
		return;
	row->p50_seconds = call_sum_percentile(sum, 50);
	row->p99_seconds = call_sum_percentile(sum, 99);
	row->max_seconds = (double)sum->most_ns / 1e9;
}

static void add_rows(struct sample *sample)
{
	const struct state *state = sample->state;
	struct call_sum sum;
	size_t at = 0;

	while (call_counts_next(state->now.list, state->now.n, &at, &sum)) {
		const struct process *process = process_list_find(state->processes, sum.pid);

		if (process && (!process->outside || state->target.process))
			add_row(sample, &sum, process);
	}
	at = 0;
	while (call_counts_next(state->gone.list, state->gone.n, &at, &sum))
		add_row(sample, &sum, NULL);
}

static void forget_burst(struct counts *counts)
{
	for (size_t i = 0; i < counts->n; i++)
		counts->list[i].in_burst = 0;
}

static void begin_burst(struct state *state)
{
	forget_burst(&state->now);
	forget_burst(&state->gone);
}

/* Times go first. */
static void limit_cost(struct state *state)
{
	double cost;

	if (state->bursts.burst) {
		if (trace_bursts_go_on(&state->bursts))
			begin_burst(state);
		state->cost = (struct trace_cost){ 0 };
		return;
	}
	cost = trace_cost_since(&state->cost, &state->trace, state->read_ns);
	if (cost <= TRACE_COST_MOST)
		return;
	if ((state->target.process || state->target.of_scope) && !state->times_stopped) {
		trace_stop(&state->trace, BEGUN);
		state->times_stopped = true;
		state->cost = (struct trace_cost){ 0 };
		return;
	}
	trace_bursts_start(&state->bursts, &state->trace, CALL_RETURNS, cost, state->read_ns);
	begin_burst(state);
}

static void notice_bursts(struct sample *sample)
{
	const struct trace_bursts *bursts = &((const struct state *)sample->state)->bursts;
	double counted = (double)bursts->lasted_ns / 1e9, cost = 100 * bursts->cost_at_first;

	if (counted == 0)
		frame_notice(sample->frame, "call", CALL_TARGET_REMEDY,
			     _("Counting all system calls costs %.0f %% of a CPU: they are counted in bursts "
			       "from now on"), cost);
	else
		frame_notice(sample->frame, "call", CALL_TARGET_REMEDY,
			     _("Estimates: system calls were counted for %.*f s of each %.0f s, since all of "
			       "them cost %.0f %% of a CPU"), counted < 0.1 ? 2 : 1, counted,
			     (double)bursts->period_ns / 1e9, cost);
}

static void add_notices(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t lost = trace_lost(&state->trace, CALL_RETURNS);

	if (state->bursts.burst)
		notice_bursts(sample);
	else if (state->times_stopped)
		frame_notice(sample->frame, "call", CALL_TARGET_REMEDY,
			     _("Counted, but no longer timed: timing system calls cost more than %.0f %% of "
			       "a CPU"),
			     100 * TRACE_COST_MOST);
	if (lost > 0)
		frame_notice(sample->frame, "call", NULL,
			     P_("%llu system call at most is not counted",
				"%llu system calls at most are not counted", lost),
			     (unsigned long long)lost);
}

static void look(struct sample *sample)
{
	struct state *state = sample->state;
	size_t n_left_out = call_looks_follow(state->looks, state->processes, state->target.process);

	trace_notice(&state->trace, sample->frame,
		     _("calls are not counted; their time is sampled, of processes that may be read"));
	if (n_left_out > 0)
		frame_notice(sample->frame, "call", CALL_TARGET_REMEDY,
			     P_("%zu thread is not looked at", "%zu threads are not looked at", n_left_out),
			     n_left_out);
	state->now.n = call_looks_counts(state->looks, &state->now.list, &state->now.capacity);
	state->now.n = call_counts_sort(state->now.list, state->now.n);
	add_rows(sample);
}

static int sample_calls(struct sample *sample)
{
	struct state *state = sample->state;

	if (state->looks)
		look(sample);
	if (state->trace.error)
		return state->looks || state->trace.error == -ENOTSUP ? 0 : state->trace.error;
	if (state->target.of_scope)
		wait_scope_update(&state->scope, &state->trace, state->processes);
	sample->table->mono_ns = state->read_ns;
	if (state->counted) {
		take_entries(state);
		add_rows(sample);
		limit_cost(state);
	}
	add_notices(sample);
	return 0;
}

const struct topic topic_call = {
	.schema = &schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .prepare = prepare,
	.sample = sample_calls, .close = close_calls
};
