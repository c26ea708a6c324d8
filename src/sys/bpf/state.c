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

#include "sys/bpf/state.h"

#include <asm/unistd.h>
#include <errno.h>

#include "sys/bpf/registers.h"

/* From include/linux/sched.h of Linux 6.18; the values have been the same since 4.14. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define PF_KTHREAD 0x200000

/* Arguments of the other tracepoints, and of the iterator. */
enum { WOKEN = 0 };
enum { EXEC_TASK, EXEC_OLD_PID };
enum { ITERATION_TASK = 1 };

void emit_task(struct bpf_assembler *as, struct frame_slot task, int to)
{
	emit_load_slot(as, 8, to, task, 0);
}

void emit_task_member(struct bpf_assembler *as, struct frame_slot task, int to, const char *way)
{
	emit_task(as, task, to);
	emit_member(as, to, to, way);
}

/* Only programs of users wait in system calls. LOCK or SLEEP. */
static void set_sleep(struct bpf_assembler *as, struct frame_slot task)
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
	emit_task_member(as, task, R1, "task_struct.flags");
	emit_jump_if(as, R1, BPF_JSET, PF_KTHREAD, &sleeps);
	emit_task(as, task, R1);
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
static int jump_if_bit(struct bpf_assembler *as, struct frame_slot task, const char *way,
		       struct bpf_label *label)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	uint32_t offset;
	uint8_t bit;
	int error = kernel->bit(kernel->state, way, &offset, &bit);

	if (error)
		return error;
	emit_task(as, task, R2);
	emit_load(as, 1, R2, R2, offset);
	emit_jump_if(as, R2, BPF_JSET, bit, label);
	return 0;
}

/* What a task waits for whose state is in r1. */
static void set_wait(struct bpf_assembler *as, struct frame_slot task)
{
	struct bpf_label no_disk = { 0 }, sleeps = { 0 }, known = { 0 };
	int error;

	emit_set(as, VALUE, BPF_STATE_MEMORY);
	jump_if_bit(as, task, "task_struct.in_memstall", &known); /* with PSI */
	/* io_uring has the bit, too, while it waits for anything */
	emit_jump_if(as, R1, BPF_JSET, TASK_INTERRUPTIBLE, &no_disk);
	emit_set(as, VALUE, BPF_STATE_DISK);
	error = jump_if_bit(as, task, "task_struct.in_iowait", &known);
	if (error)
		emit_lack(as, error);
	emit_label(as, &no_disk);
	emit_set(as, VALUE, BPF_STATE_SLEEP);
	emit_jump_if(as, R1, BPF_JSET, TASK_NOLOAD, &known);
	emit_jump_if(as, R1, BPF_JSET, TASK_INTERRUPTIBLE, &sleeps);
	emit_set(as, VALUE, BPF_STATE_OTHER);
	emit_jump(as, &known);
	emit_label(as, &sleeps);
	set_sleep(as, task);
	emit_label(as, &known);
}

/* sched_switch: whether it was preempted, and its state. */
static void set_left(struct bpf_assembler *as, struct frame_slot task)
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
	set_wait(as, task);
	emit_label(as, &known);
}

static void set_present(struct bpf_assembler *as, struct frame_slot task)
{
	struct bpf_label known = { 0 };

	emit_set(as, VALUE, BPF_STATE_RUNNING);
	emit_task_member(as, task, R1, "task_struct.on_cpu");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_set(as, VALUE, BPF_STATE_READY);
	emit_task_member(as, task, R1, "task_struct.on_rq");
	emit_jump_if(as, R1, BPF_JNE, 0, &known);
	emit_task_member(as, task, R1, "task_struct.__state");
	emit_jump_if(as, R1, BPF_JEQ, 0, &known);
	emit_set(as, VALUE, BPF_STATE_GONE);
	emit_jump_if(as, R1, BPF_JSET, TASK_DEAD, &known);
	set_wait(as, task);
	emit_label(as, &known);
}

void emit_state(struct bpf_assembler *as, enum state_event event, struct frame_slot task)
{
	switch (event) {
	case EVENT_RUNNING:
		emit_set(as, VALUE, BPF_STATE_RUNNING);
		return;
	case EVENT_READY:
		emit_set(as, VALUE, BPF_STATE_READY);
		return;
	case EVENT_GONE:
		emit_set(as, VALUE, BPF_STATE_GONE);
		return;
	case EVENT_LEFT:
		set_left(as, task);
		return;
	case EVENT_EXISTS:
		set_present(as, task);
		return;
	}
}

void emit_call_number(struct bpf_assembler *as, struct frame_slot task)
{
	struct bpf_label none = { 0 }, known = { 0 };

	emit_task_member(as, task, R1, "task_struct.flags");
	emit_jump_if(as, R1, BPF_JSET, PF_KTHREAD, &none);
	emit_task(as, task, R1);
	emit_call(as, BPF_FUNC_task_pt_regs);
	emit_member(as, R1, R0, REGISTER_OF_CALL);
	emit_jump(as, &known);
	emit_label(as, &none);
	emit_set(as, R1, -1);
	emit_label(as, &known);
}

#define FOREIGN_BIT 15
_Static_assert(BPF_CALL_FOREIGN == 1 << FOREIGN_BIT, "what is shifted there");

void emit_foreign(struct bpf_assembler *as)
{
	emit_task_member(as, as->chosen, R1, MEMBER_OF_FOREIGN);
	emit_compute_with(as, BPF_AND, R1, 1 << BIT_OF_FOREIGN);
	if (BIT_OF_FOREIGN < FOREIGN_BIT)
		emit_compute_with(as, BPF_LSH, R1, FOREIGN_BIT - BIT_OF_FOREIGN);
	else
		emit_compute_with(as, BPF_RSH, R1, BIT_OF_FOREIGN - FOREIGN_BIT);
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

void choose_task(struct bpf_assembler *as, unsigned argument, enum state_event event, struct bpf_label *skip)
{
	emit_argument(as, R1, argument);
	if (event == EVENT_EXISTS)
		emit_jump_if(as, R1, BPF_JEQ, 0, skip);
	emit_store_slot(as, 8, as->chosen, 0, R1);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_unless_wanted(as, skip);
}

void choose_woken(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, WOKEN, EVENT_READY, skip);
}

/* A thread that takes the number of the first one, unless it is the first. */
void choose_executing(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, EXEC_TASK, EVENT_GONE, skip);
	emit_task_member(as, as->chosen, R2, "task_struct.pid");
	emit_argument(as, R1, EXEC_OLD_PID);
	emit_jump_if_register(as, R1, BPF_JEQ, R2, skip);
}

void choose_iterated(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, ITERATION_TASK, EVENT_EXISTS, skip);
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

void choose_either(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label wanted = { 0 };
	struct frame_slot process;

	as->chosen = emit_slot(as, 1);
	if (!as->target->process && !as->target->of_wanted)
		return;
	process = emit_slot(as, 1);
	for (unsigned i = SWITCH_PREVIOUS; i <= SWITCH_NEXT; i++) {
		struct bpf_label *no = i == SWITCH_NEXT ? skip : NULL;
		int compared = as->target->process ? R1 : R0;
		int32_t with = (int32_t)as->target->process;

		emit_argument(as, R1, i);
		emit_member(as, R1, R1, "task_struct.tgid");
		if (!as->target->process)
			look_up_wanted(as, process);
		if (no)
			emit_jump_if(as, compared, with ? BPF_JNE : BPF_JEQ, with, no);
		else
			emit_jump_if(as, compared, with ? BPF_JEQ : BPF_JNE, with, &wanted);
	}
	emit_label(as, &wanted);
}

void emit_thread(struct bpf_assembler *as, enum state_event event, struct frame_slot task)
{
	if (event == EVENT_GONE)
		emit_argument(as, R1, EXEC_OLD_PID);
	else
		emit_task_member(as, task, R1, "task_struct.pid");
}
