/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a number for other programs:
 *
 *	u64 value = VALUE, key[] = { KEYS };
 *
 *	notes[key] = value;				(emit_keep)
 */
#include <config.h>

#include "sys/bpf/parts.h"

static void work(struct bpf_assembler *as)
{
	emit_part(as, &as->program->value);
	emit_move(as, VALUE, R1);
	emit_key(as);
	emit_keep(as);
}

const struct bpf_shape bpf_note = {
	.maps = BPF_MAP_BIT(BPF_MAP_STARTS),
	.keeps_newest = true,
	.work = work,
};
