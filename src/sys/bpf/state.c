/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a task waits for when it leaves its CPU, by its state in sched_switch:
 *
 *	if (preempt || prev_state == 0)			READY
 *	else if (prev_state & TASK_DEAD)		GONE
 *	else if (task->in_memstall)			MEMORY
 *	else if (task->in_iowait && !(prev_state & TASK_INTERRUPTIBLE))	DISK
 *	else if (prev_state & TASK_NOLOAD)		SLEEP	an idle thread of the kernel
 *	else if (!(prev_state & TASK_INTERRUPTIBLE))	OTHER
 *	else if (task->flags & PF_KTHREAD)		SLEEP
 *	else if (is_futex(task_pt_regs(task)->call))	LOCK
 *	else						SLEEP
 *
 * A task is looked at if its process is the one of the target, is in the map of wanted ones, or always.
 */
#include <config.h>

#include "sys/bpf/emit.h"

#include <asm/unistd.h>
#include <errno.h>

/* From include/linux/sched.h of Linux 6.18; the values have been the same since 4.14. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define PF_KTHREAD 0x200000

/* Arguments; the first one of the others is the task. */
enum { SWITCH_PREEMPT, SWITCH_PREVIOUS, SWITCH_NEXT, SWITCH_STATE };
enum { EXEC_TASK, EXEC_OLD_PID };
enum { FORK_PARENT, FORK_CHILD };
enum { ITERATION_TASK = 1 };

void emit_task(struct bpf_assembler *as, int to)
{
	emit_load_slot(as, 8, to, as->chosen, 0);
}

void emit_task_member(struct bpf_assembler *as, int to, const char *way)
{
	emit_task(as, to);
	emit_member(as, to, to, way);
}

/* Only programs of users wait in system calls. LOCK or SLEEP. */
static void set_sleep(struct bpf_assembler *as)
{
	static const int32_t calls[] = {
#ifdef __NR_futex
		__NR_futex,
#endif
#ifdef __NR_futex_time64
		__NR_futex_time64,
#endif
		449, 455, /* futex_waitv, futex_wait: the same everywhere, since Linux 5.16 and 6.7 */
	};
	struct bpf_label locks = { 0 }, sleeps = { 0 };

	emit_set(as, VALUE, BPF_STATE_SLEEP);
	emit_task_member(as, R1, "task_struct.flags");
	emit_jump_if(as, R1, BPF_JSET, PF_KTHREAD, &sleeps);
	emit_task(as, R1);
	emit_call(as, BPF_FUNC_task_pt_regs);
	emit_member(as, R1, R0, REGISTER_OF_CALL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		emit_jump_if(as, R1, BPF_JEQ, calls[i], &locks);
	emit_jump(as, &sleeps);
	emit_label(as, &locks);
	emit_set(as, VALUE, BPF_STATE_LOCK);
	emit_label(as, &sleeps);
}

/* if (task->way) goto label; a kernel without it goes nowhere: 0 or -errno. */
static int jump_if_bit(struct bpf_assembler *as, const char *way, struct bpf_label *label)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	uint32_t offset;
	uint8_t bit;
	int error = kernel->bit(kernel->state, way, &offset, &bit);

	if (error)
		return error;
	emit_task(as, R2);
	emit_load(as, 1, R2, R2, offset);
	emit_jump_if(as, R2, BPF_JSET, bit, label);
	return 0;
}

/* What a task waits for whose state is in r1; VALUE is for one that is ready. */
static void set_wait(struct bpf_assembler *as)
{
	struct bpf_label no_disk = { 0 }, sleeps = { 0 }, known = { 0 };

	emit_jump_if(as, R1, BPF_JEQ, 0, &known);
	emit_set(as, VALUE, BPF_STATE_GONE);
	emit_jump_if(as, R1, BPF_JSET, TASK_DEAD, &known);
	emit_set(as, VALUE, BPF_STATE_MEMORY);
	jump_if_bit(as, "task_struct.in_memstall", &known); /* with PSI */
	/* io_uring has the bit, too, while it waits for anything */
	emit_jump_if(as, R1, BPF_JSET, TASK_INTERRUPTIBLE, &no_disk);
	emit_set(as, VALUE, BPF_STATE_DISK);
	emit_lack(as, jump_if_bit(as, "task_struct.in_iowait", &known));
	emit_label(as, &no_disk);
	emit_set(as, VALUE, BPF_STATE_SLEEP);
	emit_jump_if(as, R1, BPF_JSET, TASK_NOLOAD, &known);
	emit_jump_if(as, R1, BPF_JSET, TASK_INTERRUPTIBLE, &sleeps);
	emit_set(as, VALUE, BPF_STATE_OTHER);
	emit_jump(as, &known);
	emit_label(as, &sleeps);
	set_sleep(as);
	emit_label(as, &known);
}

/* sched_switch: whether it was preempted, and its state. */
static void set_left(struct bpf_assembler *as)
{
	struct bpf_label known = { 0 };

	emit_set(as, VALUE, BPF_STATE_READY);
	emit_argument(as, R1, SWITCH_PREEMPT);
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_argument(as, R1, SWITCH_STATE);
	emit_truncate(as, R1, R1);
	set_wait(as);
	emit_label(as, &known);
}

static void set_present(struct bpf_assembler *as)
{
	struct bpf_label known = { 0 };

	emit_set(as, VALUE, BPF_STATE_RUNNING);
	emit_task_member(as, R1, "task_struct.on_cpu");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_set(as, VALUE, BPF_STATE_READY);
	emit_task_member(as, R1, "task_struct.on_rq");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_task_member(as, R1, "task_struct.__state");
	set_wait(as);
	emit_label(as, &known);
}

/* VALUE = the state of the task that was chosen, enum bpf_state */
static void set_state(struct bpf_assembler *as, enum bpf_event event)
{
	static const enum bpf_state states[] = {
		[BPF_EVENT_RUNNING] = BPF_STATE_RUNNING,
		[BPF_EVENT_READY] = BPF_STATE_READY,
		[BPF_EVENT_GONE] = BPF_STATE_GONE,
	};

	if (event == BPF_EVENT_LEFT)
		set_left(as);
	else if (event == BPF_EVENT_EXISTS)
		set_present(as);
	else
		emit_set(as, VALUE, (int32_t)states[event]);
}

/* r1: the number of the system call that it is in; -1: a thread of the kernel. VALUE stays. */
static void load_call_number(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, known = { 0 };

	emit_task_member(as, R1, "task_struct.flags");
	emit_jump_if(as, R1, BPF_JSET, PF_KTHREAD, &none);
	emit_task(as, R1);
	emit_call(as, BPF_FUNC_task_pt_regs);
	emit_member(as, R1, R0, REGISTER_OF_CALL);
	emit_jump(as, &known);
	emit_label(as, &none);
	emit_set(as, R1, -1);
	emit_label(as, &known);
}

/* r0: NULL, if the process r1 is not among those that are wanted. */
static void look_up_wanted(struct bpf_assembler *as, struct frame_slot process)
{
	emit_store_slot(as, 8, process, 0, R1);
	emit_look_up(as, BPF_MAP_WANTED, process);
}

void emit_unless_wanted(struct bpf_assembler *as, struct bpf_label *skip)
{
	if (as->target->process) {
		emit_jump_if(as, R1, BPF_JNE, (int32_t)as->target->process, skip);
		return;
	}
	emit_jump_if(as, R1, BPF_JEQ, 0, skip); /* the idle one */
	if (!as->target->of_wanted)
		return;
	look_up_wanted(as, emit_slot(as, 1));
	emit_jump_if(as, R0, BPF_JEQ, 0, skip);
}

void choose_current(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	emit_need(as, "task_struct.__state"); /* Linux 5.14; before 5.11 there is no such function */
	emit_call(as, BPF_FUNC_get_current_task_btf);
	emit_store_slot(as, 8, as->chosen, 0, R0);
	emit_member(as, VALUE, R0, "task_struct.tgid");
	if (!as->target->process && !as->target->of_wanted)
		return;
	emit_move(as, R1, VALUE);
	emit_unless_wanted(as, skip);
}

/* chosen = argument of the tracepoint, unless it is not to be looked at */
static void choose_task(struct bpf_assembler *as, unsigned argument, struct bpf_label *skip)
{
	emit_argument(as, R1, argument);
	if (as->program->does->event == BPF_EVENT_EXISTS)
		emit_jump_if(as, R1, BPF_JEQ, 0, skip);
	emit_store_slot(as, 8, as->chosen, 0, R1);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_unless_wanted(as, skip);
}

/* The task of the event. */
static void choose_one(struct bpf_assembler *as, struct bpf_label *skip)
{
	enum bpf_event event = as->program->does->event;

	as->chosen = emit_slot(as, 1);
	choose_task(as, event == BPF_EVENT_EXISTS ? ITERATION_TASK : 0, skip);
	if (event != BPF_EVENT_GONE)
		return;
	/* A thread that takes the number of the first one, unless it is the first. */
	emit_task_member(as, R2, "task_struct.pid");
	emit_argument(as, R1, EXEC_OLD_PID);
	emit_jump_if_register(as, R1, BPF_JEQ, R2, skip);
}

/* Either of the two that sched_switch names; where all processes are wanted the work chooses. */
static void choose_either(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label wanted = { 0 };
	struct frame_slot process;

	as->chosen = emit_slot(as, 1);
	if (!as->target->process && !as->target->of_wanted)
		return;
	process = emit_slot(as, 1);
	for (unsigned i = SWITCH_PREVIOUS; i <= SWITCH_NEXT; i++) {
		bool is_last = i == SWITCH_NEXT; /* it leads to skip unless it is wanted */
		int compared = as->target->process ? R1 : R0;
		int32_t with = (int32_t)as->target->process;

		emit_argument(as, R1, i);
		emit_member(as, R1, R1, "task_struct.tgid");
		if (!as->target->process)
			look_up_wanted(as, process);
		emit_jump_if(as, compared, is_last == (with != 0) ? BPF_JNE : BPF_JEQ, with,
			     is_last ? skip : &wanted);
	}
	emit_label(as, &wanted);
}

/*
 * Adds up, for each thread, the time that it spends in each state. When a task enters one:
 *
 *	u64 now = ktime_get_ns(), state = STATE(task);
 *	struct bpf_times_key key = { task->pid, task };
 *	struct bpf_times *times = map_lookup_elem(entries, &key);
 *
 *	if (times && !(ENTERS_READY && times->state == RUNNING)) {
 *		now = max(now, times->since_ns);
 *		times->spent_ns[times->state] += now - times->since_ns;
 *		times->since_ns = now;
 *		times->before = times->state;
 *		times->state = state;
 *	} else if (!times && state != GONE) {
 *		struct bpf_times begun = { task->tgid, now, now, state, state };
 *
 *		error = map_update_elem(entries, &key, &begun, BPF_NOEXIST);
 *		self->lost += error && error != -EEXIST;
 *	}
 *
 * Two events of one task may come from two CPUs whose clocks differ: the time between them is then 0, but the
 * task is in its new state.
 */

/* A task that enters a state; state, wait and waiter are for a struct bpf_waiter alone. */
struct entering {
	enum bpf_event event;
	struct frame_slot now, state, key, wait;
	struct frame_slot waiter; /* where it is … */
	struct frame_slot begun;  /* … and new times, or a new waiter */
};

/* r0: its times so far; adds those since the last state, and enters the new one. */
static void add_times(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label runs = { 0 }, ahead = { 0 };

	emit_load(as, 8, R1, R0, offsetof(struct bpf_times, state));
	if (entering->event == BPF_EVENT_READY)
		emit_jump_if(as, R1, BPF_JEQ, BPF_STATE_RUNNING, &runs);
	emit_load_slot(as, 8, R2, entering->now, 0);
	emit_load(as, 8, R3, R0, offsetof(struct bpf_times, since_ns));
	emit_jump_if_register(as, R2, BPF_JGE, R3, &ahead);
	emit_move(as, R2, R3);
	emit_label(as, &ahead);
	emit_store(as, 8, R0, offsetof(struct bpf_times, since_ns), R2);
	emit_store(as, 8, R0, offsetof(struct bpf_times, state), VALUE);
	emit_store(as, 8, R0, offsetof(struct bpf_times, before), R1);
	emit_compute(as, BPF_SUB, R2, R3);
	emit_compute_with(as, BPF_AND, R1, N_BPF_STATES - 1);
	emit_compute_with(as, BPF_LSH, R1, 3);
	emit_compute(as, BPF_ADD, R0, R1);
	emit_load(as, 8, R1, R0, offsetof(struct bpf_times, spent_ns));
	emit_compute(as, BPF_ADD, R1, R2);
	emit_store(as, 8, R0, offsetof(struct bpf_times, spent_ns), R1);
	emit_label(as, &runs);
}

/* A task that an event meets between our look and this is known then. */
static void begin_times(struct bpf_assembler *as, const struct entering *entering)
{
	struct frame_slot times = entering->begun;

	emit_clear(as, times);
	emit_task_member(as, R1, "task_struct.tgid");
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, process), R1);
	emit_load_slot(as, 8, R1, entering->now, 0);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, begun_ns), R1);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, since_ns), R1);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, state), VALUE);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, before), VALUE);
	emit_add(as, BPF_MAP_ENTRIES, entering->key, times, BPF_NOEXIST);
}

/*
 * Adds up, for each thread, how long it runs, is ready and waits, and counts what has been waited for by what
 * it was: by the functions of the kernel that it was in. When a task enters a state:
 *
 *	u64 now = ktime_get_ns(), state = STATE(task), before = waiter->state, ns;
 *	struct bpf_wait wait = { task->tgid, get_stackid(ctx, stacks), state, task_pt_regs(task)->call };
 *	struct bpf_times_key key = { task->pid, task };
 *	struct bpf_waiter *waiter = map_lookup_elem(waiters, &key);
 *
 *	if (waiter && !(READY && before == RUNNING)) {
 *		now = max(now, waiter->since_ns);
 *		ns = now - waiter->since_ns;
 *		waiter->spent_ns[CLASS(before)] += ns;
 *		waiter->since_ns = now;
 *		if (CLASS(before) == WAITING) {
 *			waiter->last = waiter->wait;
 *			waiter->last_ns = ns;
 *			waiter->last_end_ns = now;
 *			count(entries, &waiter->wait, ns);
 *		}
 *		waiter->state = state;
 *		if (LEFT)
 *			waiter->wait = wait;
 *		if (state == GONE)
 *			waiter->command = task->group_leader->comm;
 *	} else if (!waiter && state != GONE) {
 *		struct bpf_waiter begun = { task->tgid, START, now, now, state, .wait = wait, COMMAND };
 *
 *		error = map_update_elem(waiters, &key, &begun, BPF_NOEXIST);
 *		self->lost += error && error != -EEXIST;
 *	}
 *
 * At sched_switch the stack is that of the task that leaves. Where the number of a stack has another one, it
 * is tried again without its first functions, which are those of the scheduler.
 */

#define STACK_TRIES 3

/* In the slot for its wait; the rest is set. */
static void store_stack(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label found = { 0 };

	for (int skipped = 0; skipped < STACK_TRIES; skipped++) {
		emit_move(as, R1, CTX);
		emit_map(as, R2, BPF_MAP_STACKS);
		emit_set(as, R3, skipped);
		emit_call(as, BPF_FUNC_get_stackid);
		if (skipped + 1 < STACK_TRIES)
			emit_jump_if(as, R0, BPF_JSGE, 0, &found);
	}
	emit_label(as, &found);
	emit_store_slot(as, 4, entering->wait, offsetof(struct bpf_wait, stack), R0);
}

/* before[thread] = its stack, which begins below the functions of the scheduler */
static void keep_stack(struct bpf_assembler *as)
{
	struct frame_slot frames = emit_slot(as, BPF_STACK_FRAMES), thread = emit_slot(as, 1);

	emit_store_slot(as, 8, thread, 0, R1);
	emit_clear(as, frames);
	emit_task(as, R1);
	emit_address(as, R2, frames);
	emit_set(as, R3, (int32_t)frames.bytes);
	emit_set(as, R4, 0);
	emit_call(as, BPF_FUNC_get_task_stack);
	emit_update(as, BPF_MAP_BEFORE, thread, frames, BPF_ANY); /* when it is full, it goes without */
}

/* All 0 where the task does not wait. */
static void describe_wait(struct bpf_assembler *as, const struct entering *entering)
{
	struct frame_slot wait = entering->wait;
	struct bpf_label none = { 0 };

	emit_clear(as, wait);
	if (entering->event != BPF_EVENT_LEFT && entering->event != BPF_EVENT_EXISTS)
		return;
	emit_jump_if(as, VALUE, BPF_JLE, BPF_STATE_READY, &none);
	emit_jump_if(as, VALUE, BPF_JEQ, BPF_STATE_GONE, &none);
	emit_task_member(as, R1, "task_struct.tgid");
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, process), R1);
	load_call_number(as);
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, call), R1);
	emit_move(as, R1, VALUE);
	if (entering->event == BPF_EVENT_EXISTS)
		emit_compute_with(as, BPF_OR, R1, BPF_WAIT_BEFORE);
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, state), R1);
	if (entering->event == BPF_EVENT_LEFT) {
		store_stack(as, entering);
	} else {
		emit_task_member(as, R1, "task_struct.pid");
		emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, stack), R1);
		keep_stack(as);
	}
	emit_label(as, &none);
}

/* r0: the waiter, r2: how long it has waited, r1: now. VALUE: how long. */
static void count_wait(struct bpf_assembler *as)
{
	emit_move(as, VALUE, R2);
	emit_load(as, 8, R3, R0, offsetof(struct bpf_waiter, spent_ns[BPF_WAIT_WAITING]));
	emit_compute(as, BPF_ADD, R3, R2);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, spent_ns[BPF_WAIT_WAITING]), R3);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, last_ns), R2);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, last_end_ns), R1);
	for (size_t at = 0; at < sizeof(struct bpf_wait); at += WORD) {
		emit_load(as, 8, R3, R0, offsetof(struct bpf_waiter, wait) + at);
		emit_store(as, 8, R0, offsetof(struct bpf_waiter, last) + at, R3);
		emit_store_slot(as, 8, as->key, at, R3);
	}
	emit_count_value(as);
}

/* r0: the waiter, which leaves its state. */
static void leave_state(struct bpf_assembler *as, struct bpf_label *stays, const struct entering *entering)
{
	struct bpf_label ahead = { 0 }, waited = { 0 }, left = { 0 };

	emit_load(as, 8, R4, R0, offsetof(struct bpf_waiter, state));
	if (entering->event == BPF_EVENT_READY)
		emit_jump_if(as, R4, BPF_JEQ, BPF_STATE_RUNNING, stays);
	emit_load_slot(as, 8, R1, entering->now, 0);
	emit_load(as, 8, R3, R0, offsetof(struct bpf_waiter, since_ns));
	emit_jump_if_register(as, R1, BPF_JGE, R3, &ahead);
	emit_move(as, R1, R3);
	emit_label(as, &ahead);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, since_ns), R1);
	emit_move(as, R2, R1);
	emit_compute(as, BPF_SUB, R2, R3);
	emit_jump_if(as, R4, BPF_JGT, BPF_STATE_READY, &waited);
	emit_compute_with(as, BPF_LSH, R4, 3);
	emit_compute(as, BPF_ADD, R0, R4);
	emit_load(as, 8, R1, R0, offsetof(struct bpf_waiter, spent_ns));
	emit_compute(as, BPF_ADD, R1, R2);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, spent_ns), R1);
	emit_jump(as, &left);
	emit_label(as, &waited);
	count_wait(as);
	emit_label(as, &left);
}

static void copy_slot(struct bpf_assembler *as, size_t to, struct frame_slot from)
{
	for (size_t at = 0; at < from.bytes; at += WORD) {
		emit_load_slot(as, 8, R1, from, at);
		emit_store(as, 8, R0, to + at, R1);
	}
}

static void enter_state(struct bpf_assembler *as, const struct entering *entering)
{
	struct frame_slot command = { entering->begun.at + (int)offsetof(struct bpf_waiter, command),
				      BPF_COMMAND_BYTES };
	struct bpf_label lives = { 0 };

	emit_load_slot(as, 8, R0, entering->waiter, 0);
	if (entering->event == BPF_EVENT_LEFT)
		copy_slot(as, offsetof(struct bpf_waiter, wait), entering->wait);
	emit_load_slot(as, 8, R1, entering->state, 0);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, state), R1);
	if (entering->event != BPF_EVENT_LEFT)
		return;
	emit_jump_if(as, R1, BPF_JNE, BPF_STATE_GONE, &lives);
	emit_task(as, R2);
	emit_command(as, command, 0, R2);
	emit_load_slot(as, 8, R0, entering->waiter, 0);
	copy_slot(as, offsetof(struct bpf_waiter, command), command);
	emit_label(as, &lives);
}

/* If an event meets the thread between our look and this, it is known then. */
static void begin_waiter(struct bpf_assembler *as, const struct entering *entering)
{
	struct frame_slot begun = entering->begun;

	emit_clear(as, begun);
	emit_task_member(as, R1, "task_struct.tgid");
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, process), R1);
	emit_task_member(as, R1, "task_struct.group_leader");
	emit_member(as, R1, R1, "task_struct.start_boottime");
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, start_ns), R1);
	emit_load_slot(as, 8, R1, entering->now, 0);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, begun_ns), R1);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, since_ns), R1);
	emit_load_slot(as, 8, R1, entering->state, 0);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, state), R1);
	for (size_t at = 0; at < entering->wait.bytes; at += WORD) {
		emit_load_slot(as, 8, R1, entering->wait, at);
		emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, wait) + at, R1);
	}
	emit_task(as, R2);
	emit_command(as, begun, offsetof(struct bpf_waiter, command) / WORD, R2);
	emit_add(as, BPF_MAP_WAITERS, entering->key, begun, BPF_NOEXIST);
}

static bool counts_waits(const struct bpf_assembler *as)
{
	return as->program->does->maps & BPF_MAP_BIT(BPF_MAP_WAITERS);
}

static void enter_task(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label unknown = { 0 }, done = { 0 };
	bool waits = counts_waits(as);

	set_state(as, entering->event);
	if (waits) {
		emit_store_slot(as, 8, entering->state, 0, VALUE);
		describe_wait(as, entering);
	}
	if (entering->event == BPF_EVENT_GONE) /* by sched_process_exec: the number that it had */
		emit_argument(as, R1, EXEC_OLD_PID);
	else
		emit_task_member(as, R1, "task_struct.pid");
	emit_store_slot(as, 8, entering->key, offsetof(struct bpf_times_key, thread), R1);
	emit_task(as, R1);
	emit_store_slot(as, 8, entering->key, offsetof(struct bpf_times_key, task), R1);
	emit_find(as, waits ? BPF_MAP_WAITERS : BPF_MAP_ENTRIES, entering->key, &unknown);
	if (entering->event != BPF_EVENT_EXISTS && waits) {
		emit_store_slot(as, 8, entering->waiter, 0, R0);
		leave_state(as, &done, entering);
		enter_state(as, entering);
	} else if (entering->event != BPF_EVENT_EXISTS) {
		add_times(as, entering);
	}
	if (entering->event != BPF_EVENT_GONE)
		emit_jump(as, &done);
	emit_label(as, &unknown);
	if (entering->event != BPF_EVENT_GONE) {
		if (waits)
			emit_load_slot(as, 8, R1, entering->state, 0);
		emit_jump_if(as, waits ? R1 : VALUE, BPF_JEQ, BPF_STATE_GONE, &done);
		(waits ? begin_waiter : begin_times)(as, entering);
	}
	emit_label(as, &done);
}

static struct entering begin(struct bpf_assembler *as)
{
	struct entering entering = { .event = as->program->does->event, .now = emit_slot(as, 1) };

	emit_need(as, "task_struct.__state"); /* Linux 5.14; older ones have other tracepoints */
	if (counts_waits(as)) {
		entering.state = emit_slot(as, 1);
		entering.key = emit_slot(as, sizeof(struct bpf_times_key) / WORD);
		entering.wait = emit_slot(as, sizeof(struct bpf_wait) / WORD);
		entering.waiter = emit_slot(as, 1);
		entering.begun = emit_slot(as, sizeof(struct bpf_waiter) / WORD);
		as->key = emit_slot(as, sizeof(struct bpf_wait) / WORD);
	} else {
		entering.begun = emit_slot(as, sizeof(struct bpf_times) / WORD);
		as->key = entering.key = emit_slot(as, sizeof(struct bpf_times_key) / WORD);
	}
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_store_slot(as, 8, entering.now, 0, R0);
	return entering;
}

static void enter(struct bpf_assembler *as)
{
	struct entering entering = begin(as);

	enter_task(as, &entering);
}

/* The task that leaves its CPU, then the one that runs there. */
static void enter_both(struct bpf_assembler *as)
{
	struct bpf_label no_previous = { 0 }, no_next = { 0 };
	struct entering entering = begin(as);

	choose_task(as, SWITCH_PREVIOUS, &no_previous);
	enter_task(as, &entering);
	emit_label(as, &no_previous);
	entering.event = BPF_EVENT_RUNNING;
	choose_task(as, SWITCH_NEXT, &no_next);
	enter_task(as, &entering);
	emit_label(as, &no_next);
}

#define BOTH .event = BPF_EVENT_LEFT, .choose = choose_either, .work = enter_both
#define ONE(of) .event = (of), .choose = choose_one, .work = enter
#define ENTER_SHAPE .maps = BPF_MAP_BIT(BPF_MAP_ENTRIES), .entries = BPF_ENTRIES_TIMES, .needs_types = true
#define WAIT_SHAPE                                                                                           \
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_WAITERS) | BPF_MAP_BIT(BPF_MAP_STACKS) |  \
		BPF_MAP_BIT(BPF_MAP_WANTED) | BPF_MAP_BIT(BPF_MAP_BEFORE),                                   \
	.entries = BPF_ENTRIES_COUNTS, .needs_types = true

const struct bpf_shape bpf_enter_switch = { ENTER_SHAPE, BOTH };
const struct bpf_shape bpf_enter_ready = { ENTER_SHAPE, ONE(BPF_EVENT_READY) };
const struct bpf_shape bpf_enter_gone = { ENTER_SHAPE, ONE(BPF_EVENT_GONE) };
const struct bpf_shape bpf_enter_exists = { ENTER_SHAPE, ONE(BPF_EVENT_EXISTS), .iterates = true };
const struct bpf_shape bpf_wait_switch = { WAIT_SHAPE, BOTH };
const struct bpf_shape bpf_wait_ready = { WAIT_SHAPE, ONE(BPF_EVENT_READY) };
const struct bpf_shape bpf_wait_gone = { WAIT_SHAPE, ONE(BPF_EVENT_GONE) };
const struct bpf_shape bpf_wait_exists = { WAIT_SHAPE, ONE(BPF_EVENT_EXISTS), .iterates = true };

/* wanted[child->tgid] = 0; a thread has the number of its process, which is there. */
static void follow(struct bpf_assembler *as)
{
	struct frame_slot child = emit_slot(as, 1);

	emit_argument(as, R1, FORK_CHILD);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_store_slot(as, 8, child, 0, R1);
	emit_add(as, BPF_MAP_WANTED, child, as->zero, BPF_ANY);
}

const struct bpf_shape bpf_follow = {
	.maps = BPF_MAP_BIT(BPF_MAP_WANTED),
	.needs_types = true,
	.choose = choose_one, /* the parent */
	.work = follow,
};

/*
 * Counts who wakes whom, by the names of their processes:
 *
 *	u64 key[] = { *marks, current->pid == 0, WAKER, WOKEN };
 *
 *	count(entries, &key, 0);
 *
 *	WOKEN: task->group_leader->comm
 *	WAKER: if (*marks || current->pid == 0) 0; an interrupt, or an idle CPU
 *	       else current->group_leader->comm
 *
 * Of wanted processes: where one of both is wanted, and an interrupt is none.
 */

enum { WAKING_TASK };

/* r0: NULL, if the process of the task in r1 is not wanted. */
static void look_up_process(struct bpf_assembler *as, struct frame_slot process)
{
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_store_slot(as, 8, process, 0, R1);
	emit_look_up(as, BPF_MAP_WANTED, process);
}

static void choose_either_end(struct bpf_assembler *as, struct bpf_label *skip)
{
	static const struct bpf_part marks = { .is = BPF_PART_MARKS };
	struct frame_slot process;
	struct bpf_label wanted = { 0 };

	if (!as->target->of_wanted)
		return;
	process = emit_slot(as, 1);
	emit_argument(as, R1, WAKING_TASK);
	look_up_process(as, process);
	emit_jump_if(as, R0, BPF_JNE, 0, &wanted);
	emit_store_slot_number(as, as->zero, 0, 0);
	emit_part(as, &marks);
	emit_jump_if(as, R1, BPF_JNE, 0, skip);
	emit_call(as, BPF_FUNC_get_current_task_btf);
	emit_move(as, R1, R0);
	look_up_process(as, process);
	emit_jump_if(as, R0, BPF_JEQ, 0, skip);
	emit_label(as, &wanted);
}

static void store_key(struct bpf_assembler *as)
{
	static const struct bpf_part marks = { .is = BPF_PART_MARKS }, idle = { .is = BPF_PART_IDLE };
	struct bpf_label none = { 0 };

	emit_clear(as, as->key);
	emit_argument(as, R1, WAKING_TASK);
	emit_command(as, as->key, BPF_WAKE_WOKEN, R1);
	emit_part(as, &idle);
	emit_store_slot(as, 8, as->key, BPF_WAKE_IDLE * WORD, R1);
	emit_part(as, &marks);
	emit_store_slot(as, 8, as->key, BPF_WAKE_MARKS * WORD, R1);
	emit_jump_if(as, R1, BPF_JNE, 0, &none);
	emit_load_slot(as, 8, R1, as->key, BPF_WAKE_IDLE * WORD);
	emit_jump_if(as, R1, BPF_JNE, 0, &none);
	emit_call(as, BPF_FUNC_get_current_task_btf);
	emit_move(as, R1, R0);
	emit_command(as, as->key, BPF_WAKE_WAKER, R1);
	emit_label(as, &none);
}

static void wake(struct bpf_assembler *as)
{
	as->key = emit_slot(as, N_BPF_WAKE_WORDS);
	store_key(as);
	emit_set(as, VALUE, 0);
	emit_count_value(as);
}

const struct bpf_shape bpf_wake = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_MARKS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_either_end,
	.work = wake,
};
