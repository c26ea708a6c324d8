/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts how often processes come to a place in their code, which is the start of a function or something in
 * it:
 *
 *	u64 process = pid of current, *number = map_lookup(wanted, process);
 *	struct bpf_hits *hits;
 *
 *	if (!number)
 *		return 0;
 *	hits = &all_hits[*number];
 *	__sync_fetch_and_add(&hits->hits, 1);
 *
 * With times the start of a function keeps when that was; a function that calls itself has a start for each
 * of its frames:
 *
 *	u64 key[] = { thread, sp of the caller };
 *
 *	starts[key] = ktime_get_ns();
 *
 * Its return:
 *
 *	__sync_fetch_and_add(&hits->returns, 1);
 *	start = map_lookup(starts, key);
 *	if (!start)
 *		return 0;
 *	value = ktime_get_ns() - *start;
 *	map_delete(starts, key);
 *	__sync_fetch_and_add(&hits->buckets[histogram_index(0, value)], 1);
 *	__sync_fetch_and_add(&hits->sum, value);
 *	hits->most = max(hits->most, value);
 *
 * A return without a start began before panetop looked. What never returns, since an exception or longjmp(3)
 * left it, makes room for others in the end (keeps_newest).
 */
#include <config.h>

#include "sys/bpf/emit.h"

/* What a call leaves on the stack of the caller until the function returns. */
#ifdef __x86_64__
#define RETURN_ADDRESS_BYTES 8
#else
#define RETURN_ADDRESS_BYTES 0
#endif

/* The number of the process, into the slot that is chosen. */
static void choose(struct bpf_assembler *as, struct bpf_label *skip)
{
	struct frame_slot process = emit_slot(as, 1);

	as->chosen = emit_slot(as, 1);
	emit_process(as);
	emit_store_slot(as, 8, process, 0, R1);
	emit_find(as, BPF_MAP_WANTED, process, skip);
	emit_load(as, 8, R1, R0, 0);
	emit_store_slot(as, 8, as->chosen, 0, R1);
}

/* r0: the hits of the process; counts one of them. */
static void count(struct bpf_assembler *as, size_t field, struct bpf_label *none)
{
	emit_find(as, BPF_MAP_HITS, as->chosen, none);
	emit_set(as, R1, 1);
	emit_atomic(as, BPF_ADD, R0, field, R1);
}

static void hit(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	count(as, offsetof(struct bpf_hits, hits), &none);
	emit_label(as, &none);
}

const struct bpf_shape bpf_hit = {
	.maps = BPF_MAP_BIT(BPF_MAP_WANTED) | BPF_MAP_BIT(BPF_MAP_HITS),
	.at_code = true,
	.choose = choose,
	.work = hit,
};

/* left_bytes: how far the stack of the caller is below what it is after the return. */
static struct frame_slot frame_key(struct bpf_assembler *as, int32_t left_bytes)
{
	struct frame_slot key = emit_slot(as, 2);

	emit_call(as, BPF_FUNC_get_current_pid_tgid);
	emit_truncate(as, R0, R0);
	emit_store_slot(as, 8, key, 0, R0);
	emit_member(as, R1, CTX, "pt_regs.sp");
	if (left_bytes > 0)
		emit_compute_with(as, BPF_ADD, R1, left_bytes);
	emit_store_slot(as, 8, key, WORD, R1);
	return key;
}

static void enter(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };
	struct frame_slot key;

	count(as, offsetof(struct bpf_hits, hits), &none);
	key = frame_key(as, RETURN_ADDRESS_BYTES);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_store_slot(as, 8, as->room, 0, R0);
	emit_add(as, BPF_MAP_STARTS, key, as->room, BPF_ANY);
	emit_label(as, &none);
}

/* VALUE: how long ago it began, which is then forgotten. */
static void take_start(struct bpf_assembler *as, struct bpf_label *none)
{
	struct frame_slot key = frame_key(as, 0);
	struct bpf_label forward = { 0 };

	emit_find(as, BPF_MAP_STARTS, key, none);
	emit_load(as, 8, VALUE, R0, 0);
	emit_since(as);
	emit_jump_if(as, VALUE, BPF_JSGE, 0, &forward);
	emit_set(as, VALUE, 0); /* the clocks of two CPUs */
	emit_label(as, &forward);
	emit_map(as, R1, BPF_MAP_STARTS);
	emit_address_of_set(as, R2, key);
	emit_call(as, BPF_FUNC_map_delete_elem);
}

static void leave(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 };

	count(as, offsetof(struct bpf_hits, returns), &none);
	take_start(as, &none);
	emit_find(as, BPF_MAP_HITS, as->chosen, &none);
	emit_bucket(as);
	emit_compute_with(as, BPF_LSH, R1, 3);
	emit_compute(as, BPF_ADD, R1, R0);
	emit_set(as, R2, 1);
	emit_atomic(as, BPF_ADD, R1, offsetof(struct bpf_hits, buckets), R2);
	emit_atomic(as, BPF_ADD, R0, offsetof(struct bpf_hits, sum), VALUE);
	emit_keep_most(as, offsetof(struct bpf_hits, most));
	emit_label(as, &none);
}

#define TIMED_SHAPE                                                                                          \
	.maps = BPF_MAP_BIT(BPF_MAP_WANTED) | BPF_MAP_BIT(BPF_MAP_HITS) | BPF_MAP_BIT(BPF_MAP_STARTS),       \
	.start_words = 2, .keeps_newest = true, .at_code = true, .choose = choose

const struct bpf_shape bpf_hit_enter = { TIMED_SHAPE, .work = enter };
const struct bpf_shape bpf_hit_leave = { TIMED_SHAPE, .work = leave };
