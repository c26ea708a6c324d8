/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of CPU time for bars and graphs: the same glyphs and colours wherever they are drawn. */
#ifndef PANETOP_PANE_CPU_PARTS_H
#define PANETOP_PANE_CPU_PARTS_H

#include "screen/context.h"
#include "screen/graph.h"

enum cpu_part {
	CPU_PART_USER,
	CPU_PART_NICE,
	CPU_PART_SYSTEM,
	CPU_PART_IRQ,
	CPU_PART_SOFTIRQ,
	CPU_PART_STEAL,
	CPU_PART_GUEST,
	CPU_PART_IOWAIT,
	N_CPU_PARTS,
};

/* Initializers of a pane's series for the parts of all CPUs, from the series first on. */
#define CPU_PART_SERIES(first)                                                                               \
	[(first) + CPU_PART_USER] = { "cpu", "all", "user_ratio" },                                          \
	[(first) + CPU_PART_NICE] = { "cpu", "all", "nice_ratio" },                                          \
	[(first) + CPU_PART_SYSTEM] = { "cpu", "all", "system_ratio" },                                      \
	[(first) + CPU_PART_IRQ] = { "cpu", "all", "irq_ratio" },                                            \
	[(first) + CPU_PART_SOFTIRQ] = { "cpu", "all", "softirq_ratio" },                                    \
	[(first) + CPU_PART_STEAL] = { "cpu", "all", "steal_ratio" },                                        \
	[(first) + CPU_PART_GUEST] = { "cpu", "all", "guest_ratio" },                                        \
	[(first) + CPU_PART_IOWAIT] = { "cpu", "all", "iowait_ratio" }

/* The parts of a row, with their values now. series are those that the pane has from first on. */
void cpu_parts_fill(const struct table *table, const void *row, const struct series *series, unsigned first,
		    struct graph_part parts[N_CPU_PARTS]);

#endif
