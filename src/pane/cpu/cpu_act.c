/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and priorities for the process under the cursor, after a confirmation, and never for another
 * process with its PID.
 */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/i18n.h"
#include "core/signal_name.h"
#include "pane/cpu/cpu.h"
#include "pane/pages/pages_open.h"
#include "pane/text.h"

/* "TERM", "SIGTERM" or "15"; 0: none of these. */
static int parse_signal(const char *text)
{
	uint64_t number;

	if (span_whole_number(text, 1, 64, &number))
		return (int)number;
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	return signal_number(text);
}

/* NULL, with a message, if there is none. */
static const void *selected_row(struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[CPU_TABLE_PROCESS];
	const struct column *column;
	bool seen = widget->place.cursor_on && widget->heading_y >= 0 && widget->page > 0 &&
		    context_table(context, CPU_TABLE_PROCESS);
	const void *row = seen ? table_cell(widget, &column) : NULL;

	if (!row)
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("select a process first, with the arrows or the mouse"));
	return row;
}

/* The frame of the row may be gone when the user answers: copies what identifies the process. */
static bool keep_target(struct pane_context *context)
{
	struct cpu_state *cpu = context->state;
	const struct table *table = context_table(context, CPU_TABLE_PROCESS);
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

	screen_message(context->screen, MESSAGE_PANE, "%.0f %s: %s", cpu->target.pid, cpu->target.name,
		       failure_text(text, error, remedy));
}

static void done(struct pane_context *context, int error)
{
	const struct cpu_state *cpu = context->state;

	if (error)
		say_failed(context, error, NULL);
	else if (cpu->target.signal)
		screen_message(context->screen, MESSAGE_PANE, _("signal %d was sent to %.0f %s"),
			       cpu->target.signal, cpu->target.pid, cpu->target.name);
	else
		screen_message(context->screen, MESSAGE_PANE, _("%.0f %s: nice %+.0f"), cpu->target.pid,
			       cpu->target.name, cpu->target.nice + cpu->target.nice_step);
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

static void send_signal(struct pane_context *context, const char *text)
{
	int number = *text ? parse_signal(text) : SIGTERM;

	if (number)
		act(context, "signal", number, true);
	else
		screen_message(context->screen, MESSAGE_PANE, _("unknown signal '%s'; nothing was sent"),
			       text);
}

void cpu_signal(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	char label[TEXT_MAX];

	if (!keep_target(context) || !act(context, "signal", SIGTERM, false))
		return;
	snprintf(label, sizeof(label), _("Signal to %.0f %s (name or number; nothing: TERM; Esc: none)"),
		 cpu->target.pid, cpu->target.name);
	screen_prompt(context, label, "", send_signal);
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
	snprintf(question, sizeof(question),
		 step > 0 ? _("Give %.0f %s less of the CPUs (nice from %+.0f to %+.0f)?")
			  : _("Give %.0f %s more of the CPUs (nice from %+.0f to %+.0f)?"),
		 cpu->target.pid, cpu->target.name, cpu->target.nice, cpu->target.nice + step);
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

void cpu_pages(struct pane_context *context)
{
	const void *row = selected_row(context);

	if (row)
		pages_open(context, context_table(context, CPU_TABLE_PROCESS), row);
}
