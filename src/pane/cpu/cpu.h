/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the CPU pane. */
#ifndef PANETOP_PANE_CPU_CPU_H
#define PANETOP_PANE_CPU_CPU_H

#include "screen/context.h"

enum cpu_table {
	CPU_TABLE_PROCESS,
	CPU_TABLE_ACCOUNT,
	CPU_TABLE_CPU,
	CPU_TABLE_EXITED,
	CPU_TABLE_POWER_ACCOUNT,
	CPU_TABLE_SELF,
	CPU_TABLE_DISTRIBUTION,
	CPU_TABLE_TOTAL,
	CPU_TABLE_THREAD,
	CPU_TABLE_COUNTER,
	CPU_TABLE_COUNTER_PROCESS,
	CPU_TABLE_LIMIT,
	CPU_TABLE_SYSTEM,
	CPU_TABLE_PRESSURE,
	N_CPU_TABLES,
};

enum cpu_view {
	CPU_VIEW_PROCESSES,
	CPU_VIEW_THREADS,
	CPU_VIEW_CPUS,
	CPU_VIEW_EXITED,
	CPU_VIEW_ACCOUNT,
	CPU_VIEW_MEANS,
	CPU_VIEW_DISTRIBUTION,
	CPU_VIEW_WATTS,
	CPU_VIEW_COUNTERS,
	CPU_VIEW_PROCESS_COUNTERS,
	CPU_VIEW_SELF,
};

/* In stacking order. */
enum cpu_series {
	CPU_SERIES_USER,
	CPU_SERIES_NICE,
	CPU_SERIES_SYSTEM,
	CPU_SERIES_IRQ,
	CPU_SERIES_SOFTIRQ,
	CPU_SERIES_STEAL,
	CPU_SERIES_GUEST,
	CPU_SERIES_IOWAIT,
	N_CPU_SERIES,
};

struct cpu_state {
	unsigned view; /* the table that fills the pane; CPU_TABLE_PROCESS: below the summary of the
			* machine, CPU_TABLE_COUNTER_PROCESS: above the processes */
	struct cpu_target {
		double pid, start_seconds, nice;
		int signal, nice_step; /* what to do with it; signal 0: change its nice value */
		char name[64];
	} target;      /* the process selected for an action */
};

extern const struct series cpu_series[];

void cpu_draw(struct pane_context *context, struct canvas *canvas);

/* cpu_act.c: for the process under the cursor */
void cpu_signal(struct pane_context *context);
void cpu_nicer(struct pane_context *context);
void cpu_less_nice(struct pane_context *context);
void cpu_pages(struct pane_context *context);

#endif
