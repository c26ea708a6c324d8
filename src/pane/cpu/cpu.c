/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU pane: its tables, options and keys; cpu_draw.c draws it, cpu_act.c acts on processes. */
#include <config.h>

#include "pane/cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/power_fit.h"
#include "pane/cpu/command_form.h"
#include "screen/keys.h"

static bool is_of_all(const struct sample_request *request)
{
	return !request->processes;
}

static bool is_of_some(const struct sample_request *request)
{
	return request->processes;
}

static const struct pane_table tables[] = {
	[CPU_TABLE_PROCESS] = { .topic = "process", .headline = true, .sort = "cpu_ratio" },
	[CPU_TABLE_ACCOUNT] = { .topic = "account", .headline = true },
	[CPU_TABLE_CPU] = { .topic = "cpu", .headline = true },
	[CPU_TABLE_EXITED] = { .topic = "exited", .sort = "cpu_ratio" },
	[CPU_TABLE_POWER_ACCOUNT] = { .topic = "power_account", .lazy = true, .option = "calibration" },
	[CPU_TABLE_SELF] = { .topic = "self" },
	[CPU_TABLE_DISTRIBUTION] = { .topic = "distribution", .lazy = true, .option = "distribution" },
	[CPU_TABLE_TOTAL] = { .topic = "process_total",
			      .lazy = true,
			      .option = "totals",
			      .sort = "mean_ratio" },
	[CPU_TABLE_THREAD] = { .topic = "thread", .lazy = true, .option = "threads", .sort = "cpu_ratio" },
	[CPU_TABLE_COUNTER] = { .topic = "counter", .lazy = true, .option = "perf", .when = is_of_all },
	[CPU_TABLE_COUNTER_PROCESS] = { .topic = "counter_process",
					.lazy = true,
					.option = "perf",
					.when = is_of_some },
	[CPU_TABLE_LIMIT] = { .topic = "cpu_limit" },
	[CPU_TABLE_SYSTEM] = { .topic = "system" },
	[CPU_TABLE_PRESSURE] = { .topic = "pressure" },
	{ 0 },
};

#define SHARE(name) { "cpu", "all", name "_ratio" }

const struct series cpu_series[] = {
	[CPU_SERIES_USER] = SHARE("user"),       [CPU_SERIES_NICE] = SHARE("nice"),
	[CPU_SERIES_SYSTEM] = SHARE("system"),   [CPU_SERIES_IRQ] = SHARE("irq"),
	[CPU_SERIES_SOFTIRQ] = SHARE("softirq"), [CPU_SERIES_STEAL] = SHARE("steal"),
	[CPU_SERIES_GUEST] = SHARE("guest"),     [CPU_SERIES_IOWAIT] = SHARE("iowait"),
};

#define SYSTEM(column) { "system", NULL, column }
#define ACCOUNT(part) { "account", part, "cpu_ratio" }
#define WATTS(part) { "power_account", part, "watts" }

/* The numbers above the processes; the bars of single CPUs are rows of the table of CPUs. */
static const struct series explained[] = {
	SYSTEM("load1"),
	SYSTEM("load5"),
	SYSTEM("load15"),
	SYSTEM("tasks"),
	SYSTEM("threads"),
	SYSTEM("running"),
	SYSTEM("blocked"),
	SYSTEM("cpus"),
	SYSTEM("uptime_seconds"),
	SYSTEM("forks_per_second"),
	SYSTEM("context_switches_per_second"),
	SYSTEM("interrupts_per_second"),
	{ "pressure", "cpu", "avg10_ratio" },
	{ "cpu", "all", "frequency_hertz" },
	SHARE("user"),
	SHARE("nice"),
	SHARE("system"),
	SHARE("irq"),
	SHARE("softirq"),
	SHARE("steal"),
	SHARE("guest"),
	SHARE("iowait"),
	SHARE("idle"),
	ACCOUNT("busy"),
	ACCOUNT("tasks"),
	ACCOUNT("exited"),
	ACCOUNT("irq"),
	ACCOUNT("softirq"),
	ACCOUNT("steal"),
	ACCOUNT("unaccounted"),
	{ "cpu_limit", NULL, "limit_ratio" },
	{ "cpu_limit", NULL, "throttled_ratio" },
	WATTS("total"),
	WATTS("baseline"),
	WATTS("tasks"),
	WATTS("exited"),
	WATTS("others"),
	WATTS("unexplained"),
	{ 0 },
};

static bool valid_threshold(const char *value)
{
	struct span span = span_text(value);
	double percent;

	return *value != ' ' && span_f64(&span, &percent) && span.at == span.end && percent <= 1e6;
}

static bool not_empty(const char *value)
{
	return *value != '\0';
}

static const struct pane_option options[] = {
	{ "idle", NULL, N_("show idle processes, too"), NULL, NULL },
	{ "threads", NULL, N_("show CPU use by thread"), NULL, NULL },
	{ "threshold", N_("PERCENT"), N_("only processes that used at least this much of a CPU"),
	  valid_threshold, N_("use a percentage, such as 5") },
	{ "per-machine", NULL, /* xgettext:no-c-format */
	  N_("100 % is the whole machine, not one CPU"), NULL, NULL },
	{ "distribution", NULL, N_("show the distribution of CPU use"), NULL, NULL },
	{ "totals", NULL, N_("show the mean use of each process over the run, including exited ones"), NULL,
	  NULL },
	{ "hide-self", NULL, N_("hide panetop itself"), NULL, NULL },
	{ "calibration", N_("FILE"), N_("estimate watts of processes from the output of --calibrate -o json"),
	  not_empty, N_("it must not be empty") },
	{ "perf", "auto|EVENT[,...]",
	  N_("count these libpfm4 events on every CPU, or with --pid in processes"), not_empty,
	  N_("it must not be empty") },
	{ 0 },
};

#define USED_SOMETHING 0.001 /* of a CPU; z shows all, and the account counts all */

static double least_share(const struct settings *settings, const struct sample_request *request)
{
	const char *threshold = settings_get(settings, "cpu.threshold");
	struct span span = span_text(threshold ? threshold : "");
	double percent;

	if (span_f64(&span, &percent) && percent > 0)
		return percent / 100;
	/* a tree needs the ancestors, and an explicitly chosen process is always shown */
	return settings_get(settings, "cpu.idle") || settings_get(settings, "cpu.tree") || request->processes
		       ? NAN
		       : USED_SOMETHING;
}

static const struct series cpu_count = { "system", NULL, "cpus" };

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	if (strcmp(view->schema->name, "process") != 0 && strcmp(view->schema->name, "thread") != 0)
		return;
	view_set_threshold(view, "cpu_ratio", least_share(settings, request));
	if (settings_get(settings, "cpu.tree"))
		view_choose_tree(view, "pid", "ppid");
	if (request->processes)
		view_choose_processes(view, request->processes, "pid",
				      schema_find(view->schema, "process") ? "process" : "name", "program");
	if (request->users)
		view_choose_rows(view, request->users, "uid", "user");
	if (settings_get(settings, "cpu.hide-self") && request->own_pid)
		view_exclude(view, request->own_pid, "pid");
	view->cpu_count = settings_get(settings, "cpu.per-machine") ? &cpu_count : NULL;
	command_form_apply(settings, "cpu", view);
}

/* The table at the bottom of the summary: processes or threads. */
static unsigned main_table(const struct settings *settings)
{
	return settings_get(settings, "cpu.threads") ? CPU_TABLE_THREAD : CPU_TABLE_PROCESS;
}

/* Known only with a calibration, which the power pane may make meanwhile. */
static void request_watts(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	bool wanted =
		cpu->view == CPU_TABLE_POWER_ACCOUNT || settings_get(context->settings, POWER_FIT_SETTING);

	if (wanted != context->requested[CPU_TABLE_POWER_ACCOUNT])
		screen_request(context, CPU_TABLE_POWER_ACCOUNT, wanted);
}

static void show(struct pane_context *context, unsigned table)
{
	struct cpu_state *cpu = context->state;

	cpu->view = cpu->view == table ? main_table(context->settings) : table;
	/* there the cursor selects the process */
	context->focus = cpu->view == CPU_TABLE_COUNTER_PROCESS ? CPU_TABLE_PROCESS : cpu->view;
	request_watts(context);
	screen_request(context, CPU_TABLE_DISTRIBUTION, cpu->view == CPU_TABLE_DISTRIBUTION);
	screen_request(context, CPU_TABLE_COUNTER, cpu->view == CPU_TABLE_COUNTER);
	screen_request(context, CPU_TABLE_COUNTER_PROCESS, cpu->view == CPU_TABLE_COUNTER_PROCESS);
	screen_request(context, CPU_TABLE_THREAD, cpu->view == CPU_TABLE_THREAD);
	screen_request(context, CPU_TABLE_TOTAL,
		       cpu->view == CPU_TABLE_TOTAL || settings_get(context->settings, "cpu.totals"));
}

static void show_cpus(struct pane_context *context)
{
	show(context, CPU_TABLE_CPU);
}

static void show_exited(struct pane_context *context)
{
	show(context, CPU_TABLE_EXITED);
}

static void show_self(struct pane_context *context)
{
	show(context, CPU_TABLE_SELF);
}

static void show_distribution(struct pane_context *context)
{
	show(context, CPU_TABLE_DISTRIBUTION);
}

static void show_totals(struct pane_context *context)
{
	show(context, CPU_TABLE_TOTAL);
}

static void show_account(struct pane_context *context)
{
	show(context, CPU_TABLE_ACCOUNT);
}

static void show_watts(struct pane_context *context)
{
	show(context, CPU_TABLE_POWER_ACCOUNT);
}

static void show_threads(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;
	bool threads = !settings_get(context->settings, "cpu.threads");

	settings_set(context->settings, "cpu.threads", threads ? "yes" : NULL);
	cpu->view = N_CPU_TABLES; /* leaves any other view */
	show(context, main_table(context->settings));
}

/* First of every CPU, then of the selected process. */
static void show_counters(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	bool of_process = cpu->view == CPU_TABLE_COUNTER || cpu->view == CPU_TABLE_COUNTER_PROCESS;

	show(context, of_process ? CPU_TABLE_COUNTER_PROCESS : CPU_TABLE_COUNTER);
	if (cpu->view == CPU_TABLE_COUNTER_PROCESS)
		table_select(&context->tables[CPU_TABLE_PROCESS]);
}

/* The topic counts for the process under the cursor. */
static void sampling(struct pane_context *context)
{
	const struct table_widget *processes = &context->tables[CPU_TABLE_PROCESS];
	double pid = table_selected(processes, "pid");

	request_watts(context);
	if (((const struct cpu_state *)context->state)->view != CPU_TABLE_COUNTER_PROCESS)
		return;
	context->request->selected = (struct process_choice){ 0 };
	if (!isnan(pid))
		context->request->selected = (struct process_choice){ .is_set = true,
								      .pid = (uint32_t)pid,
								      .start_seconds = table_selected(
									      processes, "start_seconds") };
}

static void toggle_idle(struct pane_context *context)
{
	bool idle = !settings_get(context->settings, "cpu.idle");

	screen_set(context, "idle", idle ? "yes" : NULL,
		   idle ? _("all processes") : _("processes that used CPU time in the interval"));
}

static void toggle_tree(struct pane_context *context)
{
	bool tree = !settings_get(context->settings, "cpu.tree");

	screen_set(context, "tree", tree ? "yes" : NULL,
		   tree ? _("all processes, as a tree") : _("processes sorted by a column"));
}

static void toggle_scale(struct pane_context *context)
{
	bool machine = !settings_get(context->settings, "cpu.per-machine");

	screen_set(context, "per-machine", machine ? "yes" : NULL,
		   machine ? /* xgettext:no-c-format */ _("100 % is the whole machine")
			   : /* xgettext:no-c-format */ _("100 % is one CPU"));
}

static void toggle_graph(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;

	cpu->graph = !cpu->graph;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       cpu->graph ? _("the last five minutes are drawn, too")
				  : _("the last five minutes are drawn where there is room"));
}

static const struct binding bindings[] = {
	{ 'z', 0, N_("Idle"), N_("show or hide idle processes"), toggle_idle },
	{ 't', 0, N_("Tree"), N_("all processes as a tree, or a list"), toggle_tree },
	{ 'H', 0, N_("Threads"), N_("CPU use by thread, or by process"), show_threads },
	{ 'a', 0, N_("Scale"), /* xgettext:no-c-format */
	  N_("100 % is one CPU, or the whole machine"), toggle_scale },
	{ 'p', 0, N_("CPUs"), N_("each CPU in numbers"), show_cpus },
	{ 'x', 0, N_("Exited"), N_("CPU use of processes that exited between two samples, by name"),
	  show_exited },
	{ 'b', 0, N_("Account"), N_("what used the CPU time, and what is unaccounted"), show_account },
	{ K_F9, 'k', N_("Signal"), N_("send a signal to the selected process"), cpu_signal },
	{ 0 },
};

static const struct binding secondary_bindings[] = {
	{ K_F7, 0, N_("Nice"), N_("give the selected process more CPU time (nice - 1)"), cpu_less_nice },
	{ K_F8, 0, N_("Nice"), N_("give the selected process less CPU time (nice + 1)"), cpu_nicer },
	{ K_ENTER, 0, N_("Pages"), N_("the memory of the selected process, in the pane pages"), cpu_pages },
	{ 'l', 0, N_("Command"), N_("full command lines"), command_form_lines },
	{ 's', 0, N_("Command"), N_("only the first word of command lines"), command_form_programs },
	{ 'C', 0, N_("Command"), N_("only the names of processes"), command_form_names },
	{ 'd', 0, N_("Command"), N_("programs with or without their directories"), command_form_directories },
	{ 'v', 0, N_("Graph"), N_("the graph of the last five minutes, also on a small screen"),
	  toggle_graph },
	{ 'D', 0, N_("Distribution"), N_("distribution of CPU use over processes"), show_distribution },
	{ 'W', 0, N_("Watts"),
	  N_("what uses the watts, from a calibration: processes, the idle machine, and the rest"),
	  show_watts },
	{ 'g', 'T', N_("Means"), N_("mean CPU use of every process from now on, including exited ones"),
	  show_totals },
	{ 'P', 0, N_("Counters"), N_("performance counters of every CPU; again: of the selected process"),
	  show_counters },
	{ 'o', 0, N_("Own cost"), N_("the cost of panetop itself"), show_self },
	{ 0 },
};

static const char *refuses_key(const struct pane_context *context, const struct binding *binding)
{
	bool acts_on_process = binding->act == cpu_signal || binding->act == cpu_nicer ||
			       binding->act == cpu_less_nice || binding->act == cpu_pages;

	if (!acts_on_process)
		return NULL;
	if (!screen_replays(context))
		return context->focus == CPU_TABLE_PROCESS ? NULL
							   : _("this key works in the list of processes");
	if (binding->act == cpu_pages)
		return _(
			"a recording has only the pages of the process it was made with: see the pane pages");
	return _("processes in a recording cannot be changed");
}

static void open_cpu(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;

	cpu->view = context->focus = main_table(context->settings);
	context->requested[CPU_TABLE_THREAD] = cpu->view == CPU_TABLE_THREAD;
	context->requested[CPU_TABLE_POWER_ACCOUNT] = settings_get(context->settings, POWER_FIT_SETTING);
}

static const char *const settings[] = { "tree", "command", "directories", NULL };

const struct pane pane_cpu = {
	.name = "cpu",
	.title = N_("CPU"),
	.question = N_("Who uses the processors?"),
	.by_default = true,
	.takes_pid = true,
	.takes_user = true,
	.tables = tables,
	.options = options,
	.settings = settings,
	.series = cpu_series,
	.n_series = N_CPU_SERIES,
	.explained = explained,
	.bindings = bindings,
	.secondary_bindings = secondary_bindings,
	.refuses_key = refuses_key,
	.state_size = sizeof(struct cpu_state),
	.open = open_cpu,
	.adjust = adjust,
	.sampling = sampling,
	.draw = cpu_draw,
};
