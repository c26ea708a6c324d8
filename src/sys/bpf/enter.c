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
 * task is in its new state. What the states are is in state.c.
 */
#include <config.h>

#include "sys/bpf/state.h"

#include <errno.h>

struct entering {
	enum state_event event;
	struct frame_slot task, now, times; /* times: new ones */
};

/* r0: its times so far; adds those since the last state, and enters the new one. */
static void add_times(struct bpf_assembler *as, const struct entering *entering)
{
	struct bpf_label runs = { 0 }, ahead = { 0 };

	emit_load(as, 8, R1, R0, offsetof(struct bpf_times, state));
	if (entering->event == EVENT_READY)
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
	emit_task_member(as, entering->task, R1, "task_struct.tgid");
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

	emit_state(as, entering->event, entering->task);
	emit_thread(as, entering->event, entering->task);
	emit_store_slot(as, 8, as->key, offsetof(struct bpf_times_key, thread), R1);
	emit_task(as, entering->task, R1);
	emit_store_slot(as, 8, as->key, offsetof(struct bpf_times_key, task), R1);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JEQ, 0, &unknown);
	if (entering->event != EVENT_EXISTS)
		add_times(as, entering);
	if (entering->event != EVENT_GONE)
		emit_jump(as, &done);
	emit_label(as, &unknown);
	if (entering->event != EVENT_GONE) {
		emit_jump_if(as, VALUE, BPF_JEQ, BPF_STATE_GONE, &done);
		begin_times(as, entering);
	}
	emit_label(as, &done);
}

static struct entering begin(struct bpf_assembler *as, enum state_event event)
{
	struct entering entering = {
		.event = event,
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
	struct entering entering = begin(as, EVENT_READY);

	enter_task(as, &entering);
}

static void enter_gone(struct bpf_assembler *as)
{
	struct entering entering = begin(as, EVENT_GONE);

	enter_task(as, &entering);
}

static void enter_exists(struct bpf_assembler *as)
{
	struct entering entering = begin(as, EVENT_EXISTS);

	enter_task(as, &entering);
}

static void enter_switch(struct bpf_assembler *as)
{
	struct bpf_label no_previous = { 0 }, no_next = { 0 };
	struct entering entering = begin(as, EVENT_LEFT);

	choose_task(as, SWITCH_PREVIOUS, EVENT_LEFT, &no_previous);
	enter_task(as, &entering);
	emit_label(as, &no_previous);
	entering.event = EVENT_RUNNING;
	choose_task(as, SWITCH_NEXT, EVENT_RUNNING, &no_next);
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
