/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs count by key: in a hash, and for keys that come often in slots of their own. */
#include <config.h>

#include "sys/bpf/parts.h"

void emit_bits(struct bpf_assembler *as)
{
	struct bpf_label zero = { 0 };

	emit_move(as, R1, VALUE);
	emit_set(as, R2, 0);
	for (int bits = 32; bits > 0; bits /= 2) {
		struct bpf_label small = { 0 };

		emit_move(as, R3, R1);
		emit_compute_with(as, BPF_RSH, R3, bits);
		emit_jump_if(as, R3, BPF_JEQ, 0, &small);
		emit_compute_with(as, BPF_ADD, R2, bits);
		emit_move(as, R1, R3);
		emit_label(as, &small);
	}
	emit_jump_if(as, R1, BPF_JEQ, 0, &zero);
	emit_compute_with(as, BPF_ADD, R2, 1);
	emit_label(as, &zero);
}

void emit_bucket(struct bpf_assembler *as)
{
	struct bpf_label narrow = { 0 }, below = { 0 };

	emit_bits(as);
	emit_move(as, R1, VALUE);
	emit_jump_if(as, R2, BPF_JLE, HISTOGRAM_SUB_BITS, &narrow);
	emit_compute_with(as, BPF_SUB, R2, HISTOGRAM_SUB_BITS + 1);
	emit_compute(as, BPF_RSH, R1, R2);
	emit_compute_with(as, BPF_LSH, R2, HISTOGRAM_SUB_BITS);
	emit_compute(as, BPF_ADD, R1, R2);
	emit_label(as, &narrow);
	emit_jump_if(as, R1, BPF_JLT, HISTOGRAM_BUCKETS, &below);
	emit_set(as, R1, HISTOGRAM_BUCKETS - 1);
	emit_label(as, &below);
}

uint32_t bpf_slot(const uint64_t *key, unsigned n_words)
{
	uint64_t mixed = 0;

	for (unsigned word = 0; word < n_words; word++)
		mixed = (mixed ^ key[word]) * SLOT_MULTIPLIER;
	return (uint32_t)(mixed >> (64 - BPF_SLOT_BITS));
}

/* bpf_slot() */
void emit_hash(struct bpf_assembler *as, struct frame_slot key, int bits, struct frame_slot slot)
{
	emit_set(as, R1, 0);
	emit_set_long(as, R2, SLOT_MULTIPLIER);
	for (size_t at = 0; at < key.bytes; at += WORD) {
		emit_load_slot(as, 8, R3, key, at);
		emit_compute(as, BPF_XOR, R1, R3);
		emit_compute(as, BPF_MUL, R1, R2);
	}
	emit_compute_with(as, BPF_RSH, R1, 64 - bits);
	emit_store_slot(as, 4, slot, 0, R1);
}

void emit_find_slot(struct bpf_assembler *as, struct bpf_label *found)
{
	struct frame_slot slot;
	struct bpf_label none = { 0 };

	if (as->target->maps[BPF_MAP_SLOTS] < 0)
		return;
	slot = emit_slot(as, 1);
	emit_hash(as, as->key, BPF_SLOT_BITS, slot);
	emit_look_up(as, BPF_MAP_SLOTS, slot);
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	for (size_t at = 0; at < as->key.bytes; at += WORD) {
		emit_load(as, 8, R1, R0, at);
		emit_load_slot(as, 8, R2, as->key, at);
		emit_jump_if_register(as, R1, BPF_JNE, R2, &none);
	}
	emit_compute_with(as, BPF_ADD, R0, (int32_t)as->key.bytes);
	emit_jump(as, found);
	emit_label(as, &none);
}

void emit_keep_most(struct bpf_assembler *as, size_t offset)
{
	struct bpf_label greater = { 0 };

	emit_load(as, 8, R1, R0, offset);
	emit_jump_if_register(as, R1, BPF_JGE, VALUE, &greater);
	emit_store(as, 8, R0, offset, VALUE);
	emit_label(as, &greater);
}

/* The word of by_log2 is the last one of the key. */
static void store_bits(struct bpf_assembler *as)
{
	if (!as->program->by_log2)
		return;
	emit_bits(as);
	emit_store_slot(as, 8, as->key, as->key.bytes - WORD, R2);
}

void emit_count_entry(struct bpf_assembler *as, struct bpf_label *none)
{
	struct frame_slot entry = emit_slot(as, sizeof(struct bpf_entry) / WORD);
	struct bpf_label found = { 0 };

	emit_find_slot(as, &found);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	for (size_t at = 0; at < entry.bytes; at += WORD)
		emit_store_slot_number(as, entry, at, 0);
	emit_update(as, BPF_MAP_ENTRIES, as->key, entry, BPF_NOEXIST);
	emit_look_up(as, BPF_MAP_ENTRIES, as->key);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_count_lost(as);
	emit_jump(as, none);
	emit_label(as, &found);
	emit_set(as, R1, 1);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_entry, count), R1);
}

void emit_count(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	emit_count_entry(as, &none);
	emit_label(as, &none);
}

void emit_count_value(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	store_bits(as);
	emit_count_entry(as, &none);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_entry, sum), VALUE);
	emit_keep_most(as, offsetof(struct bpf_entry, most));
	emit_label(as, &none);
}

/* Most keys are there already: that is cheaper than an update. */
void emit_keep(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, kept = { 0 };

	emit_look_up(as, BPF_MAP_STARTS, key_of_start(as));
	emit_jump_if(as, R0, BPF_JEQ, 0, &none);
	emit_store(as, 8, R0, 0, VALUE);
	emit_jump(as, &kept);
	emit_label(as, &none);
	emit_store_slot(as, 8, as->room, 0, VALUE);
	emit_update(as, BPF_MAP_STARTS, key_of_start(as), as->room, BPF_ANY);
	emit_jump_if(as, R0, BPF_JEQ, 0, &kept);
	emit_count_lost(as);
	emit_label(as, &kept);
}
