/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the CPU pane. */
#ifndef PANETOP_PANE_CPU_CPU_H
#define PANETOP_PANE_CPU_CPU_H

#include "pane/common.h"
#include "pane/processes.h"
#include "screen/row_memory.h"

enum cpu_table {
	CPU_TABLE_PROCESS,
	CPU_TABLE_ACCOUNT,
	CPU_TABLE_CPU,
	CPU_TABLE_EXITED,
	CPU_TABLE_FAILING,
	CPU_TABLE_STUCK,
	CPU_TABLE_CONVOY,
	CPU_TABLE_POWER_ACCOUNT,
	CPU_TABLE_SELF,
	CPU_TABLE_BUILD,
	CPU_TABLE_DISTRIBUTION,
	CPU_TABLE_TOTAL,
	CPU_TABLE_THREAD,
	CPU_TABLE_COUNTER,
	CPU_TABLE_COUNTER_PROCESS,
	CPU_TABLE_LIMIT,
	CPU_TABLE_SYSTEM,
	CPU_TABLE_PRESSURE,
	CPU_TABLE_THROTTLE,
	CPU_TABLE_TIME,
	CPU_TABLE_CACHE,
	CPU_TABLE_GPU,
	CPU_TABLE_GPU_PROCESS,
	CPU_TABLE_GPU_ENGINE,
	CPU_TABLE_ENDED,
	CPU_TABLE_MEMORY, /* this and those below: processes, with other columns */
	CPU_TABLE_IO,
	CPU_TABLE_WAITING,
	CPU_TABLE_NETWORK,
};

enum cpu_view {
	CPU_VIEW_PROCESSES,
	CPU_VIEW_ALL,
	CPU_VIEW_THREADS,
	CPU_VIEW_MEMORY,
	CPU_VIEW_IO,
	CPU_VIEW_WAITING,
	CPU_VIEW_TIME,
	CPU_VIEW_NETWORK,
	CPU_VIEW_CPUS,
	CPU_VIEW_EXITED,
	CPU_VIEW_ACCOUNT,
	CPU_VIEW_MEANS,
	CPU_VIEW_DISTRIBUTION,
	CPU_VIEW_WATTS,
	CPU_VIEW_COUNTERS,
	CPU_VIEW_PROCESS_COUNTERS,
	CPU_VIEW_SELF,
	CPU_VIEW_FAILING,
	CPU_VIEW_STUCK,
	CPU_VIEW_CONVOYS,
	CPU_VIEW_CACHES,
	CPU_VIEW_GPU,
	CPU_VIEW_GPU_ENGINES,
};

/* Behind the parts of CPU time. */
enum cpu_series {
	CPU_SERIES_MEMORY = N_CPU_PARTS,
	N_CPU_SERIES,
};

#define CPU_NAME_MAX 64
#define CPU_ORDER_MAX 320

struct cpu_state {
	struct ended_rows ended; /* the first, as its functions for struct pane want it */
	struct followed_rows cpus;               /* each, unless there are more */
	unsigned processes;                      /* table of processes that was shown last */
	unsigned before_threads;                 /* the view in which their key was pressed */
	bool idle_threads;                       /* the option --idle: of threads, too, which have one view */
	uint64_t exited_wall_ns, totals_wall_ns; /* since when these tables count; 0: not sampled yet */
	struct row_tags tags;                    /* of all tables of processes */
	struct cpu_target {
		double pid, start_seconds, nice;
		char name[CPU_NAME_MAX];
	} * targets; /* the processes selected for an action; owned */
	size_t n_targets, targets_capacity;
	bool given;               /* it is of another pane, which is shown */
	struct cpu_result {
		size_t at, n_done;
		struct cpu_target failed; /* the last one, with its error */
		int error;
		const char *remedy;
	} result;
	int policy;               /* of the prompt for its priority */
	int signal;               /* of the question whether to send it */
	double parent;            /* PID in the menu */
	bool may_monitor;         /* … which then offers it */
	char monitored[TEXT_MAX]; /* for which a monitoring group is being made */
	bool has_gpu;
	char menu_title[TEXT_MAX];
	char user[CPU_NAME_MAX]; /* of request->shown_user */
	struct buffer users;     /* of the menu: names, each with its NUL, in the order of its items */
};

extern const struct series cpu_series[];

/* cpu_draw.c: the views */
void cpu_draw_list(const struct pane_context *context, struct canvas *canvas);
void cpu_draw_counters(const struct pane_context *context, struct canvas *canvas);
void cpu_draw_distribution(const struct pane_context *context, struct canvas *canvas);
void cpu_draw_time(const struct pane_context *context, struct canvas *canvas);
void cpu_draw_gpus(const struct pane_context *context, struct canvas *canvas);
void cpu_heading(const struct pane_context *context, char *text, size_t room);

bool cpu_may_monitor(struct pane_context *context); /* can resctrl monitor the only target? */
void cpu_ask_monitor(struct pane_context *context);

void cpu_note_gpu(struct cpu_state *cpu, const struct frame *frame);
bool cpu_lacks_gpu(const struct pane_context *context); /* as far as the last frame with the table says */

/* Is it a table of processes? */
static inline bool cpu_has_processes(unsigned table)
{
	return table == CPU_TABLE_PROCESS || table >= CPU_TABLE_MEMORY;
}

/* cpu_act.c: for the tagged processes, else the one under the cursor, else the first one */
void cpu_actions(struct pane_context *context);
void cpu_affinity(struct pane_context *context);
void cpu_nicer(struct pane_context *context);
void cpu_less_nice(struct pane_context *context);
void cpu_open_process(struct pane_context *context);
void cpu_tag(struct pane_context *context);

/* For an action whose end gets no message. */
void cpu_say_nothing(struct pane_context *context, int error);

/* "render (15400)", "3 processes"; text has room for TEXT_MAX. */
const char *cpu_targets_text(const struct cpu_state *cpu, char *text);

/* If nothing is selected, selects the first process on the screen, past rows of ended ones. */
void cpu_select_first(struct pane_context *context);

#endif
