/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and priorities for the process under the cursor, after a confirmation, and never for another
 * process with its PID.
 */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/signal_name.h"
#include "pane/cpu/cpu.h"
#include "pane/process/process_open.h"
#include "pane/text.h"
#include "screen/keys.h"

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
	{ SIGUSR1, NULL },
	{ SIGUSR2, NULL },
	{ SIGABRT, NULL },
	{ SIGALRM, NULL },
	{ SIGBUS, NULL },
	{ SIGCHLD, NULL },
	{ SIGFPE, NULL },
	{ SIGILL, NULL },
	{ SIGIO, NULL },
	{ SIGPIPE, NULL },
	{ SIGPROF, NULL },
	{ SIGPWR, NULL },
	{ SIGSEGV, NULL },
	{ SIGSYS, NULL },
	{ SIGTRAP, NULL },
	{ SIGTSTP, NULL },
	{ SIGTTIN, NULL },
	{ SIGTTOU, NULL },
	{ SIGURG, NULL },
	{ SIGVTALRM, NULL },
	{ SIGWINCH, NULL },
	{ SIGXCPU, NULL },
	{ SIGXFSZ, NULL },
};

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* The table of processes that is shown, or was shown last. */
static unsigned shown_processes(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return cpu->processes;
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
	struct table_widget *widget = &context->tables[shown_processes(context)];
	const struct table *table = context_table(context, shown_processes(context));
	const struct column *column;
	const void *row;

	cpu_select_first(context);
	row = table && widget->place.cursor_on ? table_cell(widget, &column) : NULL;
	if (row && !table_row_is_gone(table->schema, row))
		return row;
	if (row)
		screen_warn(context->screen, MESSAGE_PANE, _("%s: choose a process that runs"),
			    table_text(table, row, "name"));
	else
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("select a process first, with the arrows or the mouse"));
	return NULL;
}

/* The frame of the row may be gone when the user answers: copies what identifies the process. */
static bool keep_target(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;
	const struct table *table = context_table(context, shown_processes(context));
	const void *row = selected_row(context);

	if (!row)
		return false;
	cpu->target.pid = table_number(table, row, "pid");
	cpu->target.start_seconds = table_number(table, row, "start_seconds");
	cpu->target.nice = table_number(table, row, "nice");
	snprintf(cpu->target.name, sizeof(cpu->target.name), "%s", table_text(table, row, "name"));
	return true;
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	const struct cpu_state *cpu = context->state;
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, "%s (%.0f): %s", cpu->target.name, cpu->target.pid,
		    failure_text(text, error, remedy));
}

static void done(struct pane_context *context, int error)
{
	const struct cpu_state *cpu = context->state;

	if (error)
		say_failed(context, error, NULL);
	else if (cpu->target.signal)
		screen_message(context->screen, MESSAGE_PANE, _("sent SIG%s to %s (%.0f)"),
			       signal_name((unsigned)cpu->target.signal), cpu->target.name, cpu->target.pid);
	else
		screen_message(context->screen, MESSAGE_PANE, _("%s (%.0f) has nice %.0f"), cpu->target.name,
			       cpu->target.pid, cpu->target.nice + cpu->target.nice_step);
}

/* Without really it only checks whether it is possible. */
static bool act(struct pane_context *context, const char *verb, int number, bool really)
{
	struct cpu_state *cpu = context->state;
	const char *remedy;
	char action[128];
	int error;

	cpu->target.signal = strcmp(verb, "signal") == 0 ? number : 0;
	cpu->target.nice_step = number;
	snprintf(action, sizeof(action), "%s %d %.0f %.6f", verb, number, cpu->target.pid,
		 cpu->target.start_seconds);
	error = screen_act(context, "process", action, really ? done : NULL, &remedy);
	if (error)
		say_failed(context, error, remedy);
	return !error;
}

static void send(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	act(context, "signal", cpu->target.signal, true);
}

/* The first process and panetop itself are seldom meant. */
static void send_signal(struct pane_context *context, unsigned index)
{
	struct cpu_state *cpu = context->state;
	char question[TEXT_MAX];

	cpu->target.signal = signals[index].number;
	if (cpu->target.pid > 1 && cpu->target.pid != context->request->own_pid) {
		send(context);
		return;
	}
	snprintf(question, sizeof(question), _("Send SIG%s to %s (%.0f)?"),
		 signal_name((unsigned)cpu->target.signal), cpu->target.name, cpu->target.pid);
	screen_ask(context, question, send);
}

void cpu_signal(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;
	struct menu_item items[N_SIGNALS];
	char texts[N_SIGNALS][16];

	if (!keep_target(context) || !act(context, "signal", SIGTERM, false))
		return;
	for (unsigned i = 0; i < N_SIGNALS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%-2d SIG%s", signals[i].number,
			 signal_name((unsigned)signals[i].number));
		items[i] = (struct menu_item){ texts[i], signals[i].help ? _(signals[i].help) : NULL };
	}
	snprintf(cpu->menu_title, sizeof(cpu->menu_title), _("Send a signal to %s (%.0f)"), cpu->target.name,
		 cpu->target.pid);
	screen_menu(context, cpu->menu_title, items, N_SIGNALS, 0, send_signal);
}

static void step_up(struct pane_context *context)
{
	act(context, "nice", 1, true);
}

static void step_down(struct pane_context *context)
{
	act(context, "nice", -1, true);
}

static void ask_nice(struct pane_context *context, int step, void (*yes)(struct pane_context *context))
{
	const struct cpu_state *cpu = context->state;
	char question[TEXT_MAX];

	if (!keep_target(context) || !act(context, "nice", step, false))
		return;
	snprintf(question, sizeof(question), _("Renice %s (%.0f) from %.0f to %.0f?"), cpu->target.name,
		 cpu->target.pid, cpu->target.nice, cpu->target.nice + step);
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

void cpu_open_process(struct pane_context *context)
{
	const void *row = selected_row(context);

	if (row)
		process_open(context, context_table(context, shown_processes(context)), row);
}
