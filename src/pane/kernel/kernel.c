/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel pane: interrupts, soft interrupts, backlogs, wake-ups, slab caches, panetop's own programs. */
#include <config.h>

#include "core/i18n.h"
#include "pane/kernel/kernel_draw.h"
#include "pane/process/process_open.h"
#include "screen/pane.h"

enum {
	TABLE_INTERRUPT,
	TABLE_BY_CPU,
	TABLE_SOFTIRQ,
	TABLE_BACKLOG,
	TABLE_WAKEUP,
	TABLE_TIMER,
	TABLE_IDLE,
	TABLE_SLAB,
	TABLE_TRACING,
};

static const struct pane_table tables[] = {
	[TABLE_INTERRUPT] = { .topic = "interrupt",
			      .headline = true,
			      .sort = "per_second",
			      .only_column = "cpu",
			      .only = "all",
			      .text_rows = 40 },
	[TABLE_BY_CPU] = { .topic = "interrupt",
			   .lazy = true,
			   .columns = "irq,cpu,per_second,cpu_ratio,mean_seconds,how,device",
			   .setting = "kernel.cpus" },
	[TABLE_SOFTIRQ] = { .topic = "softirq", .headline = true },
	[TABLE_BACKLOG] = { .topic = "backlog", .headline = true },
	[TABLE_WAKEUP] = { .topic = "wakeup", .lazy = true, .sort = "per_second" },
	[TABLE_TIMER] = { .topic = "timer", .lazy = true, .sort = "fired_per_second" },
	[TABLE_IDLE] = { .topic = "idle_exit", .lazy = true, .sort = "per_second" },
	[TABLE_SLAB] = { .topic = "slab", .lazy = true, .sort = "bytes", .text_rows = 16 },
	[TABLE_TRACING] = { .topic = "tracing" },
	{ 0 },
};

/* What a hint takes from another pane. */
static const struct series series[] = {
	{ "interface", "all", "received_packets_per_second", .while_shown = true },
};

static const struct pane_action process_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ 0 },
};

static const struct pane_view views[] = {
	{ "interrupts", N_("Interrupts"), N_("interrupts of all CPUs"), TABLE_INTERRUPT,
	  .draw = kernel_draw },
	{ "cpus", N_("By CPU"), N_("interrupts by CPU"), TABLE_BY_CPU, .draw = kernel_draw },
	{ "softirqs", N_("Softirqs"), N_("soft interrupts, which do what interrupts leave for later"),
	  TABLE_SOFTIRQ, .draw = kernel_draw },
	{ "backlog", N_("Backlog"), N_("received packets between driver and protocols"), TABLE_BACKLOG,
	  .draw = kernel_draw },
	{ "wakeups", N_("Wake-ups"), N_("which processes are woken up, and by what"), TABLE_WAKEUP,
	  .actions = process_actions, .draw = kernel_draw },
	{ "timers", N_("Timers"), N_("which processes arm which timers of the kernel"), TABLE_TIMER,
	  .actions = process_actions, .draw = kernel_draw },
	{ "idle", N_("Idle"), N_("what breaks which CPU out of idle"), TABLE_IDLE, .draw = kernel_draw },
	{ "slab", N_("Slab"), N_("kernel objects by cache"), TABLE_SLAB, .draw = kernel_draw },
	{ "tracing", N_("Tracing"), N_("panetop's own programs in the kernel"), TABLE_TRACING,
	  .draw = kernel_draw },
	{ 0 },
};

const struct pane pane_kernel = {
	.name = "kernel",
	.title = N_("Kernel"),
	.question = N_("What interrupts which CPU, what wakes up processes, and which kernel objects grow?"),
	.unscoped = N_("interrupts and kernel memory are the machine's: they belong to no process"),
	.tables = tables,
	.series = series,
	.n_series = sizeof(series) / sizeof(series[0]),
	.views = views,
};
