/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For samplers: which interrupts a CPU served between two ticks, from a table of a line each. */
#ifndef PANETOP_TOPIC_CPU_INTERRUPT_GROWTH_H
#define PANETOP_TOPIC_CPU_INTERRUPT_GROWTH_H

#include "sys/env.h"

struct interrupt_growth {
	struct env *env;
	struct env_file *file;
	const uint32_t *cpus; /* borrowed: whose interrupts are looked at */
	size_t n_cpus;
	bool *listed;         /* whether each CPU has a column in the table */
	size_t *owners;       /* of the columns: index of the CPU, SIZE_MAX: none of ours */
	size_t n_columns, columns_capacity;
	struct interrupt_kind *kinds; /* as the lines come */
	size_t n_kinds, capacity;
	uint64_t *counts; /* two for each CPU and kind: now and in the last update */
	size_t counts_capacity;
	unsigned updates; /* that succeeded, one after the other */
};

void interrupt_growth_open(struct interrupt_growth *growth, struct env *env, const char *path,
			   const uint32_t *cpus, size_t n_cpus);
void interrupt_growth_close(struct interrupt_growth *growth);

/* Once per tick. */
void interrupt_growth_update(struct interrupt_growth *growth);

/*
 * All interrupts of cpus[index] since the update before; the three that were most frequent are written to
 * text. U64_UNKNOWN when it is not known.
 */
uint64_t interrupt_growth_tell(const struct interrupt_growth *growth, size_t index, char *text, size_t room);

#endif
