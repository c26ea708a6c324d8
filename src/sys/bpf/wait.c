/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include <config.h>

#include "sys/bpf/state.h"

#include <errno.h>

#define STACK_TRIES 3

/* Arguments of sched_process_fork. */
enum { FORK_PARENT, FORK_CHILD };

struct waiting {
	enum state_event event;
	struct frame_slot task, now, state, thread, wait;
	struct frame_slot waiter; /* where it is … */
	struct frame_slot begun;  /* … and a new one */
};

/* In the slot for its wait; the rest is set. */
static void store_stack(struct bpf_assembler *as, const struct waiting *waiting)
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
	emit_store_slot(as, 4, waiting->wait, offsetof(struct bpf_wait, stack), R0);
}

/* before[thread] = its stack, which begins below the functions of the scheduler */
static void keep_stack(struct bpf_assembler *as, const struct waiting *waiting)
{
	struct frame_slot frames = emit_slot(as, BPF_STACK_FRAMES), thread = emit_slot(as, 1);

	emit_store_slot(as, 8, thread, 0, R1);
	for (size_t at = 0; at < frames.bytes; at += WORD)
		emit_store_slot_number(as, frames, at, 0);
	emit_task(as, waiting->task, R1);
	emit_address(as, R2, frames);
	emit_set(as, R3, (int32_t)frames.bytes);
	emit_set(as, R4, 0);
	emit_call(as, BPF_FUNC_get_task_stack);
	emit_update(as, BPF_MAP_BEFORE, thread, frames, BPF_ANY); /* when it is full, it goes without */
}

/* All 0 where the task does not wait. */
static void describe_wait(struct bpf_assembler *as, const struct waiting *waiting)
{
	struct frame_slot wait = waiting->wait;
	struct bpf_label none = { 0 };

	for (size_t at = 0; at < wait.bytes; at += WORD)
		emit_store_slot_number(as, wait, at, 0);
	if (waiting->event != EVENT_LEFT && waiting->event != EVENT_EXISTS)
		return;
	emit_jump_if(as, VALUE, BPF_JLE, BPF_STATE_READY, &none);
	emit_jump_if(as, VALUE, BPF_JEQ, BPF_STATE_GONE, &none);
	emit_task_member(as, waiting->task, R1, "task_struct.tgid");
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, process), R1);
	emit_call_number(as, waiting->task);
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, call), R1);
	emit_move(as, R1, VALUE);
	if (waiting->event == EVENT_EXISTS)
		emit_compute_with(as, BPF_OR, R1, BPF_WAIT_BEFORE);
	emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, state), R1);
	if (waiting->event == EVENT_LEFT) {
		store_stack(as, waiting);
	} else {
		emit_task_member(as, waiting->task, R1, "task_struct.pid");
		emit_store_slot(as, 4, wait, offsetof(struct bpf_wait, stack), R1);
		keep_stack(as, waiting);
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
static void leave_state(struct bpf_assembler *as, struct bpf_label *stays, const struct waiting *waiting)
{
	struct bpf_label ahead = { 0 }, waited = { 0 }, left = { 0 };

	emit_load(as, 8, R4, R0, offsetof(struct bpf_waiter, state));
	if (waiting->event == EVENT_READY)
		emit_jump_if(as, R4, BPF_JEQ, BPF_STATE_RUNNING, stays);
	emit_load_slot(as, 8, R1, waiting->now, 0);
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

static void enter_state(struct bpf_assembler *as, const struct waiting *waiting)
{
	struct frame_slot command = { waiting->begun.at + (int)offsetof(struct bpf_waiter, command),
				      BPF_COMMAND_BYTES };
	struct bpf_label lives = { 0 };

	emit_load_slot(as, 8, R0, waiting->waiter, 0);
	if (waiting->event == EVENT_LEFT)
		copy_slot(as, offsetof(struct bpf_waiter, wait), waiting->wait);
	emit_load_slot(as, 8, R1, waiting->state, 0);
	emit_store(as, 8, R0, offsetof(struct bpf_waiter, state), R1);
	if (waiting->event != EVENT_LEFT)
		return;
	emit_jump_if(as, R1, BPF_JNE, BPF_STATE_GONE, &lives);
	emit_task(as, waiting->task, R2);
	emit_command(as, command, 0, R2);
	emit_load_slot(as, 8, R0, waiting->waiter, 0);
	copy_slot(as, offsetof(struct bpf_waiter, command), command);
	emit_label(as, &lives);
}

/* If an event meets the thread between our look and this, it is known then. */
static void begin_waiter(struct bpf_assembler *as, const struct waiting *waiting)
{
	struct frame_slot begun = waiting->begun;
	struct bpf_label known = { 0 };

	for (size_t at = 0; at < begun.bytes; at += WORD)
		emit_store_slot_number(as, begun, at, 0);
	emit_task_member(as, waiting->task, R1, "task_struct.tgid");
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, process), R1);
	emit_task_member(as, waiting->task, R1, "task_struct.group_leader");
	emit_member(as, R1, R1, "task_struct.start_boottime");
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, start_ns), R1);
	emit_load_slot(as, 8, R1, waiting->now, 0);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, begun_ns), R1);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, since_ns), R1);
	emit_load_slot(as, 8, R1, waiting->state, 0);
	emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, state), R1);
	for (size_t at = 0; at < waiting->wait.bytes; at += WORD) {
		emit_load_slot(as, 8, R1, waiting->wait, at);
		emit_store_slot(as, 8, begun, offsetof(struct bpf_waiter, wait) + at, R1);
	}
	emit_task(as, waiting->task, R2);
	emit_command(as, begun, offsetof(struct bpf_waiter, command) / WORD, R2);
	emit_update(as, BPF_MAP_WAITERS, waiting->thread, begun, BPF_NOEXIST);
	emit_jump_if(as, R0, BPF_JEQ, 0, &known);
	emit_jump_if(as, R0, BPF_JEQ, -EEXIST, &known);
	emit_count_lost(as);
	emit_label(as, &known);
}

static void enter_task(struct bpf_assembler *as, const struct waiting *waiting)
{
	struct bpf_label unknown = { 0 }, done = { 0 };

	emit_state(as, waiting->event, waiting->task);
	emit_store_slot(as, 8, waiting->state, 0, VALUE);
	describe_wait(as, waiting);
	emit_thread(as, waiting->event, waiting->task);
	emit_store_slot(as, 8, waiting->thread, offsetof(struct bpf_times_key, thread), R1);
	emit_task(as, waiting->task, R1);
	emit_store_slot(as, 8, waiting->thread, offsetof(struct bpf_times_key, task), R1);
	emit_look_up(as, BPF_MAP_WAITERS, waiting->thread);
	emit_jump_if(as, R0, BPF_JEQ, 0, &unknown);
	if (waiting->event != EVENT_EXISTS) {
		emit_store_slot(as, 8, waiting->waiter, 0, R0);
		leave_state(as, &done, waiting);
		enter_state(as, waiting);
	}
	if (waiting->event != EVENT_GONE)
		emit_jump(as, &done);
	emit_label(as, &unknown);
	if (waiting->event != EVENT_GONE) {
		emit_load_slot(as, 8, R1, waiting->state, 0);
		emit_jump_if(as, R1, BPF_JEQ, BPF_STATE_GONE, &done);
		begin_waiter(as, waiting);
	}
	emit_label(as, &done);
}

static struct waiting begin(struct bpf_assembler *as, enum state_event event)
{
	struct waiting waiting = {
		.event = event,
		.task = as->chosen,
		.now = emit_slot(as, 1),
		.state = emit_slot(as, 1),
		.thread = emit_slot(as, sizeof(struct bpf_times_key) / WORD),
		.wait = emit_slot(as, sizeof(struct bpf_wait) / WORD),
		.waiter = emit_slot(as, 1),
		.begun = emit_slot(as, sizeof(struct bpf_waiter) / WORD),
	};

	emit_need(as, "task_struct.__state"); /* Linux 5.14; older ones have other tracepoints */
	as->key = emit_slot(as, sizeof(struct bpf_wait) / WORD);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_store_slot(as, 8, waiting.now, 0, R0);
	return waiting;
}

static void wait_ready(struct bpf_assembler *as)
{
	struct waiting waiting = begin(as, EVENT_READY);

	enter_task(as, &waiting);
}

static void wait_gone(struct bpf_assembler *as)
{
	struct waiting waiting = begin(as, EVENT_GONE);

	enter_task(as, &waiting);
}

static void wait_exists(struct bpf_assembler *as)
{
	struct waiting waiting = begin(as, EVENT_EXISTS);

	enter_task(as, &waiting);
}

static void wait_switch(struct bpf_assembler *as)
{
	struct bpf_label no_previous = { 0 }, no_next = { 0 };
	struct waiting waiting = begin(as, EVENT_LEFT);

	choose_task(as, SWITCH_PREVIOUS, EVENT_LEFT, &no_previous);
	enter_task(as, &waiting);
	emit_label(as, &no_previous);
	waiting.event = EVENT_RUNNING;
	choose_task(as, SWITCH_NEXT, EVENT_RUNNING, &no_next);
	enter_task(as, &waiting);
	emit_label(as, &no_next);
}

#define WAIT_SHAPE                                                                                           \
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_WAITERS) | BPF_MAP_BIT(BPF_MAP_STACKS) |  \
		BPF_MAP_BIT(BPF_MAP_WANTED) | BPF_MAP_BIT(BPF_MAP_BEFORE),                                   \
	.entries = BPF_ENTRIES_COUNTS, .needs_types = true

const struct bpf_shape bpf_wait_switch = { WAIT_SHAPE, .choose = choose_either, .work = wait_switch };
const struct bpf_shape bpf_wait_ready = { WAIT_SHAPE, .choose = choose_woken, .work = wait_ready };
const struct bpf_shape bpf_wait_gone = { WAIT_SHAPE, .choose = choose_executing, .work = wait_gone };
const struct bpf_shape bpf_wait_exists = {
	WAIT_SHAPE,
	.iterates = true,
	.choose = choose_iterated,
	.work = wait_exists,
};

/* wanted[child->tgid] = 0; a thread has the number of its process, which is there. */
static void follow(struct bpf_assembler *as)
{
	struct frame_slot child = emit_slot(as, 1);
	struct bpf_label done = { 0 };

	emit_argument(as, R1, FORK_CHILD);
	emit_member(as, R1, R1, "task_struct.tgid");
	emit_store_slot(as, 8, child, 0, R1);
	emit_update(as, BPF_MAP_WANTED, child, as->zero, BPF_ANY);
	emit_jump_if(as, R0, BPF_JEQ, 0, &done);
	emit_count_lost(as);
	emit_label(as, &done);
}

static void choose_parent(struct bpf_assembler *as, struct bpf_label *skip)
{
	as->chosen = emit_slot(as, 1);
	choose_task(as, FORK_PARENT, EVENT_RUNNING, skip);
}

const struct bpf_shape bpf_follow = {
	.maps = BPF_MAP_BIT(BPF_MAP_WANTED),
	.needs_types = true,
	.choose = choose_parent,
	.work = follow,
};
