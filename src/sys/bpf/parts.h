/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs of several shapes do: they look into maps, load parts of keys and values, count in entries.
 * All of it calls the kernel, and may change r0 to r5 and the room.
 */
#ifndef PANETOP_SYS_BPF_PARTS_H
#define PANETOP_SYS_BPF_PARTS_H

#include "sys/bpf/emit.h"

/* r0: the element with this key, or NULL. */
void emit_look_up(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key);

/* r0: 0, or negative. */
void emit_update(struct bpf_assembler *as, enum bpf_map map, struct frame_slot key, struct frame_slot value,
		 int32_t flags);

/* self->field++; r1: what it is then. */
void emit_count_self(struct bpf_assembler *as, size_t field);
#define emit_count_lost(as) emit_count_self(as, offsetof(struct bpf_self, lost))

/* to = base->way of the kernel's structure: the number there, or these bytes of something else. */
void emit_member(struct bpf_assembler *as, int to, int base, const char *way);
void emit_member_of(struct bpf_assembler *as, uint32_t bytes, int to, int base, const char *way);

/* Into the two words of command, from word on: the name of the process of the task in this register. */
void emit_command(struct bpf_assembler *as, struct frame_slot command, unsigned word, int task);

/* The kernel is too old without this. */
void emit_need(struct bpf_assembler *as, const char *way);

/* to = ctx[argument] */
void emit_argument(struct bpf_assembler *as, int to, unsigned argument);

/* r1 = part */
void emit_part(struct bpf_assembler *as, const struct bpf_part *part);

/* Into this slot, all of which it sets, the text that part is. */
void emit_text(struct bpf_assembler *as, const struct bpf_part *part, struct frame_slot slot);

/* r1: the process that runs, its pid. */
void emit_process(struct bpf_assembler *as);

/* The words of the program's keys, into the slot for them. */
void emit_key(struct bpf_assembler *as);

/* The same slot without the word of by_log2. */
struct frame_slot key_of_start(const struct bpf_assembler *as);

/* r2: the number of bits of the value, 0 for 0. */
void emit_bits(struct bpf_assembler *as);

/* r1: histogram_index(0, value). */
void emit_bucket(struct bpf_assembler *as);

/* starts[key] = value */
void emit_keep(struct bpf_assembler *as);

/* In slot: the number of the one that the key has among as many as have these bits. */
void emit_hash(struct bpf_assembler *as, struct frame_slot key, int bits, struct frame_slot slot);
#define SLOT_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* Goes to found, with what entries has of the key at r0, where the key has its slot. */
void emit_find_slot(struct bpf_assembler *as, struct bpf_label *found);

/* r0: entries[key], of which count is one more; none: there was no room for it, which is counted. */
void emit_count_entry(struct bpf_assembler *as, struct bpf_label *none);

/* entries[key]: count++ */
void emit_count(struct bpf_assembler *as);

/* entries[key]: count++, sum += value, most */
void emit_count_value(struct bpf_assembler *as);

/* Sends the head of this record, and length bytes of text behind it; lost: the ring is full. */
void emit_send(struct bpf_assembler *as, struct frame_slot record, int32_t head, struct frame_slot length);

/* if (*(r0 + offset) < value) it is value */
void emit_keep_most(struct bpf_assembler *as, size_t offset);

#endif
