/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "waiting": what the threads of the selected process, or of those of the scope, wait for, by the
 * function of the kernel that they wait in; and "wall_time": running code and waits in one table. Counts in
 * the kernel, or by records of switches, and puts together what items of the ledger have in common. From the
 * kernel it reads sums of waits that have ended, then the threads with what each is in. A wait that ends
 * between both reads is in neither; the threads know how long they waited in all, and their last wait, so
 * that it is found.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/code/symbols.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/kernel_clock.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/process/time_account.h"
#include "topic/profile/profiler.h"
#include "topic/profile/wait_ledger.h"
#include "topic/profile/wait_switches.h"
#include "topic/reader.h"
#include "topic/topic.h"
#include "topic/trace/kernel_names.h"
#include "topic/trace/trace.h"
#include "topic/trace/trace_scope.h"

struct wait_row {
	uint32_t pid;
	uint64_t start_ticks;
	enum wait_cause cause; /* also running, and ready */
	const char *function;  /* of the kernel, or a system call; "": there is none */
	const char *command;   /* of the process */
	double seconds;        /* of all its threads, in the interval; NAN: switches of it are missing */
	uint64_t waits;        /* that began in it; blank where it does not wait, or unknown */
	const char *how;       /* N_(): as of topic "waiting" */
};

/* All zero: not begun. */
struct kernel_functions {
	struct kernel_functions_reading *reading; /* of the thread; NULL: … */
	bool started;                             /* … it has ended */
	struct symbols symbols;                   /* when ready */
};

struct wait_kernel {
	struct trace_set trace;
	struct kernel_functions functions;
	struct wait_scope scope;
};

struct kernel_functions_reading {
	struct env *env;
	pthread_t thread;
	struct progress progress;
	struct symbols symbols;
};

static void *read_functions(void *context)
{
	struct kernel_functions_reading *reading = context;
	struct kernel_text *text = alloc_zeroed(1, sizeof(*text));
	struct span lines;
	int fd;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_SYMBOLS));
	fd = kernel_names_open(reading->env);
	while (fd >= 0 && progress_goes_on(&reading->progress) && kernel_text_read(text, fd, &lines))
		kernel_text_add(&reading->symbols, lines);
	symbols_sort(&reading->symbols);
	descriptor_close(fd);
	free(text);
	atomic_store(&reading->progress.ready, true);
	return NULL;
}

static void start(struct kernel_functions *functions, struct env *env)
{
	struct kernel_functions_reading *reading = alloc_zeroed(1, sizeof(*reading));

	functions->started = true;
	reading->env = env;
	if (pthread_create(&reading->thread, NULL, read_functions, reading) == 0)
		functions->reading = reading;
	else
		free(reading);
}

/* Where the thread hangs, it keeps what it has. */
static void join(struct kernel_functions *functions)
{
	struct kernel_functions_reading *reading = functions->reading;

	functions->reading = NULL;
	if (!reading || !patience_join(reading->thread))
		return;
	functions->symbols = reading->symbols;
	free(reading);
}

/* Begins to read; whole: waits for the end, unless it hangs. True: they are ready. */
static bool kernel_functions_update(struct kernel_functions *functions, struct env *env, bool whole)
{
	struct kernel_functions_reading *reading;

	if (!functions->started)
		start(functions, env);
	reading = functions->reading;
	if (reading && (whole ? patience_await(&reading->progress) : atomic_load(&reading->progress.ready)))
		join(functions);
	return !functions->reading;
}

static void kernel_functions_close(struct kernel_functions *functions)
{
	if (functions->reading)
		atomic_store(&functions->reading->progress.cancelled, true);
	join(functions);
	symbols_free(&functions->symbols);
	functions->started = false;
}

#define ENTRIES_MAX 8192
#define NO_STACK UINT32_MAX

#define WAITS(what, where, how) { .name = what, .tracepoint = where, .does = &bpf_##how }

/* Threads that exist come last: what changes meanwhile is known then. */
static const struct bpf_program programs[] = {
	WAITS(N_("a process of the scope forks"), "sched_process_fork", follow),
	WAITS(N_("a thread leaves a CPU to another"), "sched_switch", wait_switch),
	WAITS(N_("a thread becomes ready"), "sched_wakeup", wait_ready),
	WAITS(N_("a new thread"), "sched_wakeup_new", wait_ready),
	WAITS(N_("a thread becomes the first"), "sched_process_exec", wait_gone),
	WAITS(N_("threads that exist"), "bpf_iter_task", wait_exists),
};
#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

#define PLAN(...)                                                                                            \
	{ .topic = "waiting",                                                                                \
	  .n_words = sizeof(struct bpf_wait) / sizeof(uint64_t),                                             \
	  .n_entries_max = ENTRIES_MAX,                                                                      \
	  .by_pid = true,                                                                                    \
	  __VA_ARGS__ }

const struct trace_plan trace_plan_waiting =
	PLAN(.programs = programs, .n_programs = N_PROGRAMS, .of_wanted = true);
const struct trace_plan trace_plan_waiting_of_one =
	PLAN(.programs = programs + 1, .n_programs = N_PROGRAMS - 1);

static bool is_wait(uint64_t state)
{
	return state > BPF_STATE_READY && state < BPF_STATE_GONE;
}

static uint32_t item_of(struct wait_ledger *ledger, uint32_t process, const struct bpf_wait *wait)
{
	uint32_t stack = (int32_t)wait->stack < 0 ? NO_STACK : wait->stack;

	return wait_ledger_item(ledger, process, wait->state, stack, wait->call);
}

static const struct bpf_waiter *waiter_of(const struct wait_kernel *kernel, size_t at)
{
	return (const struct bpf_waiter *)kernel->trace.waiters.values + at;
}

/* Of a thread that ended the kernel keeps it until it is forgotten. */
static void add_waiter(struct wait_kernel *kernel, struct wait_ledger *ledger, const struct sample *sample,
		       size_t at, uint64_t moment_ns)
{
	const struct bpf_waiter *waiter = waiter_of(kernel, at);
	uint64_t tick_ns = UINT64_C(1000000000) / sample->env->ticks_per_second;
	uint32_t number = wait_ledger_process(ledger, (uint32_t)waiter->process, waiter->start_ns / tick_ns);
	struct wait_process *process = &ledger->processes[number];
	bool gone = waiter->state == BPF_STATE_GONE;
	uint64_t open_ns = !gone && moment_ns > waiter->since_ns ? moment_ns - waiter->since_ns : 0;

	for (unsigned class = 0; class < N_BPF_WAIT_CLASSES; class++) {
		process->now_ns[class] += waiter->spent_ns[class];
		process->gone_ns[class] += gone ? waiter->spent_ns[class] : 0;
	}
	if (!process->command[0] || gone)
		snprintf(process->command, sizeof(process->command), "%.*s", BPF_COMMAND_BYTES,
			 waiter->command);
	if (gone) {
		trace_forget_waiter(&kernel->trace, at);
		return;
	}
	process->threads++;
	process->now_ns[is_wait(waiter->state) ? BPF_WAIT_WAITING : waiter->state] += open_ns;
	if (is_wait(waiter->state))
		wait_ledger_add(ledger, item_of(ledger, number, &waiter->wait), open_ns, 1);
}

static void add_entries(struct wait_kernel *kernel, struct wait_ledger *ledger)
{
	for (size_t i = 0; i < kernel->trace.n_entries; i++) {
		const struct bpf_wait *wait = (const void *)trace_key(&kernel->trace, i);
		const struct bpf_entry *entry = &kernel->trace.values[i];
		uint32_t process = wait_ledger_find(ledger, wait->process);

		if (process == HASH_NONE)
			trace_forget(&kernel->trace, i);
		else
			wait_ledger_add(ledger, item_of(ledger, process, wait), entry->sum, entry->count);
	}
}

static int64_t missing_ns(const struct wait_process *process)
{
	return (int64_t)(process->now_ns[BPF_WAIT_WAITING] - process->counted_ns);
}

/* Waits that ended while it was read. */
static void add_missing(struct wait_kernel *kernel, struct wait_ledger *ledger, uint64_t begun_ns)
{
	for (size_t i = 0; i < kernel->trace.waiters.n; i++) {
		const struct bpf_waiter *waiter = waiter_of(kernel, i);
		uint32_t process = wait_ledger_find(ledger, (uint32_t)waiter->process);
		int64_t missing = process == HASH_NONE ? 0 : missing_ns(&ledger->processes[process]);

		if (waiter->last_end_ns < begun_ns || missing <= 0)
			continue;
		wait_ledger_add(ledger, item_of(ledger, process, &waiter->last),
				(uint64_t)missing < waiter->last_ns ? (uint64_t)missing : waiter->last_ns,
				(uint64_t)missing >= waiter->last_ns);
	}
	for (uint32_t i = 0; i < ledger->n_processes; i++) {
		struct wait_process *process = &ledger->processes[i];
		int64_t missing = missing_ns(process);

		if (process->most_item == HASH_NONE && missing > 0)
			process->most_item = wait_ledger_item(ledger, i, BPF_STATE_OTHER, NO_STACK, -1);
		if (process->most_item != HASH_NONE)
			ledger->items[process->most_item].now_ns += (uint64_t)missing;
	}
}

static void add_running(struct wait_ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->n_processes; i++) {
		if (ledger->processes[i].ended)
			continue;
		for (uint32_t state = BPF_STATE_RUNNING; state <= BPF_STATE_READY; state++) {
			uint32_t item = wait_ledger_item(ledger, i, state, 0, 0);

			wait_ledger_add(ledger, item, ledger->processes[i].now_ns[state], 0);
		}
	}
}

/* Processes that ended are not looked at when their number comes back. */
static void forget_ended(struct wait_kernel *kernel, const struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_processes && kernel->trace.plan->of_wanted; i++)
		if (!ledger->processes[i].seen && !ledger->processes[i].ended)
			trace_want(&kernel->trace, ledger->processes[i].pid, false);
}

/* Some kernels run no programs while certain processes run, such as the one that watches over a sandbox. */
static void compare_with_clocks(struct wait_ledger *ledger, const struct process_list *processes)
{
	for (size_t i = 0; i < ledger->n_processes; i++) {
		struct wait_process *process = &ledger->processes[i];
		const struct process *listed =
			process->ended ? NULL : process_list_find(processes, process->pid);
		uint64_t ran_ns = process->now_ns[BPF_WAIT_RUNNING] - process->run_ns;
		bool is_known = listed && listed->start_ticks == process->start_ticks && listed->clock_valid;

		if (process->clock_ns > 0 && is_known && listed->cpu_ns >= process->clock_ns)
			process->excess_ns = time_account_excess(process->excess_ns, ran_ns,
								 listed->cpu_ns - process->clock_ns);
		process->is_broken |= process->excess_ns > TIME_ACCOUNT_SLACK_NS;
		process->clock_ns = is_known ? listed->cpu_ns : 0;
		process->run_ns = process->now_ns[BPF_WAIT_RUNNING];
	}
}

static void name_by(struct wait_ledger *ledger, uint32_t item, const struct span *functions, size_t n)
{
	const struct wait_item *of = &ledger->items[item];
	const struct pid_syscall call = { .number = (uint64_t)of->call };
	struct wait_meaning meaning = wait_meaning_of(functions, n, of->state & ~BPF_WAIT_BEFORE,
						      of->call < 0 ? NULL : pid_syscall_name(&call));

	wait_ledger_name(ledger, item, meaning.cause, meaning.function);
}

/* A return address is behind the call. */
static void name_by_stack(struct wait_kernel *kernel, struct wait_ledger *ledger, uint32_t item)
{
	const struct wait_item *of = &ledger->items[item];
	uint64_t frames[BPF_STACK_FRAMES] = { 0 };
	struct span functions[BPF_STACK_FRAMES];
	uint64_t offset;
	size_t n = 0;

	if (of->state & BPF_WAIT_BEFORE ? trace_stack_before(&kernel->trace, of->stack, frames)
					: trace_stack(&kernel->trace, of->stack, frames))
		for (; n < BPF_STACK_FRAMES && frames[n]; n++) {
			const char *name = symbols_find(&kernel->functions.symbols, frames[n] - 1, &offset);

			functions[n] = name ? span_text(name) : (struct span){ 0 };
		}
	name_by(ledger, item, functions, n);
}

static void name_items(struct wait_kernel *kernel, struct wait_ledger *ledger, const struct sample *sample)
{
	bool ready = kernel_functions_update(&kernel->functions, sample->env, sample->request->batch);

	for (uint32_t i = 0; i < ledger->n_items; i++) {
		struct wait_item *item = &ledger->items[i];

		if (item->is_known)
			continue;
		if (item->state <= BPF_STATE_READY)
			wait_ledger_name(ledger, i,
					 item->state == BPF_STATE_RUNNING ? WAIT_RUNNING : WAIT_READY,
					 (struct span){ 0 });
		else if (ready)
			name_by_stack(kernel, ledger, i);
		else
			name_by(ledger, i, NULL, 0); /* by its call, until it can be named */
		item->is_known = item->state <= BPF_STATE_READY || ready;
	}
}

/* The moment that the sums are of; 0: nothing is counted. */
static uint64_t count_waits(struct wait_kernel *kernel, const struct sample *sample,
			    const struct process_list *processes, struct wait_ledger *ledger)
{
	uint64_t lag_ns = kernel_clock_lag_ns(sample->env), begun_ns, moment_ns;

	if (kernel->trace.error)
		return 0;
	if (kernel->trace.plan->of_wanted)
		wait_scope_update(&kernel->scope, &kernel->trace, processes);
	begun_ns = env_mono_ns(sample->env) - lag_ns;
	if (!trace_read(&kernel->trace) || !trace_read_waiters(&kernel->trace))
		return 0;
	moment_ns = env_mono_ns(sample->env);
	for (size_t i = 0; i < kernel->trace.waiters.n; i++)
		add_waiter(kernel, ledger, sample, i, moment_ns - lag_ns);
	add_entries(kernel, ledger);
	add_missing(kernel, ledger, begun_ns);
	add_running(ledger);
	compare_with_clocks(ledger, processes);
	forget_ended(kernel, ledger);
	name_items(kernel, ledger, sample);
	return moment_ns;
}

struct wait_list {
	struct process_list *processes;
	bool opened, of_scope;
	uint32_t process; /* the one that is looked at; 0: the scope, or none */
	unsigned epoch;   /* of the scope */
	struct wait_kernel kernel;
	struct wait_switches *switches; /* where the kernel does not count; NULL */
	struct wait_ledger ledger;
	uint32_t *order; /* of items, for rows */
	size_t order_capacity;
	struct wait_row *rows; /* by process, cause and function, of this tick */
	size_t n_rows, row_capacity;
	double seconds;  /* length of the interval */
	uint64_t now_ns; /* that they are of; 0: nothing is counted */
};

struct state {
	struct wait_list *waits;
	struct profiler *profiler;   /* of wall_time, as … */
	struct profile_sum *running; /* … of each function: itself */
	size_t capacity;
};

static uint32_t wanted_process(const struct sample_request *request)
{
	if (request->profiled_pid)
		return request->profiled_pid;
	if (scope_is_set(request->scope))
		return wait_scope_process(request);
	return request->mapped.is_set ? request->mapped.pid : 0;
}

/* Keeps names of functions for the next time. */
static void close_counting(struct wait_list *list)
{
	trace_close(&list->kernel.trace);
	list->kernel.trace = (struct trace_set){ 0 };
	wait_scope_free(&list->kernel.scope);
	wait_switches_close(list->switches);
	list->switches = NULL;
	wait_ledger_free(&list->ledger);
	list->opened = false;
}

/* Before the processes are listed: those that are then seen were counted from their start. */
static void prepare(struct sample *sample)
{
	struct wait_list *list = ((struct state *)sample->state)->waits;
	uint32_t process = wanted_process(sample->request);
	bool of_scope = process == 0 && scope_is_set(sample->request->scope);
	unsigned epoch = of_scope ? sample->request->scope->epoch : 0;

	if (list->opened && (list->process != process || list->of_scope != of_scope || list->epoch != epoch))
		close_counting(list);
	if (list->opened || (!process && !of_scope))
		return;
	list->process = process;
	list->of_scope = of_scope;
	list->epoch = epoch;
	list->opened = true;
	trace_open_process(&list->kernel.trace, sample->env, sample->request,
			   process ? &trace_plan_waiting_of_one : &trace_plan_waiting, process);
	if (!list->kernel.trace.error)
		kernel_functions_update(&list->kernel.functions, sample->env, false);
	else if (sample->env->live)
		list->switches = wait_switches_open(sample->env);
	list->ledger.last_ns = env_mono_ns(sample->env);
}

static void close_list(void *state)
{
	struct wait_list *list = state;

	close_counting(list);
	kernel_functions_close(&list->kernel.functions);
	free(list->order);
	free(list->rows);
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

/* NULL: it has ended. */
static const struct process *listed_of(const struct wait_list *list, const struct wait_process *process)
{
	const struct process *listed = process_list_find(list->processes, process->pid);

	return listed && listed->start_ticks == process->start_ticks ? listed : NULL;
}

static struct wait_row *new_row(struct wait_list *list, const struct wait_item *item)
{
	const struct wait_process *process = &list->ledger.processes[item->process];
	const struct process *listed = listed_of(list, process);
	struct wait_row *row = VECTOR_ADD(list->rows, list->n_rows, list->row_capacity);

	*row = (struct wait_row){
		.pid = process->pid,
		.start_ticks = process->start_ticks,
		.cause = item->cause,
		.function = item->function ? item->function : "",
		.command = listed ? listed->name : process->command,
		.waits = item->cause <= WAIT_READY ? U64_BLANK : 0,
		.how = "bpf",
	};
	if (list->switches) {
		bool counted = wait_switches_has(list->switches, process->pid);

		row->how = counted ? "switches" : "proc";
		if (row->waits == 0 && !counted)
			row->waits = U64_UNKNOWN;
	}
	return row;
}

static void make_rows(struct wait_list *list)
{
	struct wait_row *row = NULL;
	size_t n = 0;

	list->seconds = wait_ledger_sum(&list->ledger);
	VECTOR_RESERVE(list->order, list->ledger.n_items + 1, list->order_capacity);
	for (uint32_t i = 0; i < list->ledger.n_items; i++) {
		const struct wait_item *item = &list->ledger.items[i];
		const struct process *listed = listed_of(list, &list->ledger.processes[item->process]);

		/* in scope now; what has ended was, when it was looked at */
		if ((item->window_ns != 0 || item->window_waits != 0) &&
		    (!listed || !listed->outside || list->process))
			list->order[n++] = i;
	}
	sorted = &list->ledger;
	qsort(list->order, n, sizeof(*list->order), by_row);
	for (size_t i = 0; i < n; i++) {
		const struct wait_item *item = &list->ledger.items[list->order[i]];
		const struct wait_process *process = &list->ledger.processes[item->process];

		if (i == 0 || by_row(&list->order[i - 1], &list->order[i]) != 0)
			row = new_row(list, item);
		row->seconds += process->is_broken ? NAN : (double)item->window_ns / 1e9;
		if (row->waits < U64_BLANK)
			row->waits += item->window_waits > 0 ? (uint64_t)item->window_waits : 0;
	}
}

static int update_list(void *state, const struct sample *sample)
{
	struct wait_list *list = state;
	uint64_t now_ns;

	list->n_rows = 0;
	list->now_ns = 0;
	if (!list->opened)
		return 0;
	wait_ledger_begin(&list->ledger);
	now_ns = list->switches
			 ? wait_switches_update(list->switches, list->processes, list->process, &list->ledger)
			 : count_waits(&list->kernel, sample, list->processes, &list->ledger);
	if (now_ns == 0)
		return 0;
	wait_ledger_end(&list->ledger, now_ns,
			sample->request->batch ? list->ledger.last_ns : now_ns - WAIT_WINDOW_NS);
	list->now_ns = now_ns;
	make_rows(list);
	return 0;
}

/* How causes are known without BPF, and for which threads they are not. */
static void add_notices(const struct wait_list *list, struct frame *frame)
{
	size_t left_out = list->switches ? wait_switches_left_out(list->switches) : 0;

	trace_notice(&list->kernel.trace, frame,
		     _("causes are sampled, of processes that may be read, and short waits have those of "
		       "others"));
	if (left_out > 0)
		frame_notice(frame, "waiting", _("choose a scope with less of them"),
			     P_("%zu thread is not followed", "%zu threads are not followed", left_out),
			     left_out);
}

static const struct reader wait_reader = {
	.name = "waits of threads",
	.state_size = sizeof(struct wait_list),
	.reads = READINGS(READING(struct wait_list, processes, &process_reader)),
	.update = update_list,
	.close = close_list,
};

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
	const struct wait_list *list = ((struct state *)sample->state)->waits;

	if (list->now_ns == 0)
		return 0;
	add_notices(list, sample->frame);
	sample->table->mono_ns = list->now_ns;
	for (size_t i = 0; i < list->n_rows; i++)
		add_row(sample, &list->rows[i], list->seconds);
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
static void add_wall_running(struct sample *sample, double seconds)
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
	const struct wait_list *list = ((struct state *)sample->state)->waits;
	bool is_wanted = sample->request->profiled_pid != 0 || scope_is_set(sample->request->scope);
	double running = 0, all = 0;

	if (list->now_ns == 0 || !is_wanted)
		return 0;
	sample->table->mono_ns = list->now_ns;
	for (size_t i = 0; i < list->n_rows; i++) {
		all += list->rows[i].seconds;
		running += list->rows[i].cause == WAIT_RUNNING ? list->rows[i].seconds : 0;
	}
	add_wall_running(sample, running);
	add_waits(sample, list->rows, list->n_rows);
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
