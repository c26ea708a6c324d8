/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what the kernel counts: sums of waits that have ended, then the threads with what each is in. A wait
 * that ends between both reads is in neither; the threads know how long they waited in all, and their last
 * wait, so that it is found.
 */
#include <config.h>

#include "topic/profile/wait_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/pid/pid_syscall.h"
#include "topic/kernel_clock.h"
#include "topic/process/time_account.h"

#define ENTRIES_MAX 8192
#define NO_STACK UINT32_MAX

#define WAITS(what, where, how)                                                                              \
	{                                                                                                    \
		.name = what, .tracepoint = where, .does = &bpf_##how                                        \
	}

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
	{                                                                                                    \
		.topic = "waiting", .n_words = sizeof(struct bpf_wait) / sizeof(uint64_t),                   \
		.n_entries_max = ENTRIES_MAX, .by_pid = true, __VA_ARGS__                                    \
	}

const struct trace_plan trace_plan_waiting =
	PLAN(.programs = programs, .n_programs = N_PROGRAMS, .of_wanted = true);
const struct trace_plan trace_plan_waiting_of_one =
	PLAN(.programs = programs + 1, .n_programs = N_PROGRAMS - 1);

void wait_kernel_open(struct wait_kernel *kernel, const struct sample *sample, uint32_t process)
{
	trace_open_process(&kernel->trace, sample->env, sample->request,
			   process ? &trace_plan_waiting_of_one : &trace_plan_waiting, process);
	if (!kernel->trace.error)
		kernel_functions_update(&kernel->functions, sample->env, false);
}

void wait_kernel_close(struct wait_kernel *kernel)
{
	trace_close(&kernel->trace);
	kernel->trace = (struct trace_set){ 0 };
	wait_scope_free(&kernel->scope);
}

void wait_kernel_free(struct wait_kernel *kernel)
{
	wait_kernel_close(kernel);
	kernel_functions_close(&kernel->functions);
}

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

	for (unsigned class = 0; class < N_BPF_WAIT_CLASSES; class ++) {
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

static const char *name_of_call(int32_t number)
{
	const struct pid_syscall call = { .number = (uint64_t)number };

	return number < 0 ? NULL : pid_syscall_name(&call);
}

static void name_by(struct wait_ledger *ledger, uint32_t item, const struct span *functions, size_t n)
{
	const struct wait_item *of = &ledger->items[item];
	struct wait_meaning meaning =
		wait_meaning_of(functions, n, of->state & ~BPF_WAIT_BEFORE, name_of_call(of->call));

	wait_ledger_name(ledger, item, meaning.cause, meaning.function);
}

/* A return address is behind the call. */
static void name_by_stack(struct wait_kernel *kernel, struct wait_ledger *ledger, uint32_t item)
{
	const struct wait_item *of = &ledger->items[item];
	uint64_t frames[BPF_STACK_FRAMES] = { 0 };
	struct span functions[BPF_STACK_FRAMES];
	size_t n = 0;

	if (of->state & BPF_WAIT_BEFORE ? trace_stack_before(&kernel->trace, of->stack, frames)
					: trace_stack(&kernel->trace, of->stack, frames))
		for (; n < BPF_STACK_FRAMES && frames[n]; n++)
			functions[n] = kernel_functions_find(&kernel->functions, frames[n] - 1);
	name_by(ledger, item, functions, n);
}

static void name_by_call(struct wait_ledger *ledger, uint32_t item)
{
	name_by(ledger, item, NULL, 0);
	ledger->items[item].is_known = false;
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
		else /* until it can be named */
			name_by_call(ledger, i);
	}
}

uint64_t wait_kernel_update(struct wait_kernel *kernel, const struct sample *sample,
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
