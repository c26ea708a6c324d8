/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and priorities for the tagged processes or the one under the cursor, and never for another process
 * with such a PID.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/error_name.h"
#include "core/vector.h"
#include "pane/cpu/cpu.h"
#include "screen/keys.h"
#include "sys/privilege.h"
#include "sys/process.h"

void cpu_say_nothing(struct pane_context *context, int error)
{
	(void)context;
	(void)error;
}

/* False, with a message: it is not possible. Without yes it only checks that. */
static bool look(struct pane_context *context, const struct cpu_target *target, bool yes)
{
	char why[TEXT_MAX], action[96];
	const char *remedy;
	int error;

	snprintf(action, sizeof(action), "look %.3f %.0f %.6f",
		 context->settings->pages.touched_window_seconds, target->pid, target->start_seconds);
	error = screen_act(context, "touched", action, yes ? cpu_say_nothing : NULL, &remedy);
	if (error == -EAGAIN)
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("show the column touched first (c): it has what is measured"));
	else if (error)
		screen_warn(context->screen, MESSAGE_PANE, "%s (%.0f): %s", target->name, target->pid,
			    failure_text(why, error, remedy));
	return !error;
}

static void start(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char window[VALUE_TEXT_MAX];
	bool any = false;

	for (size_t i = 0; i < cpu->n_targets; i++)
		any |= look(context, &cpu->targets[i], true);
	if (any)
		screen_message(context->screen, MESSAGE_PANE, _("touched is known in %s"),
			       stretch_text(window, context->settings->pages.touched_window_seconds));
}

static void cpu_ask_touched(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char question[2 * TEXT_MAX], text[TEXT_MAX], window[VALUE_TEXT_MAX];

	if (!look(context, &cpu->targets[0], false))
		return;
	snprintf(question, sizeof(question),
		 _("Clear the accessed bits of %s (40 ms of CPU time for each GiB) and read them %s later? "
		   "Reclaim sees the pages as idle meanwhile"),
		 cpu_targets_text(cpu, text),
		 stretch_text(window, context->settings->pages.touched_window_seconds));
	screen_ask(context, question, start);
}

static uint32_t first_pid(const struct pane_context *context)
{
	return (uint32_t)((const struct cpu_state *)context->state)->targets->pid;
}

/* In plain words, where the kernel's say less. */
static const char *failure_of(const char *order, int error, const char *remedy, char text[TEXT_MAX])
{
	char lacking[PRIVILEGE_REMEDY_BYTES];

	if (strncmp(order, "affinity", 8) == 0 && error == -EINVAL)
		return _("it may not use any of these CPUs");
	if (error == -EPERM && !remedy && strncmp(order, "signal", 6) != 0)
		remedy = privilege_remedy_for_root(
			privilege_capabilities(PRIVILEGE_BIT(PRIVILEGE_NICE)), lacking);
	if (error == -EPERM && !remedy && strncmp(order, "signal", 6) != 0)
		remedy = geteuid() == 0 ? _("the kernel or the container forbids it")
					: _("run it as root, or give it the capability cap_sys_nice");
	return failure_text(text, error, remedy);
}

static void say_failed(struct pane_context *context, const struct cpu_target *target, const char *order,
		       int error, const char *remedy)
{
	const struct cpu_state *cpu = context->state;
	char text[TEXT_MAX];
	const char *why = failure_of(order, error, remedy, text);

	if (cpu->n_targets > 1 && cpu->result.n_done > 0)
		screen_warn(context->screen, MESSAGE_PANE, _("%zu of %zu done; %s (%.0f): %s"),
			    cpu->result.n_done, cpu->n_targets, target->name, target->pid, why);
	else
		screen_warn(context->screen, MESSAGE_PANE, "%s (%.0f): %s", target->name, target->pid, why);
}

static int act_on(struct pane_context *context, const struct cpu_target *target, const char *order,
		  void (*done)(struct pane_context *context, int error), const char **remedy)
{
	char action[CPU_ORDER_MAX + 64];

	snprintf(action, sizeof(action), "%s %.0f %.6f", order, target->pid, target->start_seconds);
	return screen_act(context, "process", action, done, remedy);
}

static void note(struct cpu_state *cpu, int error, const char *remedy)
{
	struct cpu_result *result = &cpu->result;

	if (error) {
		result->failed = cpu->targets[result->at];
		result->error = error;
		result->remedy = remedy;
	}
	result->n_done += error == 0;
	result->at++;
}

static void done_one(struct pane_context *context, int error)
{
	note(context_state(context), error, NULL);
}

/* Could it be done to each of those that have not ended since the sample? The others are left out. */
static bool is_possible(struct pane_context *context, const char *order)
{
	struct cpu_state *cpu = context_state(context);
	size_t n_alive = 0;
	const char *remedy;
	int error;

	cpu->result = (struct cpu_result){ 0 };
	for (size_t i = 0; i < cpu->n_targets; i++) {
		error = act_on(context, &cpu->targets[i], order, NULL, &remedy);
		if (error && (error != -ESRCH || (n_alive == 0 && i + 1 == cpu->n_targets))) {
			say_failed(context, &cpu->targets[i], order, error, remedy);
			return false;
		}
		if (!error)
			cpu->targets[n_alive++] = cpu->targets[i];
	}
	cpu->n_targets = n_alive;
	return true;
}

/* Does what order says to the targets; done is what is then said. */
static void cpu_do(struct pane_context *context, const char *order, const char *done)
{
	struct cpu_state *cpu = context_state(context);
	const char *remedy;

	cpu->result = (struct cpu_result){ 0 };
	while (cpu->result.at < cpu->n_targets) {
		const struct cpu_target *target = &cpu->targets[cpu->result.at];
		/* the topic has answered before it returns: nothing of this waits */
		int error = act_on(context, target, order, done_one, &remedy);

		if (error)
			note(cpu, error, remedy);
	}
	if (cpu->result.error)
		say_failed(context, &cpu->result.failed, order, cpu->result.error, cpu->result.remedy);
	else
		screen_message(context->screen, MESSAGE_PANE, "%s", done);
}

static bool take_affinity(struct pane_context *context, const char *text, char *error, size_t room)
{
	struct control_cpus cpus;
	char list[CONTROL_LIST_MAX], order[CPU_ORDER_MAX], targets[TEXT_MAX], done[2 * TEXT_MAX];

	if (*text == '\0')
		return true;
	if (!control_cpus_parse(span_text(text), &cpus)) {
		snprintf(error, room, "%s", _("use a list of CPUs such as 0-3,8"));
		return false;
	}
	control_cpus_text(&cpus, list);
	snprintf(order, sizeof(order), "affinity %s", list);
	snprintf(done, sizeof(done), _("all threads of %s may run on CPU %s"),
		 cpu_targets_text(context->state, targets), list);
	cpu_do(context, order, done);
	return true;
}

static void cpu_ask_affinity(struct pane_context *context)
{
	struct control_cpus cpus;
	char label[TEXT_MAX + 64], text[TEXT_MAX], list[CONTROL_LIST_MAX] = "";

	if (control_get_cpus(first_pid(context), &cpus) == 0)
		control_cpus_text(&cpus, list);
	snprintf(label, sizeof(label), _("CPUs for all threads of %s"),
		 cpu_targets_text(context->state, text));
	screen_prompt(context, label, list, take_affinity);
}

static const struct {
	int policy;
	const char *text, *help; /* N_() */
} policies[] = {
	{ SCHED_OTHER, N_("other"), N_("the usual one: CPU time by nice") },
	{ SCHED_BATCH, N_("batch"), N_("as other, but it preempts others less") },
	{ SCHED_IDLE, N_("idle"), N_("gets hardly any time while others want it") },
	{ SCHED_FIFO, N_("fifo ..."), N_("real-time: runs until it sleeps") },
	{ SCHED_RR, N_("rr ..."), N_("real-time: takes turns with others of its priority") },
};

#define N_POLICIES (sizeof(policies) / sizeof(policies[0]))

static void set_policy(struct pane_context *context, int policy, unsigned priority)
{
	char order[CPU_ORDER_MAX], text[TEXT_MAX], done[2 * TEXT_MAX];

	cpu_targets_text(context->state, text);
	snprintf(order, sizeof(order), "policy %s %u", control_policy_name(policy), priority);
	if (priority > 0)
		snprintf(done, sizeof(done), _("all threads of %s: %s, priority %u"), text,
			 control_policy_name(policy), priority);
	else
		snprintf(done, sizeof(done), _("all threads of %s: %s"), text, control_policy_name(policy));
	cpu_do(context, order, done);
}

static bool take_priority(struct pane_context *context, const char *text, char *error, size_t room)
{
	const struct cpu_state *cpu = context->state;
	uint64_t priority;

	if (*text == '\0')
		return true;
	if (!span_whole_number(text, 1, 99, &priority)) {
		snprintf(error, room, "%s", _("use a number from 1 to 99; 99 is the highest priority"));
		return false;
	}
	set_policy(context, cpu->policy, (unsigned)priority);
	return true;
}

static void choose_policy(struct pane_context *context, unsigned index)
{
	struct cpu_state *cpu = context_state(context);
	struct control_policy now;
	char label[TEXT_MAX + 64], text[TEXT_MAX], priority[16] = "";

	cpu->policy = policies[index].policy;
	if (cpu->policy != SCHED_FIFO && cpu->policy != SCHED_RR) {
		set_policy(context, cpu->policy, 0);
		return;
	}
	if (control_get_policy(first_pid(context), &now) == 0 && now.priority > 0)
		snprintf(priority, sizeof(priority), "%u", now.priority);
	snprintf(label, sizeof(label), _("Real-time priority (1-99) for %s"),
		 cpu_targets_text(context->state, text));
	screen_prompt(context, label, priority, take_priority);
}

static void cpu_ask_policy(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct menu_item items[N_POLICIES];
	struct control_policy now;
	char text[TEXT_MAX], present[64] = "";
	unsigned current = 0;
	bool known = control_get_policy(first_pid(context), &now) == 0;

	for (unsigned i = 0; i < N_POLICIES; i++) {
		items[i] = (struct menu_item){ _(policies[i].text), _(policies[i].help) };
		if (known && policies[i].policy == now.policy)
			current = i;
	}
	if (known && now.priority > 0)
		snprintf(present, sizeof(present), _("; now %s %u"), control_policy_name(now.policy),
			 now.priority);
	else if (known)
		snprintf(present, sizeof(present), _("; now %s"), control_policy_name(now.policy));
	snprintf(cpu->menu_title, sizeof(cpu->menu_title), _("Policy of all threads of %s%s"),
		 cpu_targets_text(cpu, text), present);
	screen_menu(context, cpu->menu_title, items, N_POLICIES, current, choose_policy);
}

/* The classes in the order of the menu, each with its levels. */
static struct control_io io_at(unsigned index)
{
	if (index == 0)
		return (struct control_io){ CONTROL_IO_NONE, 0 };
	if (index <= CONTROL_IO_LEVELS)
		return (struct control_io){ CONTROL_IO_BEST_EFFORT, index - 1 };
	if (index <= 2 * CONTROL_IO_LEVELS)
		return (struct control_io){ CONTROL_IO_REAL_TIME, index - 1 - CONTROL_IO_LEVELS };
	return (struct control_io){ CONTROL_IO_IDLE, 0 };
}

#define N_IO (2 * CONTROL_IO_LEVELS + 2)

static void io_text(struct control_io io, char *text, size_t room)
{
	switch (io.class) {
	case CONTROL_IO_REAL_TIME:
		snprintf(text, room, _("real-time %u"), io.level);
		break;
	case CONTROL_IO_BEST_EFFORT:
		snprintf(text, room, _("best effort %u"), io.level);
		break;
	case CONTROL_IO_IDLE:
		snprintf(text, room, "%s", _("idle"));
		break;
	default:
		snprintf(text, room, "%s", _("none"));
	}
}

static const char *io_help(struct control_io io)
{
	if (io.class == CONTROL_IO_NONE)
		return _("best effort, its level follows from nice");
	if (io.class == CONTROL_IO_IDLE)
		return _("only while no other process uses the disk");
	if (io.level == 0)
		return io.class == CONTROL_IO_REAL_TIME ? _("always first; others may starve")
							: _("the highest level");
	return io.level == CONTROL_IO_LEVELS - 1 ? _("the lowest level") : NULL;
}

static void choose_io(struct pane_context *context, unsigned index)
{
	struct control_io io = io_at(index);
	char order[CPU_ORDER_MAX], name[64], text[TEXT_MAX], done[2 * TEXT_MAX];

	io_text(io, name, sizeof(name));
	snprintf(order, sizeof(order), "io %u %u", io.class, io.level);
	snprintf(done, sizeof(done), _("all threads of %s: I/O priority %s"),
		 cpu_targets_text(context->state, text), name);
	cpu_do(context, order, done);
}

static void cpu_ask_io(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct menu_item items[N_IO];
	char texts[N_IO][64], text[TEXT_MAX], present[64] = "?";
	struct control_io now;
	bool known = control_get_io(first_pid(context), &now) == 0;
	unsigned current = 0;

	for (unsigned i = 0; i < N_IO; i++) {
		struct control_io io = io_at(i);

		io_text(io, texts[i], sizeof(texts[i]));
		items[i] = (struct menu_item){ texts[i], io_help(io) };
		if (known && io.class == now.class && (io.level == now.level || io.class == CONTROL_IO_NONE))
			current = i;
	}
	if (known)
		io_text(now, present, sizeof(present));
	snprintf(cpu->menu_title, sizeof(cpu->menu_title), _("I/O priority of all threads of %s; now %s"),
		 cpu_targets_text(cpu, text), present);
	screen_menu(context, cpu->menu_title, items, N_IO, current, choose_io);
}

#define NICE_LEAST (-20)
#define NICE_MOST 19

/* The most useful first. */
static const struct {
	int number;
	const char *help;
} signals[] = {
	{ SIGTERM, N_("ask it to end") },
	{ SIGKILL, N_("end it at once") },
	{ SIGINT, N_("interrupt, as Ctrl-C") },
	{ SIGHUP, N_("hang up; many daemons read their configuration again") },
	{ SIGSTOP, N_("stop it") },
	{ SIGCONT, N_("continue it") },
	{ SIGQUIT, N_("end it with a core dump") },
};

/* These come behind the other entries of the menu. */
static const int more_signals[] = { SIGUSR1, SIGUSR2, SIGABRT, SIGALRM, SIGBUS,    SIGCHLD,  SIGFPE,  SIGILL,
				    SIGIO,   SIGPIPE, SIGPROF, SIGPWR,  SIGSEGV,   SIGSYS,   SIGTRAP, SIGTSTP,
				    SIGTTIN, SIGTTOU, SIGURG,  SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ };

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))
#define N_MORE_SIGNALS (sizeof(more_signals) / sizeof(more_signals[0]))

/* The table of processes that is shown, or was shown last. */
static unsigned shown_processes(const struct pane_context *context)
{
	return ((const struct cpu_state *)context->state)->processes;
}

void cpu_select_first(struct pane_context *context)
{
	struct table_widget *widget = &context->tables[shown_processes(context)];
	const struct view *view = &widget->view;
	const struct column *column;

	if (widget->place.cursor_on)
		return;
	table_select(widget);
	while (widget->place.row + 1 < view->n_rows &&
	       table_row_is_gone(view->schema, table_cell(widget, &column)))
		table_key(widget, &(struct input){ .key = K_DOWN });
}

/* NULL, with a message, if it is not a process. */
static const void *selected_row(struct pane_context *context)
{
	const struct table *table = context_table(context, shown_processes(context));
	const void *row;

	cpu_select_first(context);
	row = context_selected_row(context, shown_processes(context));
	if (row && !table_row_is_gone(table->schema, row))
		return row;
	if (row)
		screen_warn(context->screen, MESSAGE_PANE, _("%s: choose a process that runs"),
			    table_text(table, row, "name"));
	else
		process_warn_unselected(context);
	return NULL;
}

/* The frame of the row may be gone when the user answers: copies what identifies the process. */
static void add_target(struct cpu_state *cpu, const struct table *table, const void *row)
{
	struct cpu_target *target = VECTOR_ADD(cpu->targets, cpu->n_targets, cpu->targets_capacity);

	target->pid = table_number(table, row, "pid");
	target->start_seconds = table_number(table, row, "start_seconds");
	target->nice = table_number(table, row, "nice");
	snprintf(target->name, sizeof(target->name), "%s", table_text(table, row, "name"));
}

/* The process that another pane hands over. */
static void add_given(struct cpu_state *cpu, const struct table *processes,
		      const struct process_choice *given)
{
	const void *row = table_with_pid(processes, given->pid);
	struct cpu_target *target;

	if (row && fabs(table_number(processes, row, "start_seconds") - given->start_seconds) < 1e-3) {
		add_target(cpu, processes, row);
		return;
	}
	target = VECTOR_ADD(cpu->targets, cpu->n_targets, cpu->targets_capacity);
	*target = (struct cpu_target){ given->pid, given->start_seconds, NAN, "" };
	snprintf(target->name, sizeof(target->name), "%s", given->name);
}

/* The tagged processes, shown or not; else the selected one. False, with a message: there is none. */
static bool keep_targets(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const struct table *table = context_table(context, shown_processes(context));
	const void *row;

	cpu->n_targets = 0;
	cpu->given = context->given.is_set;
	if (cpu->given) {
		add_given(cpu, frame_table(context->frame, "process"), &context->given);
		return true;
	}
	for (size_t i = 0; cpu->tags.n > 0 && table && i < table->n_rows; i++)
		if (row_tags_has(&cpu->tags, table->schema, table_row(table, i)))
			add_target(cpu, table, table_row(table, i));
	if (cpu->n_targets > 0)
		return true;
	row = selected_row(context);
	if (row)
		add_target(cpu, table, row);
	return row;
}

const char *cpu_targets_text(const struct cpu_state *cpu, char *text)
{
	if (cpu->n_targets == 1)
		snprintf(text, TEXT_MAX, "%s (%.0f)", cpu->targets->name, cpu->targets->pid);
	else
		snprintf(text, TEXT_MAX, P_("%zu process", "%zu processes", cpu->n_targets), cpu->n_targets);
	return text;
}

static void send(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char order[32], name[SIGNAL_TEXT_MAX], text[TEXT_MAX], done[2 * TEXT_MAX];

	snprintf(order, sizeof(order), "signal %d", cpu->signal);
	snprintf(done, sizeof(done), _("sent %s to %s"), signal_text(name, cpu->signal),
		 cpu_targets_text(cpu, text));
	cpu_do(context, order, done);
}

static void send_signal(struct pane_context *context, int signal)
{
	struct cpu_state *cpu = context_state(context);
	char question[TEXT_MAX], text[TEXT_MAX], name[SIGNAL_TEXT_MAX];

	cpu->signal = signal;
	/* the first process and panetop itself are seldom meant */
	if (cpu->n_targets == 1 && cpu->targets->pid > 1 && cpu->targets->pid != context->request->own_pid) {
		send(context);
		return;
	}
	snprintf(question, sizeof(question), _("Send %s to %s?"), signal_text(name, signal),
		 cpu_targets_text(cpu, text));
	screen_ask(context, question, send);
}

/* Selects the parent of the selected process, in the view All if it is idle; for another pane: its page. */
static void go_to_parent(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	const struct table *processes = frame_table(context->frame, "process");
	const void *row = table_with_pid(processes, cpu->parent);

	if (cpu->given) {
		if (row)
			process_open(context, "process", processes, row);
		return;
	}
	if (context->view == CPU_VIEW_PROCESSES)
		screen_show_view(context, CPU_VIEW_ALL);
	row = table_with_pid(context_table(context, cpu->processes), cpu->parent);
	if (row)
		table_select_row(&context->tables[cpu->processes], row);
}

/* An entry of the menu: a signal, or one of these. */
struct entry {
	int signal; /* 0: act */
	void (*act)(struct pane_context *context);
	const char *text, *help; /* N_() */
};

#define REAL_TIME_SIGNALS 31
#define ENTRIES_MAX (N_SIGNALS + N_MORE_SIGNALS + 6 + REAL_TIME_SIGNALS)

static unsigned list_entries(const struct cpu_state *cpu, struct entry entries[ENTRIES_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_SIGNALS; i++)
		entries[n++] = (struct entry){ .signal = signals[i].number, .help = signals[i].help };
	entries[n++] = (struct entry){ 0, cpu_ask_affinity, N_("CPU affinity ..."),
				       N_("the CPUs on which all its threads may run") };
	entries[n++] = (struct entry){ 0, cpu_ask_policy, N_("Scheduling policy ..."),
				       N_("the usual, batch, idle or real-time, of all its threads") };
	entries[n++] = (struct entry){ 0, cpu_ask_io, N_("I/O priority ..."),
				       N_("when its threads read from disks and write to them") };
	if (cpu->may_monitor)
		entries[n++] = (struct entry){ 0, cpu_ask_monitor, N_("Monitor its caches ..."),
					       N_("what it occupies and moves, by a group of resctrl") };
	entries[n++] = (struct entry){ 0, cpu_ask_touched, N_("Touched memory ..."),
				       N_("how much of its memory it uses; asks first") };
	if (cpu->n_targets == 1 && cpu->parent > 0)
		entries[n++] = (struct entry){ 0, go_to_parent, N_("Go to its parent"),
					       N_("the process that started or adopted it") };
	for (unsigned i = 0; i < N_MORE_SIGNALS; i++)
		entries[n++] = (struct entry){ .signal = more_signals[i] };
	for (int signal = SIGRTMIN; signal <= SIGRTMAX && n < ENTRIES_MAX; signal++)
		entries[n++] = (struct entry){ .signal = signal, .help = N_("a real-time signal") };
	return n;
}

static void chosen(struct pane_context *context, unsigned index)
{
	struct entry entries[ENTRIES_MAX];

	list_entries(context->state, entries);
	if (entries[index].act != go_to_parent && !is_possible(context, "signal 15"))
		return;
	if (entries[index].signal > 0)
		send_signal(context, entries[index].signal);
	else
		entries[index].act(context);
}

/* "Send a signal to 4711 (ada, 12 min): make -j4 all"; of several, all of them. The longest is at the end. */
static void write_title(struct pane_context *context, const void *process)
{
	struct cpu_state *cpu = context_state(context);
	const struct table *processes = frame_table(context->frame, "process");
	double age = frame_number(context->frame, "system", NULL, "uptime_seconds") -
		     cpu->targets->start_seconds;
	char *title = cpu->menu_title, who[TEXT_MAX], time[VALUE_TEXT_MAX];
	size_t used;

	if (cpu->n_targets == 1 && process && age >= 0) {
		snprintf(title, TEXT_MAX, _("Send a signal to %.0f (%s, %s): %s"), cpu->targets->pid,
			 table_text(processes, process, "user"), stretch_text(time, age),
			 table_text(processes, process, "command"));
		return;
	}
	snprintf(title, TEXT_MAX, _("Send a signal to %s"), cpu_targets_text(cpu, who));
	for (size_t i = 0; cpu->n_targets > 1 && i < cpu->n_targets; i++) {
		used = strlen(title);
		snprintf(title + used, TEXT_MAX - used, "%s%.0f %s", i > 0 ? ", " : ": ",
			 cpu->targets[i].pid, cpu->targets[i].name);
	}
}

void cpu_actions(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct entry entries[ENTRIES_MAX];
	struct menu_item items[ENTRIES_MAX];
	char texts[ENTRIES_MAX][48], name[SIGNAL_TEXT_MAX];
	const struct table *processes = frame_table(context->frame, "process");
	const void *process;
	unsigned n;

	if (!keep_targets(context) || !is_possible(context, "signal 15"))
		return;
	process = table_with_pid(processes, cpu->targets->pid);
	cpu->parent = process ? table_number(processes, process, "ppid") : 0;
	cpu->may_monitor = cpu_may_monitor(context);
	n = list_entries(cpu, entries);
	for (unsigned i = 0; i < n; i++) {
		if (entries[i].signal > 0)
			snprintf(texts[i], sizeof(texts[i]), "%-2d %s", entries[i].signal,
				 signal_text(name, entries[i].signal));
		else
			snprintf(texts[i], sizeof(texts[i]), "   %s", _(entries[i].text));
		items[i] = (struct menu_item){ texts[i], entries[i].help ? _(entries[i].help) : NULL };
	}
	write_title(context, process);
	screen_menu(context, cpu->menu_title, items, n, 0, chosen);
}

static bool has_one_nice(const struct cpu_state *cpu)
{
	return cpu->n_targets == 1 && !isnan(cpu->targets->nice);
}

static void renice(struct pane_context *context, int step)
{
	const struct cpu_state *cpu = context->state;
	char order[32], text[TEXT_MAX], done[2 * TEXT_MAX];

	snprintf(order, sizeof(order), "nice %d", step);
	if (has_one_nice(cpu))
		snprintf(done, sizeof(done), _("%s has nice %.0f"), cpu_targets_text(cpu, text),
			 cpu->targets->nice + step);
	else
		snprintf(done, sizeof(done), _("%s: nice %+d"), cpu_targets_text(cpu, text), step);
	cpu_do(context, order, done);
}

static void step_up(struct pane_context *context)
{
	renice(context, 1);
}

static void step_down(struct pane_context *context)
{
	renice(context, -1);
}

/* The kernel would take a step beyond the end for one to it. */
static void ask_nice(struct pane_context *context, int step, void (*yes)(struct pane_context *context))
{
	const struct cpu_state *cpu = context->state;
	char question[TEXT_MAX], text[TEXT_MAX];

	if (!keep_targets(context) || !is_possible(context, step > 0 ? "nice 1" : "nice -1"))
		return;
	if (cpu->n_targets == 1 && cpu->targets->nice == (step > 0 ? NICE_MOST : NICE_LEAST)) {
		screen_message(context->screen, MESSAGE_PANE,
			       step > 0 ? _("%s has nice %.0f, which is the most")
					: _("%s has nice %.0f, which is the least"),
			       cpu_targets_text(cpu, text), cpu->targets->nice);
		return;
	}
	if (has_one_nice(cpu))
		snprintf(question, sizeof(question), _("Renice %s from %.0f to %.0f?"),
			 cpu_targets_text(cpu, text), cpu->targets->nice, cpu->targets->nice + step);
	else
		snprintf(question, sizeof(question), _("Renice %s by %+d?"), cpu_targets_text(cpu, text),
			 step);
	screen_ask(context, question, yes);
}

void cpu_nicer(struct pane_context *context)
{
	ask_nice(context, 1, step_up);
}

void cpu_less_nice(struct pane_context *context)
{
	ask_nice(context, -1, step_down);
}

void cpu_affinity(struct pane_context *context)
{
	if (keep_targets(context) && is_possible(context, "signal 15"))
		cpu_ask_affinity(context);
}

/* Then the next row is selected, to tag several in a row. */
void cpu_tag(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	struct table_widget *widget = &context->tables[shown_processes(context)];
	const void *row = selected_row(context);

	if (!row)
		return;
	row_tags_toggle(&cpu->tags, widget->view.schema, row);
	table_key(widget, &(struct input){ .key = K_DOWN });
}

void cpu_open_process(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	const struct table *table = context_table(context, shown_processes(context));
	const struct table *ends = context_table(context, CPU_TABLE_ENDED);
	const void *row, *end;
	const char *name;

	cpu_select_first(context);
	row = context_selected_row(context, shown_processes(context));
	name = row ? ended_rows_name(&cpu->ended, row) : NULL;
	end = name ? process_last_ended(ends, name) : NULL;
	if (end)
		process_open_ended(context, ends, end);
	else if (name)
		screen_warn(context->screen, MESSAGE_PANE,
			    _("%s, between two samples; nothing else is known of these processes"),
			    table_text(table, row, "name"));
	else if (selected_row(context))
		process_open(context, "process", table, row);
}
