/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by key, with sum and maximum of the value:
 *
 *	u64 value = VALUE, key[] = { KEYS };
 *	struct bpf_entry *entry;
 *
 *	if (POSITIVE && (s32)value <= 0)
 *		return 0;
 *	entry = find_slot(key);				(emit_find_slot)
 *	if (!entry)
 *		entry = map_lookup_elem(entries, key);
 *	if (!entry) {
 *		map_update_elem(entries, key, &(struct bpf_entry){ 0 }, BPF_NOEXIST);
 *		entry = map_lookup_elem(entries, key);
 *	}
 *	if (!entry) {
 *		self->lost++;
 *		return 0;
 *	}
 *	__sync_fetch_and_add(&entry->count, 1);
 *	__sync_fetch_and_add(&entry->sum, value);
 *	if (entry->most < value)
 *		entry->most = value;
 */
#include <config.h>

#include "sys/bpf/parts.h"

static void work(struct bpf_assembler *as)
{
	const struct bpf_program *program = as->program;
	struct bpf_label negative = { 0 };

	emit_part(as, &program->value);
	emit_move(as, VALUE, R1);
	if (program->positive) {
		emit_compute_with(as, BPF_LSH, R1, 32);
		emit_jump_if(as, R1, BPF_JSLE, 0, &negative);
	}
	emit_key(as);
	emit_count_value(as);
	emit_label(as, &negative);
}

const struct bpf_shape bpf_count = {
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES),
	.entries = BPF_ENTRIES_COUNTS,
	.work = work,
};
