/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the time from a start to a stop, by key. The start:
 *
 *	u64 key[] = { KEYS };
 *
 *	starts[key] = ktime_get_ns();			(emit_keep)
 *
 * The stop; where it begins elsewhere, begun is the key of the start:
 *
 *	u64 begun[] = { BEGUN or KEYS }, *start = map_lookup_elem(starts, begun), began, value;
 *
 *	if (!start)
 *		return 0;
 *	began = *start;
 *	*start = 0;
 *	if (began == 0) {
 *		self->lost += !BEGINS_ELSEWHERE;
 *		return 0;
 *	}
 *	value = ktime_get_ns() - began;
 *	count(key[] = { KEYS }, value);			(count.c)
 *
 * A key without a start began before panetop did; a second stop has lost its start, unless a start may have
 * several.
 */
#include <config.h>

#include "sys/bpf/parts.h"

static void start(struct bpf_assembler *as)
{
	emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_move(as, VALUE, R0);
	emit_keep(as);
}

const struct bpf_shape bpf_start = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS),
	.work = start,
};

static struct frame_slot key_of_begun(struct bpf_assembler *as)
{
	struct frame_slot begun;

	if (!as->program->begins_elsewhere) {
		emit_key(as);
		return key_of_start(as);
	}
	begun = emit_slot(as, 1);
	emit_part(as, &as->program->begun);
	emit_store_slot(as, 8, begun, 0, R1);
	return begun;
}

static void stop(struct bpf_assembler *as)
{
	struct bpf_label unknown = { 0 }, begun = { 0 };

	emit_look_up(as, BPF_MAP_STARTS, key_of_begun(as));
	emit_jump_if(as, R0, BPF_JEQ, 0, &unknown);
	emit_load(as, 8, VALUE, R0, 0);
	emit_store_number(as, R0, 0, 0);
	emit_jump_if(as, VALUE, BPF_JNE, 0, &begun);
	if (!as->program->begins_elsewhere)
		emit_count_lost(as);
	emit_jump(as, &unknown);
	emit_label(as, &begun);
	if (as->program->begins_elsewhere)
		emit_key(as);
	emit_call(as, BPF_FUNC_ktime_get_ns);
	emit_compute(as, BPF_SUB, R0, VALUE);
	emit_move(as, VALUE, R0);
	emit_count_value(as);
	emit_label(as, &unknown);
}

const struct bpf_shape bpf_stop = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_STARTS),
	.entries = BPF_ENTRIES_COUNTS,
	.work = stop,
};
