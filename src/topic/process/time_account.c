/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "time_account": what the threads of each process did, and what they waited for. The kernel adds up
 * the times of each thread; here they are brought to one moment, and those of threads that exited are kept.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/span.h"
#include "topic/kernel_clock.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_io.h"
#include "topic/process/process_list.h"
#include "topic/process/time_account.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

#define N_PARTS BPF_STATE_GONE
#define ENTRIES_OF_ONE 4096
#define ENTRIES_OF_ALL 32768
#define NEEDS N_("this needs Linux 5.18 with BTF, on x86 or arm64")

struct time_account_row {
	uint64_t pid;
	double start_seconds;
	const char *part;
	double seconds, ratio;
	uint64_t threads;
	const char *how, *command;
};

#define ROW(field, ...) COLUMN(struct time_account_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .help = N_("PID")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(part, A_KEY(N_("part"), 8), .words = true,
	    .help = N_("running on a CPU; ready: waiting for one; disk: waiting for I/O; memory: for memory "
		       "to be reclaimed or read back; lock: for a futex, as threads of a pool do that have "
		       "no work, too; sleep: for anything that it may wait for as long as it takes, such as "
		       "input or a timer; other: for the kernel, or stopped"),
	    .source = "panetop"),
	ROW(ratio, A_RATE(RATIO, N_("%time"), 7), .additive = true, .trend = true, .of_cpu = true,
	    .rate_of = offsetof(struct time_account_row, seconds),
	    .help = N_("time of all its threads in the last interval; 1 is one thread all the time"),
	    .source = "growth of seconds / time"),
	ROW(seconds, A_COUNTER(SECONDS, N_("time"), 9), .hidden = true,
	    .help = N_("time of all its threads, since panetop began to count; the parts add up to the life "
		       "of the threads since then"),
	    .source = "BPF at sched_switch, sched_wakeup; else /proc/PID/task/TID/schedstat"),
	ROW(threads, A_GAUGE(COUNT, N_("threads"), 7), .rank = 2, .help = N_("its threads that are counted"),
	    .source = "BPF; else /proc/PID/stat"),
	ROW(how, A_LABEL(N_("how"), 5), .rank = 3,
	    .help = N_("bpf: counted in the kernel; proc: from files, which know running and ready alone"),
	    .source = "panetop"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/comm"),
};

static const struct schema schema = {
	.name = "time_account",
	.help = N_("what the threads of each process do with their time, and what they wait for"),
	.from_zero = true, .of_run = true, SCHEMA_ROWS(struct time_account_row, columns),
};

#define ENTERS(what, where, how)                                                                             \
	{                                                                                                    \
		.name = what, .tracepoint = where, .does = &bpf_enter_##how                                  \
	}

/* The tasks that exist come last: what changes meanwhile is known then. */
static const struct bpf_program programs[] = {
	ENTERS(N_("a thread leaves a CPU to another"), "sched_switch", switch),
	ENTERS(N_("a thread becomes ready"), "sched_wakeup", ready),
	ENTERS(N_("a new thread"), "sched_wakeup_new", ready),
	ENTERS(N_("a thread becomes the first"), "sched_process_exec", gone),
	ENTERS(N_("threads that exist"), "bpf_iter_task", exists),
};

#define PLAN(room)                                                                                           \
	{                                                                                                    \
		.topic = "time_account", .programs = programs,                                               \
		.n_programs = sizeof(programs) / sizeof(programs[0]),                                        \
		.n_words = sizeof(struct bpf_times_key) / sizeof(uint64_t), .n_entries_max = room,           \
		.by_pid = true                                                                               \
	}

const struct trace_plan trace_plan_time_account = PLAN(ENTRIES_OF_ALL);
const struct trace_plan trace_plan_time_account_of_one = PLAN(ENTRIES_OF_ONE);

static const char *const part_names[N_PARTS] = {
	[BPF_STATE_RUNNING] = N_("running"), [BPF_STATE_READY] = N_("ready"), [BPF_STATE_DISK] = N_("disk"),
	[BPF_STATE_MEMORY] = N_("memory"),   [BPF_STATE_LOCK] = N_("lock"),   [BPF_STATE_SLEEP] = N_("sleep"),
	[BPF_STATE_OTHER] = N_("other"),
};

struct account {
	uint32_t pid;
	uint64_t start_ticks;
	uint64_t threads;
	uint64_t gone_ns[N_PARTS];  /* of threads that exited */
	uint64_t now_ns[N_PARTS];   /* of all */
	uint64_t shown_ns[N_PARTS]; /* of all, in the last tick */
	uint64_t cpu_ns;            /* its CPU clock in the last tick; 0: unknown */
	uint64_t excess_ns;         /* that it ran beyond its CPU clock */
	bool broken;                /* events of it are missing: it ran longer than its CPU clock */
};

struct state {
	struct process_list *processes;
	struct trace_set trace;
	bool opened;
	struct account *list, *room; /* by pid, as the processes; the same capacity */
	size_t count, capacity;
};

/* 0: all. */
static uint32_t wanted_process(const struct sample_request *request)
{
	struct span list = span_text(request->processes ? request->processes : "");
	uint64_t pid;

	if (request->time_of_mapped && request->mapped.is_set)
		return request->mapped.pid;
	return span_u64(&list, &pid) && span_length(list) == 0 && pid <= UINT32_MAX ? (uint32_t)pid : 0;
}

/* Before the processes are listed: those that are then seen were counted from their start. */
static void open_trace(struct sample *sample)
{
	struct state *state = sample->state;
	uint32_t wanted = wanted_process(sample->request);

	if (state->opened && state->trace.process == wanted)
		return;
	trace_close(&state->trace);
	trace_open_process(&state->trace, sample->env, sample->request,
			   wanted ? &trace_plan_time_account_of_one : &trace_plan_time_account, wanted);
	state->trace.process = wanted;
	state->opened = true;
	state->count = 0; /* counting begins again */
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	free(state->list);
	free(state->room);
}

/* An account for each process, as it was in the last tick. */
static void follow_processes(struct state *state)
{
	const struct process_list *processes = state->processes;
	size_t n_before = state->count, at = 0;
	struct account *before;

	if (processes->n_all > state->capacity) {
		state->capacity = processes->n_all + processes->n_all / 2;
		state->list = alloc_resize(state->list, state->capacity, sizeof(*state->list));
		state->room = alloc_resize(state->room, state->capacity, sizeof(*state->room));
	}
	before = state->list;
	state->list = state->room;
	state->room = before;
	state->count = processes->n_all;
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];
		struct account *account = &state->list[i];

		while (at < n_before && before[at].pid < process->pid)
			at++;
		if (at < n_before && before[at].pid == process->pid &&
		    before[at].start_ticks == process->start_ticks)
			*account = before[at];
		else
			*account =
				(struct account){ .pid = process->pid, .start_ticks = process->start_ticks };
		account->threads = 0;
		memcpy(account->shown_ns, account->now_ns, sizeof(account->shown_ns));
	}
}

static int compare_pids(const void *pid, const void *account)
{
	uint32_t one = *(const uint32_t *)pid, other = ((const struct account *)account)->pid;

	return (one > other) - (one < other);
}

static void take_off(uint64_t *from, uint64_t *left)
{
	uint64_t taken = *from < *left ? *from : *left;

	*from -= taken;
	*left -= taken;
}

/* Its times at this moment, which was before they were read: what came after goes. */
static void bring_to(const struct bpf_times *times, uint64_t moment_ns, uint64_t spent_ns[N_PARTS])
{
	uint64_t after_ns;

	memcpy(spent_ns, times->spent_ns, N_PARTS * sizeof(*spent_ns));
	if (times->since_ns <= moment_ns) {
		if (times->state < N_PARTS)
			spent_ns[times->state] += moment_ns - times->since_ns;
		return;
	}
	after_ns = times->since_ns - moment_ns;
	if (times->before < N_PARTS)
		take_off(&spent_ns[times->before], &after_ns);
	for (unsigned part = 0; part < N_PARTS; part++) /* more than one change came after */
		take_off(&spent_ns[part], &after_ns);
}

static void add_thread(struct state *state, size_t entry, uint64_t moment_ns)
{
	const struct bpf_times *times = &state->trace.times[entry];
	uint32_t pid = (uint32_t)times->process;
	struct account *account = bsearch(&pid, state->list, state->count, sizeof(*account), compare_pids);
	bool gone = times->state == BPF_STATE_GONE && times->since_ns <= moment_ns;
	uint64_t spent_ns[N_PARTS];

	if (gone)
		trace_forget(&state->trace, entry);
	if (!account)
		return;
	bring_to(times, moment_ns, spent_ns);
	account->threads += !gone;
	for (unsigned part = 0; part < N_PARTS; part++) {
		account->now_ns[part] += spent_ns[part];
		account->gone_ns[part] += gone ? spent_ns[part] : 0;
	}
}

static unsigned most_grown(const struct account *account)
{
	unsigned most = 0;

	for (unsigned part = 1; part < N_PARTS; part++)
		if (account->now_ns[part] > account->shown_ns[part] &&
		    (account->now_ns[most] <= account->shown_ns[most] ||
		     account->now_ns[part] - account->shown_ns[part] >
			     account->now_ns[most] - account->shown_ns[most]))
			most = part;
	return most;
}

/* Microseconds that were taken off the wrong part would make it shrink: another one gives them back. */
static void keep_growing(struct account *account)
{
	for (unsigned part = 0; part < N_PARTS; part++) {
		uint64_t *now_ns = &account->now_ns[part], missing_ns, left_ns;
		unsigned giver = most_grown(account);

		if (*now_ns >= account->shown_ns[part])
			continue;
		left_ns = missing_ns = account->shown_ns[part] - *now_ns;
		take_off(&account->now_ns[giver], &left_ns);
		*now_ns += missing_ns - left_ns;
	}
}

/* Some kernels run no programs while certain processes run, such as the one that watches over a sandbox. */
static void compare_with_clock(struct account *account, const struct process *process)
{
	uint64_t run_ns = account->now_ns[BPF_STATE_RUNNING] - account->shown_ns[BPF_STATE_RUNNING];

	if (account->cpu_ns > 0 && process->clock_valid && process->cpu_ns >= account->cpu_ns)
		account->excess_ns =
			time_account_excess(account->excess_ns, run_ns, process->cpu_ns - account->cpu_ns);
	account->broken |= account->excess_ns > TIME_ACCOUNT_SLACK_NS;
	account->cpu_ns = process->clock_valid ? process->cpu_ns : 0;
}

static void add_times(struct state *state, uint64_t moment_ns)
{
	for (size_t i = 0; i < state->count; i++)
		memcpy(state->list[i].now_ns, state->list[i].gone_ns, sizeof(state->list[i].now_ns));
	for (size_t i = 0; i < state->trace.n_entries; i++)
		add_thread(state, i, moment_ns);
	for (size_t i = 0; i < state->count; i++) {
		keep_growing(&state->list[i]);
		compare_with_clock(&state->list[i], state->processes->all[i]);
	}
}

static struct time_account_row *add_row(struct sample *sample, const struct process *process, unsigned part)
{
	struct time_account_row *row = table_add(sample->table);

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->part = part_names[part];
	row->command = arena_copy(&sample->frame->arena, process->name, strlen(process->name));
	return row;
}

/* Of processes whose threads were all read. */
static void set_from_files(struct time_account_row *row, const struct process *process, unsigned part)
{
	const struct process_wait *wait = process_wait_of(process);

	if (part == BPF_STATE_RUNNING && process->clock_valid)
		row->seconds = (double)process->cpu_ns / 1e9;
	else if (part == BPF_STATE_READY && wait)
		row->seconds = (double)wait->wait_ns / 1e9;
	row->threads = process->stat.threads;
}

static void add_rows(struct sample *sample, bool counted)
{
	const struct state *state = sample->state;

	for (size_t i = 0; i < state->processes->n_all; i++) {
		const struct process *process = state->processes->all[i];

		if (process->outside || (state->trace.process && state->trace.process != process->pid))
			continue;
		for (unsigned part = 0; part < N_PARTS; part++) {
			struct time_account_row *row = add_row(sample, process, part);

			if (!counted) {
				set_from_files(row, process, part);
			} else if (!state->list[i].broken) {
				row->seconds = (double)state->list[i].now_ns[part] / 1e9;
				row->threads = state->list[i].threads;
			}
			row->how = counted ? "bpf" : "proc";
		}
	}
}

static int sample_account(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t moment_ns;

	trace_notice(&state->trace, sample->frame, _("it is not known what processes wait for"));
	sample->table->mono_ns = state->processes->mono_ns;
	moment_ns = env_mono_ns(sample->env);
	if (!trace_read(&state->trace)) {
		process_wait_update(state->processes);
		add_rows(sample, false);
		return 0;
	}
	follow_processes(state);
	add_times(state, moment_ns - kernel_clock_lag_ns(sample->env));
	sample->table->mono_ns = moment_ns;
	add_rows(sample, true);
	return 0;
}

const struct topic topic_time_account = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = TRACE_SOURCE, .gives = N_("what processes wait for: disk, memory, locks"),
		  .optional = true, .test = trace_test,
		  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, NEEDS }, { ENODATA, NEEDS } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF), .state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .prepare = open_trace,
	.sample = sample_account, .close = close_account,
};
