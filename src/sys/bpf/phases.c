/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two times that follow each other, in histograms by the one word of the key. The start of the second:
 *
 *	u64 key = KEY, now = ktime_get_ns(), had;
 *	struct { u64 key, time; } *slot = &start_slots[hash(key)];
 *
 *	had = cmpxchg(&slot->key, 0, key);
 *	if (had == 0 || had == key)
 *		slot->time = now;
 *	else
 *		starts[key] = now;			(emit_keep)
 *
 * The end, of work that is done as a whole:
 *
 *	u64 middle = MIDDLE, first = VALUE, key = KEY;
 *	struct bpf_phases *phases;
 *
 *	if (DONE < WHOLE)
 *		return 0;
 *	if (middle == 0) {
 *		middle = *slot_or_start(BEGUN);		(0 is left there)
 *		if (middle == 0)
 *			return 0;
 *	}
 *	phases = &histograms[entries[key]];		(a new key gets the next number)
 *	if (!phases) {
 *		self->lost++;
 *		return 0;
 *	}
 *	add(phases, 1, ktime_get_ns() - middle);
 *	if (first)
 *		add(phases, 0, middle - first);
 *
 * where add(phases, phase, time) is
 *
 *	time = (s64)time < 0 ? 0 : time;
 *	__sync_fetch_and_add(&phases->buckets[phase][histogram_index(0, time)], 1);
 *	__sync_fetch_and_add(&phases->sum[phase], time);
 *	phases->most[phase] = max(phases->most[phase], time);
 */
#include <config.h>

#include "sys/bpf/parts.h"

/* Of start_slots. */
enum { SLOT_KEY = 0, SLOT_TIME = WORD };

/* r0: the slot of the key, or NULL. */
static void find_start_slot(struct bpf_assembler *as, struct frame_slot key)
{
	struct frame_slot number = emit_slot(as, 1);

	emit_hash(as, key, BPF_START_SLOT_BITS, number);
	emit_look_up(as, BPF_MAP_START_SLOTS, number);
}

static void start(struct bpf_assembler *as)
{
	struct bpf_label others = { 0 }, ours = { 0 }, kept = { 0 };

	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	find_start_slot(as, as->key);
	emit_jump_if(as, R0, BPF_JEQ, 0, &others);
	emit_move(as, R3, R0);
	emit_set(as, R0, 0);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_atomic(as, BPF_CMPXCHG, R3, SLOT_KEY, R2);
	emit_jump_if(as, R0, BPF_JEQ, 0, &ours);
	emit_jump_if_register(as, R0, BPF_JNE, R2, &others);
	emit_label(as, &ours);
	emit_store(as, 8, R3, SLOT_TIME, VALUE);
	emit_jump(as, &kept);
	emit_label(as, &others);
	emit_keep(as);
	emit_label(as, &kept);
}

const struct bpf_shape bpf_start_phases = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_START_SLOTS),
	.work = start,
};

/* The value: when the second phase began. */
static void load_middle(struct bpf_assembler *as, struct bpf_label *unknown)
{
	struct frame_slot begun = emit_slot(as, 1);
	struct bpf_label known = { 0 }, others = { 0 };

	emit_part(as, &as->program->middle);
	emit_move(as, VALUE, R1);
	emit_jump_if(as, VALUE, BPF_JNE, 0, &known);
	emit_part(as, &as->program->begun);
	emit_store_slot(as, 8, begun, 0, R1);
	find_start_slot(as, begun);
	emit_jump_if(as, R0, BPF_JEQ, 0, &others);
	emit_load(as, 8, R1, R0, SLOT_KEY);
	emit_load_slot(as, 8, R2, begun, 0);
	emit_jump_if_register(as, R1, BPF_JNE, R2, &others);
	emit_load(as, 8, VALUE, R0, SLOT_TIME);
	emit_store_number(as, R0, SLOT_KEY, 0);
	emit_jump(as, &known);
	emit_label(as, &others);
	emit_look_up(as, BPF_MAP_STARTS, begun);
	emit_jump_if(as, R0, BPF_JEQ, 0, unknown);
	emit_load(as, 8, VALUE, R0, 0);
	emit_store_number(as, R0, 0, 0);
	emit_jump_if(as, VALUE, BPF_JEQ, 0, unknown);
	emit_label(as, &known);
}

/* In r0, and kept in phases. */
static void find_phases(struct bpf_assembler *as, struct frame_slot phases, struct bpf_label *none)
{
	struct frame_slot number = emit_slot(as, 1);
	struct bpf_label found = { 0 };

	emit_find_slot(as, &found);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_look_up(as, BPF_MAP_NUMBERS, as->zero);
	emit_jump_if(as, R0, BPF_JEQ, 0, none);
	emit_set(as, R1, 1);
	emit_atomic(as, BPF_ADD | BPF_FETCH, R0, 0, R1);
	emit_store_slot(as, 8, number, 0, R1);
	emit_update(as, BPF_MAP_ENTRIES, as->key, number, BPF_NOEXIST);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JEQ, 0, none);
	emit_label(as, &found);
	emit_load(as, 8, R1, R0, 0);
	emit_store_slot(as, 8, number, 0, R1);
	emit_look_up(as, BPF_MAP_HISTOGRAMS, number);
	emit_jump_if(as, R0, BPF_JEQ, 0, none);
	emit_store_slot(as, 8, phases, 0, R0);
}

/* Of the value. */
static void count_phase(struct bpf_assembler *as, struct frame_slot phases, enum bpf_phase phase)
{
	struct bpf_label forward = { 0 };

	emit_jump_if(as, VALUE, BPF_JSGE, 0, &forward);
	emit_set(as, VALUE, 0); /* its ends were read from clocks of two CPUs, or from one that stood still */
	emit_label(as, &forward);
	emit_bucket(as);
	emit_load_slot(as, 8, R0, phases, 0);
	emit_compute_with(as, BPF_LSH, R1, 3);
	emit_compute(as, BPF_ADD, R1, R0);
	emit_set(as, R2, 1);
	emit_atomic(as, BPF_ADD, R1, offsetof(struct bpf_phases, buckets[phase]), R2);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_phases, sum[phase]), VALUE);
	emit_keep_most(as, offsetof(struct bpf_phases, most[phase]));
}

static void stop(struct bpf_assembler *as)
{
	struct frame_slot phases = emit_slot(as, 1), middle = emit_slot(as, 1);
	struct bpf_label none = { 0 }, done = { 0 };

	emit_part(as, &as->program->whole);
	emit_move(as, VALUE, R1);
	emit_part(as, &as->program->done);
	emit_jump_if_register(as, R1, BPF_JLT, VALUE, &done);
	load_middle(as, &done);
	emit_key(as);
	find_phases(as, phases, &none);
	emit_store_slot(as, 8, middle, 0, VALUE);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_SUB, R0, VALUE);
	emit_move(as, VALUE, R0);
	count_phase(as, phases, BPF_PHASE_SECOND);
	emit_part(as, &as->program->value);
	emit_jump_if(as, R1, BPF_JEQ, 0, &done);
	emit_load_slot(as, 8, VALUE, middle, 0);
	emit_compute(as, BPF_SUB, VALUE, R1);
	count_phase(as, phases, BPF_PHASE_FIRST);
	emit_jump(as, &done);
	emit_label(as, &none);
	emit_count_lost(as);
	emit_label(as, &done);
}

const struct bpf_shape bpf_stop_phases = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS) |
		BPF_MAP_BIT(BPF_MAP_START_SLOTS) | BPF_MAP_BIT(BPF_MAP_HISTOGRAMS) |
		BPF_MAP_BIT(BPF_MAP_NUMBERS),
	.entries = BPF_ENTRIES_PHASES,
	.work = stop,
};
