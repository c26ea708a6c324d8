/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Emits instructions, and follows what they set. */
#include <config.h>

#include "sys/bpf/emit.h"

#include <errno.h>

#define FRAME_MAX 512 /* bytes: the kernel's limit */
#define FRAME R10
#define CALL_CHANGES 0x3f /* r0 to r5 */

static const struct {
	int32_t number;
	unsigned n_arguments;
	const char *name;
} functions[] = {
	{ BPF_FUNC_map_lookup_elem, 2, "map_lookup_elem" },
	{ BPF_FUNC_map_update_elem, 4, "map_update_elem" },
	{ BPF_FUNC_map_delete_elem, 2, "map_delete_elem" },
	{ BPF_FUNC_ktime_get_ns, 0, "ktime_get_ns" },
	{ BPF_FUNC_get_smp_processor_id, 0, "get_smp_processor_id" },
	{ BPF_FUNC_get_current_pid_tgid, 0, "get_current_pid_tgid" },
	{ BPF_FUNC_get_stackid, 3, "get_stackid" },
	{ BPF_FUNC_get_task_stack, 4, "get_task_stack" },
	{ BPF_FUNC_get_current_comm, 2, "get_current_comm" },
	{ BPF_FUNC_get_current_cgroup_id, 0, "get_current_cgroup_id" },
	{ BPF_FUNC_get_current_task_btf, 0, "get_current_task_btf" },
	{ BPF_FUNC_task_pt_regs, 1, "task_pt_regs" },
	{ BPF_FUNC_probe_read_kernel, 3, "probe_read_kernel" },
	{ BPF_FUNC_probe_read_kernel_str, 3, "probe_read_kernel_str" },
	{ BPF_FUNC_probe_read_user, 3, "probe_read_user" },
	{ BPF_FUNC_probe_read_user_str, 3, "probe_read_user_str" },
	{ BPF_FUNC_perf_event_output, 5, "perf_event_output" },
};

const char *emit_function(int32_t function, unsigned *n_arguments)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].number == function) {
			*n_arguments = functions[i].n_arguments;
			return functions[i].name;
		}
	return NULL;
}

void emit_refuse(struct bpf_assembler *as, const char *why)
{
	if (as->code->error)
		return;
	as->code->error = -EINVAL;
	as->code->refused = why;
}

void emit_lack(struct bpf_assembler *as, int error)
{
	if (!as->code->error)
		as->code->error = error;
}

void emit_begin(struct bpf_assembler *as, struct bpf_code *code)
{
	as->code = code;
	as->known.registers = 1U << R1 | 1U << FRAME;
	as->held = 1U << FRAME;
}

void emit_end(struct bpf_assembler *as)
{
	if (as->n_open > 0)
		emit_refuse(as, "a jump leads nowhere");
	if (!as->unreachable)
		emit_refuse(as, "it does not end");
}

static void use(struct bpf_assembler *as, int one)
{
	if (!(as->known.registers >> one & 1))
		emit_refuse(as, "a register is read that is not set on every way, or not since a call");
}

static void change(struct bpf_assembler *as, int one)
{
	if (as->held >> one & 1)
		emit_refuse(as, "a register is written that is held");
	as->known.registers |= 1U << one;
}

static void put_word(struct bpf_assembler *as, struct bpf_insn insn)
{
	if (as->code->count == BPF_CODE_MAX) {
		emit_refuse(as, "it is too long");
		return;
	}
	as->code->insns[as->code->count++] = insn;
}

static void put(struct bpf_assembler *as, int operation, int to, int from, size_t offset, int32_t number)
{
	if (as->unreachable)
		emit_refuse(as, "no way leads to an instruction");
	put_word(as, (struct bpf_insn){
			     .code = (uint8_t)operation,
			     .dst_reg = (uint8_t)(to & 15),
			     .src_reg = (uint8_t)(from & 15),
			     .off = (int16_t)offset,
			     .imm = number,
		     });
}

void emit_hold(struct bpf_assembler *as, int held)
{
	use(as, held);
	as->held |= 1U << held;
}

void emit_release(struct bpf_assembler *as, int held)
{
	as->held &= ~(1U << held);
}

void emit_move(struct bpf_assembler *as, int to, int from)
{
	use(as, from);
	change(as, to);
	put(as, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void emit_truncate(struct bpf_assembler *as, int to, int from)
{
	use(as, from);
	change(as, to);
	put(as, BPF_ALU | BPF_MOV | BPF_X, to, from, 0, 0);
}

void emit_set(struct bpf_assembler *as, int to, int32_t number)
{
	change(as, to);
	put(as, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}

/* Two instructions in one. */
static void put_long(struct bpf_assembler *as, int to, int kind, uint64_t number)
{
	change(as, to);
	put(as, BPF_LD | BPF_DW | BPF_IMM, to, kind, 0, (int32_t)(uint32_t)number);
	put_word(as, (struct bpf_insn){ .imm = (int32_t)(uint32_t)(number >> 32) });
}

void emit_set_long(struct bpf_assembler *as, int to, uint64_t number)
{
	put_long(as, to, 0, number);
}

static uint64_t map_of(struct bpf_assembler *as, enum bpf_map map)
{
	if (as->target->maps[map] < 0)
		emit_refuse(as, "a map is used that is not there");
	return (uint32_t)as->target->maps[map];
}

void emit_map(struct bpf_assembler *as, int to, enum bpf_map map)
{
	put_long(as, to, BPF_PSEUDO_MAP_FD, map_of(as, map));
}

void emit_map_memory(struct bpf_assembler *as, int to, enum bpf_map map)
{
	put_long(as, to, BPF_PSEUDO_MAP_VALUE, map_of(as, map));
}

void emit_compute(struct bpf_assembler *as, int operation, int to, int from)
{
	use(as, to);
	use(as, from);
	change(as, to);
	put(as, BPF_ALU64 | operation | BPF_X, to, from, 0, 0);
}

void emit_compute_with(struct bpf_assembler *as, int operation, int to, int32_t number)
{
	use(as, to);
	change(as, to);
	put(as, BPF_ALU64 | operation | BPF_K, to, 0, 0, number);
}

static int size_of(struct bpf_assembler *as, uint32_t bytes)
{
	if (bytes != 8 && bytes != 4 && bytes != 2 && bytes != 1)
		emit_refuse(as, "there are no numbers of this size");
	return bytes == 8 ? BPF_DW : bytes == 4 ? BPF_W : bytes == 2 ? BPF_H : BPF_B;
}

static void use_base(struct bpf_assembler *as, int base, size_t offset)
{
	use(as, base);
	if (base == FRAME)
		emit_refuse(as, "the frame is used without a slot");
	if (offset > INT16_MAX)
		emit_refuse(as, "it is too far away");
}

void emit_load(struct bpf_assembler *as, uint32_t bytes, int to, int base, size_t offset)
{
	use_base(as, base, offset);
	change(as, to);
	put(as, BPF_LDX | BPF_MEM | size_of(as, bytes), to, base, offset, 0);
}

void emit_store(struct bpf_assembler *as, uint32_t bytes, int base, size_t offset, int from)
{
	use_base(as, base, offset);
	use(as, from);
	put(as, BPF_STX | BPF_MEM | size_of(as, bytes), base, from, offset, 0);
}

void emit_store_number(struct bpf_assembler *as, int base, size_t offset, int32_t number)
{
	use_base(as, base, offset);
	put(as, BPF_ST | BPF_MEM | BPF_DW, base, 0, offset, number);
}

void emit_atomic(struct bpf_assembler *as, int32_t operation, int base, size_t offset, int from)
{
	use_base(as, base, offset);
	use(as, from);
	if (operation == BPF_CMPXCHG) {
		use(as, R0);
		change(as, R0);
	} else if (operation & BPF_FETCH) {
		change(as, from);
	}
	put(as, BPF_STX | BPF_ATOMIC | BPF_DW, base, from, offset, operation);
}

struct frame_slot emit_slot(struct bpf_assembler *as, unsigned words)
{
	struct frame_slot slot = { .bytes = words * WORD };

	if (as->n_slots == EMIT_SLOTS_MAX || as->frame_bytes + slot.bytes > FRAME_MAX) {
		emit_refuse(as, "the frame is full");
		return (struct frame_slot){ 0 };
	}
	as->frame_bytes += slot.bytes;
	slot.at = -(int)as->frame_bytes;
	return as->slots[as->n_slots++] = slot;
}

/* Those of its words that these bytes are in, in bits. */
static uint64_t words_of(struct bpf_assembler *as, struct frame_slot slot, size_t offset, size_t bytes)
{
	bool is_declared = false; /* it is a slot, or a part of one */
	uint64_t words = 0;

	for (unsigned i = 0; i < as->n_slots; i++)
		is_declared |= slot.at >= as->slots[i].at &&
			       slot.at + (int)slot.bytes <= as->slots[i].at + (int)as->slots[i].bytes;
	if (!is_declared || bytes == 0 || offset + bytes > slot.bytes) {
		emit_refuse(as, "the frame is used where no slot is declared, or beyond its end");
		return 0;
	}
	for (size_t at = offset / WORD; at <= (offset + bytes - 1) / WORD; at++)
		words |= UINT64_C(1) << ((size_t)(FRAME_MAX + slot.at) / WORD + at);
	return words;
}

static void use_slot(struct bpf_assembler *as, struct frame_slot slot, size_t offset, size_t bytes)
{
	uint64_t words = words_of(as, slot, offset, bytes);

	if ((as->known.words & words) != words)
		emit_refuse(as, "a slot is read that is not set on every way");
}

void emit_clear(struct bpf_assembler *as, struct frame_slot slot)
{
	for (size_t at = 0; at < slot.bytes; at += WORD)
		emit_store_slot_number(as, slot, at, 0);
}

static size_t in_frame(struct frame_slot slot, size_t offset)
{
	return (size_t)slot.at + offset;
}

void emit_load_slot(struct bpf_assembler *as, uint32_t bytes, int to, struct frame_slot slot, size_t offset)
{
	use_slot(as, slot, offset, bytes);
	change(as, to);
	put(as, BPF_LDX | BPF_MEM | size_of(as, bytes), to, FRAME, in_frame(slot, offset), 0);
}

void emit_store_slot(struct bpf_assembler *as, uint32_t bytes, struct frame_slot slot, size_t offset,
		     int from)
{
	use(as, from);
	as->known.words |= words_of(as, slot, offset, bytes);
	put(as, BPF_STX | BPF_MEM | size_of(as, bytes), FRAME, from, in_frame(slot, offset), 0);
}

void emit_store_slot_number(struct bpf_assembler *as, struct frame_slot slot, size_t offset, int32_t number)
{
	as->known.words |= words_of(as, slot, offset, WORD);
	put(as, BPF_ST | BPF_MEM | BPF_DW, FRAME, 0, in_frame(slot, offset), number);
}

void emit_address(struct bpf_assembler *as, int to, struct frame_slot slot)
{
	words_of(as, slot, 0, slot.bytes);
	emit_move(as, to, FRAME);
	emit_compute_with(as, BPF_ADD, to, slot.at);
}

void emit_address_of_set(struct bpf_assembler *as, int to, struct frame_slot slot)
{
	use_slot(as, slot, 0, slot.bytes);
	emit_address(as, to, slot);
}

static void put_call(struct bpf_assembler *as, int kind, int32_t function, unsigned n_arguments)
{
	put(as, BPF_JMP | BPF_CALL, 0, kind, 0, function);
	for (unsigned i = 0; i < n_arguments; i++)
		use(as, R1 + (int)i);
	as->known.registers &= ~(uint32_t)CALL_CHANGES;
	change(as, R0);
}

void emit_call(struct bpf_assembler *as, int32_t function)
{
	unsigned n_arguments = 0;

	if (!emit_function(function, &n_arguments))
		emit_refuse(as, "a function is called that the assembler does not know");
	put_call(as, 0, function, n_arguments);
}

void emit_call_kernel(struct bpf_assembler *as, uint32_t function, unsigned n_arguments)
{
	put_call(as, BPF_PSEUDO_KFUNC_CALL, (int32_t)function, n_arguments);
}

static void join_known(struct emit_known *known, const struct emit_known *other)
{
	known->registers &= other->registers;
	known->words &= other->words;
}

/* The instruction that was put last jumps there, unless there was no room for it. */
static void lead_to(struct bpf_assembler *as, struct bpf_label *label)
{
	struct bpf_insn *jump = &as->code->insns[as->code->count - 1];
	struct emit_known lost = label->known;

	if (as->code->error)
		return;
	if (label->at) { /* backwards */
		jump->off = (int16_t)((int)label->at - 1 - (int)as->code->count);
		join_known(&lost, &as->known);
		if (lost.registers != label->known.registers || lost.words != label->known.words)
			emit_refuse(as, "a jump back has not set what its target relies on");
		return;
	}
	if (label->last)
		join_known(&label->known, &as->known);
	else
		label->known = as->known;
	as->n_open += !label->last;
	jump->off = (int16_t)label->last;
	label->last = as->code->count;
}

void emit_jump(struct bpf_assembler *as, struct bpf_label *label)
{
	put(as, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	lead_to(as, label);
	as->unreachable = true;
}

void emit_jump_if(struct bpf_assembler *as, int one, int compare, int32_t number, struct bpf_label *label)
{
	use(as, one);
	put(as, BPF_JMP | compare | BPF_K, one, 0, 0, number);
	lead_to(as, label);
}

void emit_jump_if_register(struct bpf_assembler *as, int one, int compare, int other, struct bpf_label *label)
{
	use(as, one);
	use(as, other);
	put(as, BPF_JMP | compare | BPF_X, one, other, 0, 0);
	lead_to(as, label);
}

void emit_label(struct bpf_assembler *as, struct bpf_label *label)
{
	struct bpf_insn *insns = as->code->insns;

	if (label->at) {
		emit_refuse(as, "a label is placed twice");
		return;
	}
	for (unsigned jump = label->last, before; jump; jump = before) {
		before = (unsigned)insns[jump - 1].off;
		insns[jump - 1].off = (int16_t)(as->code->count - jump);
	}
	as->n_open -= label->last > 0;
	if (label->last && as->unreachable)
		as->known = label->known;
	else if (label->last)
		join_known(&as->known, &label->known);
	as->unreachable = as->unreachable && !label->last;
	label->known = as->known;
	label->at = as->code->count + 1;
}

void emit_exit(struct bpf_assembler *as)
{
	use(as, R0);
	put(as, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	as->unreachable = true;
}
