/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the CPU pane share. */
#ifndef PANETOP_PANE_CPU_CPU_H
#define PANETOP_PANE_CPU_CPU_H

#include "screen/context.h"

enum cpu_table {
	PROCESS_TABLE,
	ACCOUNT_TABLE,
	CPU_TABLE,
	EXITED_TABLE,
	POWER_ACCOUNT_TABLE,
	SELF_TABLE,
	DISTRIBUTION_TABLE,
	TOTAL_TABLE,
	THREAD_TABLE,
	COUNTER_TABLE,
	COUNTER_PROCESS_TABLE,
	CPU_LIMIT_TABLE,
	SYSTEM_TABLE,
	CPU_PRESSURE_TABLE,
	N_CPU_TABLES,
};

/* In the order in which they are stacked. */
enum cpu_series {
	SERIES_USER,
	SERIES_NICE,
	SERIES_SYSTEM,
	SERIES_IRQ,
	SERIES_SOFTIRQ,
	SERIES_STEAL,
	SERIES_GUEST,
	SERIES_IOWAIT,
	N_CPU_SERIES,
};

struct cpu_state {
	unsigned view; /* the table that fills the pane; PROCESS_TABLE: the machine stands above it,
			* COUNTER_PROCESS_TABLE: the processes stand below it */
	bool graph;    /* the past is drawn, too, at the cost of lines for processes */
	struct cpu_target {
		double pid, start_seconds, nice;
		int signal, nice_step; /* what is done to it; signal 0: its nice value is changed */
		char name[64];
	} target;      /* the process that was chosen to be acted upon */
};

extern const struct series cpu_series[];

void cpu_draw(struct pane_context *context, struct canvas *canvas);

/* cpu_act.c: for the process under the cursor */
void cpu_signal(struct pane_context *context);
void cpu_nicer(struct pane_context *context);
void cpu_less_nice(struct pane_context *context);
void cpu_pages(struct pane_context *context);

#endif
