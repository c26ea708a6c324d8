/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a text of the process that runs:
 *
 *	struct bpf_record *record = this_cpu(records);
 *	u64 value = VALUE, length = END - value;
 *
 *	record->text_bytes = length;
 *	length = min(length, BPF_TEXT_MAX);
 *	record->copied_bytes = length;
 *	if (probe_read_user(record->text, length, (void *)value) != 0)
 *		record->copied_bytes = length = 0;
 *	error = perf_event_output(ctx, rings, BPF_F_CURRENT_CPU, record, BPF_RECORD_HEAD + length);
 *	if (error != 0 && error != -ENOENT)
 *		self->lost++;
 *
 * It reads what is in memory: nothing is paged in. A CPU without a ring is not of interest; a full one has
 * lost the record.
 */
#include <config.h>

#include "sys/bpf/parts.h"

#include <errno.h>

/* r0: the record; its address is in record then. */
static void copy_text(struct bpf_assembler *as, struct frame_slot record, struct frame_slot length)
{
	struct bpf_label copied = { 0 }, short_enough = { 0 };

	emit_load_slot(as, 8, R2, length, 0);
	emit_store(as, 4, R0, offsetof(struct bpf_record, text_bytes), R2);
	emit_jump_if(as, R2, BPF_JLE, BPF_TEXT_MAX, &short_enough);
	emit_set(as, R2, BPF_TEXT_MAX);
	emit_label(as, &short_enough);
	emit_store_slot(as, 8, length, 0, R2);
	emit_store(as, 4, R0, offsetof(struct bpf_record, copied_bytes), R2);
	emit_move(as, R1, R0);
	emit_compute_with(as, BPF_ADD, R1, BPF_RECORD_HEAD);
	emit_move(as, R3, VALUE);
	emit_call(as, BPF_FUNC_probe_read_user);
	emit_jump_if(as, R0, BPF_JEQ, 0, &copied);
	emit_set(as, R2, 0);
	emit_store_slot(as, 8, length, 0, R2);
	emit_load_slot(as, 8, R1, record, 0);
	emit_store(as, 4, R1, offsetof(struct bpf_record, copied_bytes), R2);
	emit_label(as, &copied);
}

void emit_send(struct bpf_assembler *as, struct frame_slot record, int32_t head, struct frame_slot length)
{
	struct bpf_label sent = { 0 };

	emit_load_slot(as, 8, R5, length, 0);
	emit_jump_if(as, R5, BPF_JGT, BPF_TEXT_MAX, &sent); /* never: the verifier wants to see it */
	emit_compute_with(as, BPF_ADD, R5, head);
	emit_load_slot(as, 8, R4, record, 0);
	emit_set_long(as, R3, BPF_F_CURRENT_CPU);
	emit_map(as, R1, BPF_MAP_RINGS);
	emit_move(as, R2, R1);
	emit_move(as, R1, CTX);
	emit_call(as, BPF_FUNC_perf_event_output);
	emit_jump_if(as, R0, BPF_JEQ, 0, &sent);
	emit_jump_if(as, R0, BPF_JEQ, -ENOENT, &sent);
	emit_count_lost(as);
	emit_label(as, &sent);
}

static void work(struct bpf_assembler *as)
{
	struct frame_slot record = emit_slot(as, 1), length = emit_slot(as, 1);
	struct bpf_label none = { 0 };

	emit_part(as, &as->program->value);
	emit_move(as, VALUE, R1);
	emit_part(as, &as->program->end);
	emit_compute(as, BPF_SUB, R1, VALUE);
	emit_store_slot(as, 8, length, 0, R1);
	emit_look_up(as, BPF_MAP_RECORDS, as->zero);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_store_slot(as, 8, record, 0, R0);
	copy_text(as, record, length);
	emit_send(as, record, BPF_RECORD_HEAD, length);
	emit_label(as, &none);
}

const struct bpf_shape bpf_record = {
	.maps = BPF_MAP_BIT(BPF_MAP_RECORDS) | BPF_MAP_BIT(BPF_MAP_RINGS),
	.work = work,
};
