/* SPDX-License-Identifier: GPL-2.0-or-later */
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
 * task is in its new state. What a task waits for when it leaves its CPU, by its state in sched_switch:
 *
 *	if (preempt || prev_state == 0)			READY
 *	else if (prev_state & TASK_DEAD)		GONE
 *	else if (task->in_memstall)			MEMORY
 *	else if (task->in_iowait)			DISK
 *	else if (prev_state & TASK_NOLOAD)		SLEEP	an idle thread of the kernel
 *	else if (!(prev_state & TASK_INTERRUPTIBLE))	OTHER
 *	else if (task->flags & PF_KTHREAD)		SLEEP
 *	else if (is_futex(task_pt_regs(task)->call))	LOCK
 *	else						SLEEP
 */
#include <config.h>

#include "sys/bpf/parts.h"

#include <asm/unistd.h>
#include <errno.h>

/* From include/linux/sched.h of Linux 6.18; the values have been the same since 4.14. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define PF_KTHREAD 0x200000

/* The number of the system call, where the kernel keeps it. */
#if defined(__x86_64__) || defined(__i386__)
#define CALL "pt_regs.orig_ax"
#elif defined(__aarch64__)
#define CALL "pt_regs.syscallno"
#else
#define CALL "pt_regs.(unknown here)"
#endif

/* Arguments of the tracepoints, and of the iterator. */
enum { WOKEN = 0 };
enum { SWITCH_PREEMPT, SWITCH_PREVIOUS, SWITCH_NEXT, SWITCH_STATE };
enum { EXEC_TASK, EXEC_OLD_PID };
enum { ITERATION_TASK = 1 };

enum enters { RUNNING, READY, WAIT, GONE, EXISTS };

struct entering {
	enum enters enters;
	struct frame_slot task, now, times; /* times: new ones */
};

/* to = task */
static void load_task(struct bpf_assembler *as, const struct entering *entering, int to)
{
	emit_load_slot(as, 8, to, entering->task, 0);
}

static void load_of_task(struct bpf_assembler *as, const struct entering *entering, int to, const char *way)
{
	load_task(as, entering, to);
	emit_member(as, to, to, way);
}

/* Only programs of users wait in system calls. LOCK or SLEEP. */
static void set_sleep(struct bpf_assembler *as, const struct entering *entering)
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
	load_of_task(as, entering, R1, "task_struct.flags");
	emit_jump_if(as, R1, BPF_JSET, PF_KTHREAD, &sleeps);
	load_task(as, entering, R1);
	emit_call(as, BPF_FUNC_task_pt_regs);
	emit_member(as, R1, R0, CALL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		emit_jump_if(as, R1, BPF_JEQ, calls[i], &locks);
	emit_jump(as, &sleeps);
	emit_label(as, &locks);
	emit_set(as, VALUE, BPF_STATE_LOCK);
	emit_label(as, &sleeps);
}

/* if (task->way) goto label; a kernel without it goes nowhere: 0 or -errno. */
static int jump_if_bit(struct bpf_assembler *as, const struct entering *entering, const char *way,
		       struct bpf_label *label)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	uint32_t offset;
	uint8_t bit;
	int error = kernel->bit(kernel->state, way, &offset, &bit);

	if (error)
		return error;
	load_task(as, entering, R2);
	emit_load(as, 1, R2, R2, offset);
	emit_jump_if(as, R2, BPF_JSET, bit, label);
	return 0;
}

/* What a task waits for whose state is in r1. */
static void set_wait(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label sleeps = { 0 }, known = { 0 };
	int error;

	emit_set(as, VALUE, BPF_STATE_MEMORY);
	jump_if_bit(as, entering, "task_struct.in_memstall", &known); /* with PSI */
	emit_set(as, VALUE, BPF_STATE_DISK);
	error = jump_if_bit(as, entering, "task_struct.in_iowait", &known);
	if (error)
		emit_lack(as, error);
	emit_set(as, VALUE, BPF_STATE_SLEEP);
	emit_jump_if(as, R1, BPF_JSET, TASK_NOLOAD, &known);
	emit_jump_if(as, R1, BPF_JSET, TASK_INTERRUPTIBLE, &sleeps);
	emit_set(as, VALUE, BPF_STATE_OTHER);
	emit_jump(as, &known);
	emit_label(as, &sleeps);
	set_sleep(as, entering);
	emit_label(as, &known);
}

/* sched_switch: whether it was preempted, and its state. */
static void set_left(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label known = { 0 };

	emit_set(as, VALUE, BPF_STATE_READY);
	emit_argument(as, R1, SWITCH_PREEMPT);
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_argument(as, R1, SWITCH_STATE);
	emit_truncate(as, R1, R1);
	emit_jump_if(as, R1, BPF_JEQ, 0, &known);
	emit_set(as, VALUE, BPF_STATE_GONE);
	emit_jump_if(as, R1, BPF_JSET, TASK_DEAD, &known);
	set_wait(as, entering);
	emit_label(as, &known);
}

static void set_current(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label known = { 0 };

	emit_set(as, VALUE, BPF_STATE_RUNNING);
	load_of_task(as, entering, R1, "task_struct.on_cpu");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_set(as, VALUE, BPF_STATE_READY);
	load_of_task(as, entering, R1, "task_struct.on_rq");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	load_of_task(as, entering, R1, "task_struct.__state");
	emit_jump_if(as, R1, BPF_JEQ, 0, &known);
	emit_set(as, VALUE, BPF_STATE_GONE);
	emit_jump_if(as, R1, BPF_JSET, TASK_DEAD, &known);
	set_wait(as, entering);
	emit_label(as, &known);
}

static void set_state(struct bpf_assembler *as, const struct entering *entering)
{
	switch (entering->enters) {
	case RUNNING:
		emit_set(as, VALUE, BPF_STATE_RUNNING);
		return;
	case READY:
		emit_set(as, VALUE, BPF_STATE_READY);
		return;
	case GONE:
		emit_set(as, VALUE, BPF_STATE_GONE);
		return;
	case WAIT:
		set_left(as, entering);
		return;
	case EXISTS:
		set_current(as, entering);
		return;
	}
}

/* r0: its times so far; adds those since the last state, and enters the new one. */
static void add_times(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label runs = { 0 }, ahead = { 0 };

	emit_load(as, 8, R1, R0, offsetof(struct bpf_times, state));
	if (entering->enters == READY)
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
	struct frame_slot times = entering->times;
	struct bpf_label known = { 0 };

	for (size_t at = 0; at < times.bytes; at += WORD)
		emit_store_slot_number(as, times, at, 0);
	load_of_task(as, entering, R1, "task_struct.tgid");
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, process), R1);
	emit_load_slot(as, 8, R1, entering->now, 0);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, begun_ns), R1);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, since_ns), R1);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, state), VALUE);
	emit_store_slot(as, 8, times, offsetof(struct bpf_times, before), VALUE);
	emit_update(as, BPF_MAP_ENTRIES, as->key, times, BPF_NOEXIST);
	emit_jump_if(as, R0, BPF_JEQ, 0, &known);
	emit_jump_if(as, R0, BPF_JEQ, -EEXIST, &known);
	emit_count_lost(as);
	emit_label(as, &known);
}

static void enter_task(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label unknown = { 0 }, done = { 0 };

	set_state(as, entering);
	if (entering->enters == GONE)
		emit_argument(as, R1, EXEC_OLD_PID);
	else
		load_of_task(as, entering, R1, "task_struct.pid");
	emit_store_slot(as, 8, as->key, offsetof(struct bpf_times_key, thread), R1);
	load_task(as, entering, R1);
	emit_store_slot(as, 8, as->key, offsetof(struct bpf_times_key, task), R1);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JEQ, 0, &unknown);
	if (entering->enters != EXISTS)
		add_times(as, entering);
	if (entering->enters != GONE)
		emit_jump(as, &done);
	emit_label(as, &unknown);
	if (entering->enters != GONE) {
		emit_jump_if(as, VALUE, BPF_JEQ, BPF_STATE_GONE, &done);
		begin_times(as, entering);
	}
	emit_label(as, &done);
}

/* task = argument, unless it is not to be looked at. */
static void choose_task(struct bpf_assembler *as, unsigned argument, enum enters enters,
			struct bpf_label *skip)
{
	emit_argument(as, R1, argument);
	if (enters == EXISTS)
		emit_jump_if(as, R1, BPF_JEQ, 0, skip);
	emit_store_slot(as, 8, as->chosen, 0, R1);
	emit_member(as, R2, R1, "task_struct.tgid");
	if (as->target->process)
		emit_jump_if(as, R2, BPF_JNE, (int32_t)as->target->process, skip);
	else
		emit_jump_if(as, R2, BPF_JEQ, 0, skip); /* the idle one */
}

static void choose_woken(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, WOKEN, READY, skip);
}

/* A thread that takes the number of the first one, unless it is the first. */
static void choose_executing(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, EXEC_TASK, GONE, skip);
	emit_member(as, R2, R1, "task_struct.pid");
	emit_argument(as, R1, EXEC_OLD_PID);
	emit_jump_if_register(as, R1, BPF_JEQ, R2, skip);
}

static void choose_iterated(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, ITERATION_TASK, EXISTS, skip);
}

/* Either of the two that sched_switch names; without a process the work chooses. */
static void choose_either(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label wanted = { 0 };

	as->chosen = emit_slot(as, 1);
	if (!as->target->process)
		return;
	emit_argument(as, R1, SWITCH_PREVIOUS);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_jump_if(as, R1, BPF_JEQ, (int32_t)as->target->process, &wanted);
	emit_argument(as, R1, SWITCH_NEXT);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_jump_if(as, R1, BPF_JNE, (int32_t)as->target->process, skip);
	emit_label(as, &wanted);
}

static struct entering begin(struct bpf_assembler *as, enum enters enters)
{
	struct entering entering = {
		.enters = enters,
		.task = as->chosen,
		.now = emit_slot(as, 1),
		.times = emit_slot(as, sizeof(struct bpf_times) / WORD),
	};

	emit_need(as, "task_struct.__state"); /* Linux 5.14; older ones have other tracepoints */
	as->key = emit_slot(as, sizeof(struct bpf_times_key) / WORD);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_store_slot(as, 8, entering.now, 0, R0);
	return entering;
}

static void enter_ready(struct bpf_assembler *as)
{
	struct entering entering = begin(as, READY);

	enter_task(as, &entering);
}

static void enter_gone(struct bpf_assembler *as)
{
	struct entering entering = begin(as, GONE);

	enter_task(as, &entering);
}

static void enter_exists(struct bpf_assembler *as)
{
	struct entering entering = begin(as, EXISTS);

	enter_task(as, &entering);
}

static void enter_switch(struct bpf_assembler *as)
{
	struct bpf_label no_previous = { 0 }, no_next = { 0 };
	struct entering entering = begin(as, WAIT);

	choose_task(as, SWITCH_PREVIOUS, WAIT, &no_previous);
	enter_task(as, &entering);
	emit_label(as, &no_previous);
	entering.enters = RUNNING;
	choose_task(as, SWITCH_NEXT, RUNNING, &no_next);
	enter_task(as, &entering);
	emit_label(as, &no_next);
}

#define ENTER_SHAPE .maps = BPF_MAP_BIT(BPF_MAP_ENTRIES), .entries = BPF_ENTRIES_TIMES, .needs_types = true

const struct bpf_shape bpf_enter_switch = { ENTER_SHAPE, .choose = choose_either, .work = enter_switch };
const struct bpf_shape bpf_enter_ready = { ENTER_SHAPE, .choose = choose_woken, .work = enter_ready };
const struct bpf_shape bpf_enter_gone = { ENTER_SHAPE, .choose = choose_executing, .work = enter_gone };
const struct bpf_shape bpf_enter_exists = {
	ENTER_SHAPE,
	.iterates = true,
	.choose = choose_iterated,
	.work = enter_exists,
};
