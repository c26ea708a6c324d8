/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "wakeup": which processes are woken up how often, and by what. The kernel counts by process and by
 * what the CPU was doing; what processes did that are no longer listed is kept in a row of its own.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "sys/pids.h"
#include "topic/interrupt/wakeup_cause.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define BIT(mark) (UINT64_C(1) << (mark))
#define TIMER_SOFTIRQS (BIT(1) | BIT(8))                    /* TIMER, HRTIMER */
#define NETWORK_SOFTIRQS (BIT(2) | BIT(3))                  /* NET_TX, NET_RX */
#define DEVICE_SOFTIRQS (BIT(0) | BIT(4) | BIT(5) | BIT(6)) /* HI, BLOCK, IRQ_POLL, TASKLET */

/* Of several marks the innermost decides: a timer within an interrupt is a timer. */
enum wakeup_cause wakeup_cause_of(uint64_t marks, bool idle)
{
	if (marks & BIT(MARK_HRTIMER))
		return CAUSE_TIMER;
	if (marks & BIT(MARK_IRQ))
		return CAUSE_DEVICE;
	if (marks & (BIT(MARK_CALL) | BIT(MARK_WORK) | BIT(MARK_IPI)))
		return CAUSE_KERNEL;
	if (marks & TIMER_SOFTIRQS)
		return CAUSE_TIMER;
	if (marks & NETWORK_SOFTIRQS)
		return CAUSE_NETWORK;
	if (marks & DEVICE_SOFTIRQS)
		return CAUSE_DEVICE;
	return marks || idle ? CAUSE_KERNEL : CAUSE_TASK;
}

#define STATUS_BYTES 4096
#define ENTRIES_MAX 16384

struct wakeup_row {
	uint64_t pid;
	double start_seconds;
	double per_second, timer_per_second, device_per_second, network_per_second, task_per_second,
		kernel_per_second, from_idle_per_second, interval_seconds;
	uint64_t wakeups, by_timer, by_device, by_network, by_task, by_kernel, from_idle;
	double observed_seconds;
	const char *how, *command;
};

#define RATE(field, of, ...)                                                                                 \
	COLUMN(struct wakeup_row, field, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .width = 8,           \
	       .rate_of = offsetof(struct wakeup_row, of), .source = "growth of " #of " / time",             \
	       __VA_ARGS__)

#define COUNT(field, heading, what, ...)                                                                     \
	COLUMN(struct wakeup_row, field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .width = 9,             \
	       .hidden = true, .title = heading, .help = what, .source = __VA_ARGS__)

#define BY_CAUSE "BPF at sched_waking, and around what may wake up"
#define COL(field, ...) COLUMN_OF(struct wakeup_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(pid, KEY, NONE, N_("PID"), 7,
	    N_("process that is woken up, with all its threads; 0: those that exited"),
	    "task_struct; else /proc", .fleeting = true),
	COL(start_seconds, KEY, SECONDS, N_("started"), 8, N_("start time, after boot"),
	    "/proc/PID/stat starttime", .fleeting = true, .hidden = true),
	RATE(per_second, wakeups, .additive = true, .title = N_("per s"), .trend = true,
	     .help = N_("wake-ups of its threads, in the last interval")),
	RATE(timer_per_second, by_timer, .title = N_("timer"), .rank = 1, .optional = true,
	     .help = N_("by timers that expired")),
	RATE(device_per_second, by_device, .title = N_("device"), .rank = 1, .optional = true,
	     .help = N_("by interrupts of devices, other than packets")),
	RATE(network_per_second, by_network, .title = N_("network"), .rank = 1, .optional = true,
	     .help = N_("by packets that were received or sent (NET_RX, NET_TX), of this machine, too")),
	RATE(task_per_second, by_task, .title = N_("task"), .rank = 1, .optional = true,
	     .help = N_("by a task: a pipe, a lock, a signal, an interrupt's thread")),
	RATE(kernel_per_second, by_kernel, .title = N_("kernel"), .rank = 2, .optional = true,
	     .help = N_("by the kernel between tasks: RCU, the scheduler, calls from other CPUs")),
	RATE(from_idle_per_second, from_idle, .additive = true, .title = N_("idle"), .rank = 1,
	     .optional = true,
	     .help = N_("that came from a CPU without a task to run, so that the CPU was woken up, too")),
	COL(interval_seconds, RATE, SECONDS, N_("interval"), 8, N_("mean time between wake-ups"),
	    "time / growth of wakeups", .rank = 2, .rate_of = offsetof(struct wakeup_row, observed_seconds),
	    .rate_over = offsetof(struct wakeup_row, wakeups)),
	COUNT(wakeups, N_("count"),
	      N_("wake-ups of its threads since panetop began to count; from files: since they began"),
	      "sum over the causes; else /proc/PID/task/TID/status voluntary_ctxt_switches"),
	COUNT(by_timer, N_("by timer"), N_("by timers, since panetop began to count"), BY_CAUSE,
	      .optional = true),
	COUNT(by_device, N_("by dev."), N_("by devices, since panetop began to count"), BY_CAUSE,
	      .optional = true),
	COUNT(by_network, N_("by net."), N_("by packets, since panetop began to count"), BY_CAUSE,
	      .optional = true),
	COUNT(by_task, N_("by task"), N_("by tasks, since panetop began to count"), BY_CAUSE,
	      .optional = true),
	COUNT(by_kernel, N_("by kernel"), N_("by the kernel between tasks, since panetop began to count"),
	      BY_CAUSE, .optional = true),
	COUNT(from_idle, N_("from idle"), N_("from CPUs without a task to run, since panetop began to count"),
	      BY_CAUSE, .optional = true),
	COL(observed_seconds, COUNTER, SECONDS, N_("time"), 8, N_("since panetop began to count"),
	    "CLOCK_MONOTONIC", .hidden = true),
	COL(how, LABEL, NONE, N_("how"), 5,
	    N_("bpf: counted in the kernel, by cause; proc: voluntary switches, each of which ends with a "
	       "wake-up, without the cause"), "panetop", .rank = 3),
	COL(command, LABEL, NONE, N_("command"), 16, N_("name of the process"), "/proc/PID/comm",
	    .grouping = "command"),
};

static const struct schema schema = {
	.name = "wakeup",
	.help = N_("wake-ups by process and cause"),
	.none = N_("no process was woken up yet"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct wakeup_row, columns),
};

static const struct bpf_program programs[] = {
	CAUSE_MARKS,
	CAUSE_MARKS_OF_CALLS,
	{ .name = N_("a wake-up"),
	  .tracepoint = "sched_waking",
	  .does = &bpf_count,
	  .keys = { { .is = BPF_PART_MEMBER, .name = "task_struct.tgid" },
		    { .is = BPF_PART_MEMBER, .name = "task_struct.group_leader.start_boottime" },
		    { .is = BPF_PART_MARKS },
		    { .is = BPF_PART_IDLE } },
	  .n_keys = 4 },
};

const struct trace_plan trace_plan_wakeup = {
	.topic = "wakeup",
	TRACE_PROGRAMS(programs),
	.n_words = 4,
	.n_entries_max = ENTRIES_MAX,
	.by_pid = true,
};

struct wakeups {
	uint64_t by[N_CAUSES], from_idle;
};

struct woken {
	uint32_t pid;
	uint64_t start_ticks;
	bool listed;               /* in this tick */
	struct wakeups now, shown; /* shown: in the last tick */
	uint64_t switches;         /* without BPF: voluntary ones of all its threads; U64_UNKNOWN */
};

struct state {
	struct trace_set trace;
	bool opened;
	struct process_list *processes;
	struct woken *list, *room; /* by pid, as the processes; the same capacity */
	size_t count, n_before, capacity;
	struct wakeups gone; /* of processes that are no longer listed */
	uint64_t begun_ns;
	uint64_t read_ns; /* when the kernel's counts were read, if … */
	bool counted;     /* … there are some */
};

static void close_wakeups(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	free(state->list);
	free(state->room);
}

static void make_room(struct state *state, size_t wanted)
{
	if (wanted <= state->capacity)
		return;
	state->capacity = wanted + wanted / 2;
	state->list = alloc_resize(state->list, state->capacity, sizeof(*state->list));
	state->room = alloc_resize(state->room, state->capacity, sizeof(*state->room));
}

/* An element for each process, with what it had in the last tick; those that are gone stay in room. */
static void follow_processes(struct state *state)
{
	const struct process_list *processes = state->processes;
	struct woken *before;
	size_t at = 0;

	make_room(state, processes->n_all);
	before = state->list;
	state->list = state->room;
	state->room = before;
	state->n_before = state->count;
	state->count = processes->n_all;
	for (size_t i = 0; i < state->n_before; i++) {
		before[i].listed = false;
		before[i].shown = before[i].now;
		before[i].now = (struct wakeups){ 0 };
	}
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];
		struct woken *woken = &state->list[i];

		while (at < state->n_before && before[at].pid < process->pid)
			at++;
		*woken = (struct woken){ .pid = process->pid,
					 .start_ticks = process->start_ticks,
					 .switches = U64_UNKNOWN };
		if (at < state->n_before && before[at].pid == process->pid &&
		    before[at].start_ticks == process->start_ticks) {
			*woken = before[at];
			before[at].listed = true;
		}
	}
}

static int compare_pids(const void *pid, const void *woken)
{
	uint32_t one = *(const uint32_t *)pid, other = ((const struct woken *)woken)->pid;

	return (one > other) - (one < other);
}

/* NULL: the list has no such process. */
static struct woken *find(struct woken *list, size_t count, uint32_t pid, uint64_t start_ticks)
{
	struct woken *woken = bsearch(&pid, list, count, sizeof(*list), compare_pids);

	return woken && woken->start_ticks == start_ticks ? woken : NULL;
}

/* Counted before the processes were listed, so that one that is not listed has exited, or is not visible. */
static void add_entries(struct state *state, const struct env *env)
{
	uint64_t tick_ns = UINT64_C(1000000000) / env->ticks_per_second;

	for (size_t i = 0; i < state->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&state->trace, i);
		uint64_t start_ticks = key[1] / tick_ns, count = state->trace.values[i].count;
		struct woken *woken = find(state->list, state->count, (uint32_t)key[0], start_ticks);
		struct wakeups *wakeups = woken ? &woken->now : &state->gone;

		if (!woken) {
			woken = find(state->room, state->n_before, (uint32_t)key[0], start_ticks);
			wakeups = woken ? &woken->now : wakeups;
			trace_forget(&state->trace, i);
		}
		wakeups->by[wakeup_cause_of(key[2], key[3])] += count;
		wakeups->from_idle += key[3] ? count : 0;
	}
}

static void add_gone(struct state *state)
{
	for (size_t i = 0; i < state->n_before; i++) {
		const struct wakeups *now = &state->room[i].now, *shown = &state->room[i].shown;

		if (state->room[i].listed)
			continue;
		for (unsigned cause = 0; cause < N_CAUSES; cause++)
			state->gone.by[cause] += now->by[cause] - shown->by[cause];
		state->gone.from_idle += now->from_idle - shown->from_idle;
	}
}

static struct wakeup_row *add_row(struct sample *sample, const char *how)
{
	const struct state *state = sample->state;
	struct wakeup_row *row = table_add(sample->table);

	row->observed_seconds = (double)(sample->table->mono_ns - state->begun_ns) / 1e9;
	row->how = how;
	return row;
}

static void name_row(struct sample *sample, struct wakeup_row *row, const struct process *process)
{
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->command = frame_text(sample->frame, process->name);
}

static void fill(struct wakeup_row *row, const struct wakeups *wakeups)
{
	row->by_timer = wakeups->by[CAUSE_TIMER];
	row->by_device = wakeups->by[CAUSE_DEVICE];
	row->by_network = wakeups->by[CAUSE_NETWORK];
	row->by_task = wakeups->by[CAUSE_TASK];
	row->by_kernel = wakeups->by[CAUSE_KERNEL];
	row->from_idle = wakeups->from_idle;
	row->wakeups = row->by_timer + row->by_device + row->by_network + row->by_task + row->by_kernel;
}

static bool is_none(const struct wakeups *wakeups)
{
	for (unsigned cause = 0; cause < N_CAUSES; cause++)
		if (wakeups->by[cause] > 0)
			return false;
	return true;
}

static void add_counted(struct sample *sample)
{
	const struct state *state = sample->state;
	struct wakeup_row *row;

	for (size_t i = 0; i < state->count; i++) {
		const struct process *process = state->processes->all[i];

		if (process->outside || is_none(&state->list[i].now))
			continue;
		row = add_row(sample, "bpf");
		name_row(sample, row, process);
		fill(row, &state->list[i].now);
	}
	if (is_none(&state->gone) || scope_is_set(sample->request->scope))
		return;
	row = add_row(sample, "bpf");
	row->pid = 0;
	row->start_seconds = 0;
	row->command = _("(exited)");
	fill(row, &state->gone);
}

/* The voluntary switches in a status file; each ends with a wake-up. */
static uint64_t switches_in(struct env *env, uint32_t pid, const char *name)
{
	char bytes[STATUS_BYTES];
	long length = pids_read(env, pid, name, bytes, sizeof(bytes));
	struct span text = span_of(bytes, length > 0 ? (size_t)length : 0), value;
	uint64_t switches;

	if (!pid_status_line(text, "voluntary_ctxt_switches", &value) || !span_u64(&value, &switches))
		return U64_UNKNOWN;
	return switches;
}

/* Threads that exit take theirs with them. */
static uint64_t switches_of(struct env *env, const struct process *process)
{
	const uint32_t *tids;
	size_t n_tids;
	uint64_t sum = 0;

	if (process->stat.threads <= 1)
		return switches_in(env, process->pid, "status");
	if (pids_threads(env, process->pid, &tids, &n_tids) < 0)
		return U64_UNKNOWN;
	for (size_t i = 0; i < n_tids && sum != U64_UNKNOWN; i++) {
		char name[40];

		snprintf(name, sizeof(name), "task/%u/status", tids[i]);
		sum = u64_sum(sum, switches_in(env, process->pid, name));
	}
	return sum;
}

/* Of processes that did not run since the last tick nothing has changed. */
static void add_from_files(struct sample *sample)
{
	struct state *state = sample->state;

	for (size_t i = 0; i < state->count; i++) {
		const struct process *process = state->processes->all[i];
		struct woken *woken = &state->list[i];
		struct wakeup_row *row;

		if (process->outside)
			continue;
		if (process->ran || woken->switches == U64_UNKNOWN)
			woken->switches = switches_of(sample->env, process);
		row = add_row(sample, "proc");
		name_row(sample, row, process);
		row->wakeups = woken->switches;
	}
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	if (!state->opened) {
		state->opened = true;
		trace_open(&state->trace, sample->env, sample->request, &trace_plan_wakeup);
		state->begun_ns = sample_mono_ns(sample);
	}
	state->read_ns = env_mono_ns(sample->env);
	state->counted = trace_read(&state->trace);
}

static int sample_wakeups(struct sample *sample)
{
	struct state *state = sample->state;

	trace_notice(&state->trace, sample->frame, _("the causes of wake-ups are not known"));
	follow_processes(state);
	if (!state->counted) {
		add_from_files(sample);
		return 0;
	}
	sample->table->mono_ns = state->read_ns;
	add_entries(state, sample->env);
	add_gone(state);
	add_counted(sample);
	return 0;
}

const struct topic topic_wakeup = {
	.schema = &schema,
	.sources = SOURCES(
		TRACE_GIVES(N_("what wakes processes up"), TRACE_REMEDIES, TRACE_REMEDY_TYPES,
			    TRACE_REMEDY_PIDS)),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)),
	.prepare = prepare,
	.sample = sample_wakeups,
	.close = close_wakeups,
};
