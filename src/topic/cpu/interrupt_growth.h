/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts that a CPU served between two ticks, from a table with a line for each. */
#ifndef PANETOP_TOPIC_CPU_INTERRUPT_GROWTH_H
#define PANETOP_TOPIC_CPU_INTERRUPT_GROWTH_H

#include "sys/env.h"

struct interrupt_growth {
	struct env *env;
	struct env_file *file;
	const uint32_t *cpus; /* borrowed: the CPUs to watch */
	size_t n_cpus;
	bool *listed;         /* whether each CPU has a column in the table */
	size_t *owners;       /* index in cpus of each column; SIZE_MAX: not watched */
	size_t n_columns, columns_capacity;
	struct interrupt_kind *kinds; /* in the order of the lines */
	size_t n_kinds, capacity;
	uint64_t *counts; /* two for each CPU and kind: now and in the last update */
	size_t counts_capacity;
	unsigned updates; /* consecutive successful ones */
};

void interrupt_growth_open(struct interrupt_growth *growth, struct env *env, const char *path,
			   const uint32_t *cpus, size_t n_cpus);
void interrupt_growth_close(struct interrupt_growth *growth);

/* Once per tick. */
void interrupt_growth_update(struct interrupt_growth *growth);

/*
 * Interrupts of cpus[index] since the last update; the three most frequent are written to text. U64_UNKNOWN:
 * not known.
 */
uint64_t interrupt_growth_text(const struct interrupt_growth *growth, size_t index, char *text, size_t room);

#endif
