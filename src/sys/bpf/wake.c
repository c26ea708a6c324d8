/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include <config.h>

#include "sys/bpf/state.h"

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

	for (size_t at = 0; at < as->key.bytes; at += WORD)
		emit_store_slot_number(as, as->key, at, 0);
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
