/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts system calls when they return, by process, call, error and time. At sys_exit:
 *
 *	struct pt_regs *registers = ctx[0];
 *	u64 result = ctx[1], number = (u32)registers->orig_ax, error = -result, bucket = 0, ns = 0;
 *
 *	if (result == 0 && forks(number))		(a child begins: it did not make the call)
 *		return;
 *	if (number >= BPF_CALL_ODD)
 *		number = (u32)(number + 1) == 0 ? BPF_CALL_NONE : BPF_CALL_ODD;
 *	if (error > BPF_CALL_ERROR_MAX || number == BPF_CALL_NONE)
 *		error = 0;
 *	if (current->thread_info.status & TS_COMPAT)
 *		number |= BPF_CALL_FOREIGN;
 *	TIME;						(only of bpf_call_ended)
 *	count(entries, current->tgid << … | number << … | error << … | bucket, ns);
 *
 * What is to be timed keeps its start, with the number of the call, at sys_enter:
 *
 *	starts[current->pid] = ktime_get_ns() << 10 | number & 1023;	(emit_keep)
 *
 * A thread may end, or get another number, within a call. So TIME is
 *
 *	u64 *start = map_lookup_elem(starts, current->pid), begun;
 *
 *	if (start) {
 *		begun = *start;
 *		*start = 0;
 *		if (begun && ((begun ^ number) & 1023) == 0) {
 *			ns = ((ktime_get_ns() << 10) - (begun & ~1023)) >> 10;
 *			bucket = (histogram_index(0, ns) >> BPF_CALL_BUCKET_SHIFT) + 1;
 *		}
 *	}
 */
#include <config.h>

#include "sys/bpf/registers.h"
#include "sys/bpf/state.h"

/* Arguments of sys_enter and of sys_exit. */
enum { ENTER_REGISTERS, ENTER_NUMBER };
enum { EXIT_REGISTERS, EXIT_RESULT };

#define START_BITS 10 /* of a start: for the number of the call */
#define START_NUMBER ((1 << START_BITS) - 1)

/* Calls from which a child returns, too, with 0: fork, vfork, clone, clone3. */
static const struct fork_call {
	int32_t number;
	bool foreign; /* of a program of 32 bits in a kernel of 64 */
} forks[] = {
#if defined(__x86_64__)
	{ 57, false }, { 58, false }, { 56, false }, { 435, false },
#elif defined(__i386__)
	{ 2, false }, { 190, false }, { 120, false }, { 435, false },
#elif defined(__aarch64__)
	{ 220, false }, { 435, false },
#endif
	{ 2, true },   { 190, true }, { 120, true }, { 435, true },
};

static void choose_call(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct bpf_label counts = { 0 };

	choose_current(as, skip);
	emit_argument(as, R1, EXIT_RESULT);
	emit_jump_if(as, R1, BPF_JNE, 0, &counts);
	emit_argument(as, R1, EXIT_REGISTERS);
	emit_member(as, R2, R1, REGISTER_OF_CALL);
	emit_truncate(as, R2, R2);
	emit_foreign(as);
	emit_compute(as, BPF_OR, R2, R1);
	for (size_t i = 0; i < sizeof(forks) / sizeof(forks[0]); i++)
		emit_jump_if(as, R2, BPF_JEQ,
			     forks[i].number | (forks[i].foreign ? (int32_t)BPF_CALL_FOREIGN : 0), skip);
	emit_label(as, &counts);
}

/* r2: the number of the call, of those that are counted. */
static void load_number(struct bpf_assembler *as)
{
	struct bpf_label plain = { 0 };

	emit_argument(as, R1, EXIT_REGISTERS);
	emit_member(as, R2, R1, REGISTER_OF_CALL);
	emit_truncate(as, R2, R2);
	emit_jump_if(as, R2, BPF_JLT, BPF_CALL_ODD, &plain);
	emit_move(as, R3, R2);
	emit_set(as, R2, BPF_CALL_ODD);
	emit_compute_with(as, BPF_ADD, R3, 1);
	emit_truncate(as, R3, R3);
	emit_jump_if(as, R3, BPF_JNE, 0, &plain);
	emit_set(as, R2, BPF_CALL_NONE);
	emit_label(as, &plain);
}

/* r3: the error with which the call r2 ended; 0: it did not fail. */
static void load_error(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, known = { 0 };

	emit_set(as, R3, 0);
	emit_jump_if(as, R2, BPF_JEQ, BPF_CALL_NONE, &known);
	emit_argument(as, R1, EXIT_RESULT);
	emit_compute(as, BPF_SUB, R3, R1);
	emit_jump_if(as, R3, BPF_JGT, BPF_CALL_ERROR_MAX, &none);
	emit_jump(as, &known);
	emit_label(as, &none);
	emit_set(as, R3, 0);
	emit_label(as, &known);
}

/* Into the key, without the time; r2: the same. */
static void store_call(struct bpf_assembler *as)
{
	as->key = emit_slot(as, 1);
	load_number(as);
	load_error(as);
	emit_foreign(as);
	emit_compute(as, BPF_OR, R2, R1);
	emit_compute_with(as, BPF_LSH, R2, BPF_CALL_NUMBER_SHIFT);
	emit_compute_with(as, BPF_LSH, R3, BPF_CALL_ERROR_SHIFT);
	emit_compute_with(as, BPF_LSH, VALUE, BPF_CALL_PROCESS_SHIFT);
	emit_compute(as, BPF_OR, R2, R3);
	emit_compute(as, BPF_OR, R2, VALUE);
	emit_store_slot(as, 8, as->key, 0, R2);
}

static void count_call(struct bpf_assembler *as)
{
	store_call(as);
	emit_count(as);
}

const struct bpf_shape bpf_call = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_call,
	.work = count_call,
};

static void begin_call(struct bpf_assembler *as)
{
	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	emit_compute_with(as, BPF_LSH, VALUE, START_BITS);
	emit_argument(as, R1, ENTER_NUMBER);
	emit_compute_with(as, BPF_AND, R1, START_NUMBER);
	emit_compute(as, BPF_OR, VALUE, R1);
	emit_keep(as);
}

const struct bpf_shape bpf_call_begun = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.needs_types = true,
	.keeps_newest = true,
	.choose = choose_current,
	.work = begin_call,
};

/* VALUE: how long the call of the key took; its bucket into the key. Both 0: that is not known. */
static void time_call(struct bpf_assembler *as)
{
	static const struct bpf_part thread = { .is = BPF_PART_THREAD };
	struct frame_slot key = emit_slot(as, 1);
	struct bpf_label unknown = { 0 };

	emit_part(as, &thread);
	emit_store_slot(as, 8, key, 0, R1);
	emit_set(as, VALUE, 0);
	emit_look_up(as, BPF_MAP_STARTS, key);
	emit_jump_if(as, R0, BPF_JEQ, 0, &unknown);
	emit_load(as, 8, R1, R0, 0);
	emit_jump_if(as, R1, BPF_JEQ, 0, &unknown);
	emit_store_number(as, R0, 0, 0);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_compute_with(as, BPF_RSH, R2, BPF_CALL_NUMBER_SHIFT);
	emit_compute(as, BPF_XOR, R2, R1);
	emit_compute_with(as, BPF_AND, R2, START_NUMBER);
	emit_jump_if(as, R2, BPF_JNE, 0, &unknown);
	emit_compute_with(as, BPF_RSH, R1, START_BITS);
	emit_compute_with(as, BPF_LSH, R1, START_BITS);
	emit_move(as, VALUE, R1);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute_with(as, BPF_LSH, R0, START_BITS);
	emit_compute(as, BPF_SUB, R0, VALUE);
	emit_compute_with(as, BPF_RSH, R0, START_BITS);
	emit_move(as, VALUE, R0);
	emit_bucket(as);
	emit_compute_with(as, BPF_RSH, R1, BPF_CALL_BUCKET_SHIFT);
	emit_compute_with(as, BPF_ADD, R1, 1);
	emit_load_slot(as, 8, R2, as->key, 0);
	emit_compute(as, BPF_OR, R2, R1);
	emit_store_slot(as, 8, as->key, 0, R2);
	emit_label(as, &unknown);
}

static void end_call(struct bpf_assembler *as)
{
	store_call(as);
	time_call(as);
	emit_count_value(as);
}

const struct bpf_shape bpf_call_ended = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS) | BPF_MAP_BIT(BPF_MAP_WANTED),
	.entries = BPF_ENTRIES_COUNTS,
	.needs_types = true,
	.choose = choose_call,
	.work = end_call,
};
