/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets or clears a bit of this CPU, which programs of the same plan see:
 *
 *	u64 bit = 1 << (VALUE + FIRST_BIT & 63);
 *
 *	*marks |= bit;					bpf_mark
 *	*marks &= ~bit;					bpf_unmark
 */
#include <config.h>

#include "sys/bpf/parts.h"

static void load_bit(struct bpf_assembler *as)
{
	emit_part(as, &as->program->value);
	emit_compute_with(as, BPF_ADD, R1, (int32_t)as->program->first_bit);
	emit_compute_with(as, BPF_AND, R1, 63);
	emit_set(as, VALUE, 1);
	emit_compute(as, BPF_LSH, VALUE, R1);
}

static void change(struct bpf_assembler *as, int operation)
{
	struct bpf_label none = { 0 };

	emit_look_up(as, BPF_MAP_MARKS, as->zero);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_load(as, 8, R1, R0, 0);
	emit_compute(as, operation, R1, VALUE);
	emit_store(as, 8, R0, 0, R1);
	emit_label(as, &none);
}

static void mark(struct bpf_assembler *as)
{
	load_bit(as);
	change(as, BPF_OR);
}

static void unmark(struct bpf_assembler *as)
{
	load_bit(as);
	emit_compute_with(as, BPF_XOR, VALUE, -1);
	change(as, BPF_AND);
}

const struct bpf_shape bpf_mark = { .maps = BPF_MAP_BIT(BPF_MAP_MARKS), .work = mark };
const struct bpf_shape bpf_unmark = { .maps = BPF_MAP_BIT(BPF_MAP_MARKS), .work = unmark };
