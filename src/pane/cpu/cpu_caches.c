/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of caches: what groups of resctrl get and use, and a group for one process. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pane/cpu/cache_story.h"
#include "pane/cpu/cpu.h"
#include "pane/text.h"

#define TABLE_LINES_MIN 6
#define TOPIC "cache_group"

void cpu_draw_caches(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);
	struct buffer story = BUFFER_HERE;
	unsigned warnings = table ? cache_story(&story, table) : 0;
	struct span lines = span_of(story.bytes, story.length), line;
	struct canvas rest;
	int y = 0;

	for (unsigned i = 0; span_line(&lines, &line); i++) {
		if (y + canvas_lines(canvas, line) + TABLE_LINES_MIN > canvas->height)
			break;
		y += canvas_wrapped(canvas, y, i < warnings ? STYLE_WARN : STYLE_DIM, line);
	}
	buffer_free(&story);
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(
		context, &rest, CPU_TABLE_CACHE,
		context->request->scope
			? _("of the machine: which groups fill the caches, and move how much memory?")
			: _("which groups fill the caches, and move how much memory?"));
}

/* The kernel's words for what a group lacks say little. */
static const char *failure_of(char text[TEXT_MAX], int error, const char *remedy)
{
	switch (error) {
	case -ENOSPC:
		return _("no monitoring group is left: the CPU counts only as many as it has numbers (RMID)");
	case -EBUSY:
		return remedy ? remedy
			      : _("the caches still have data of groups that were removed; try again later");
	case -EAGAIN:
		return _("another program changes resctrl at present: it holds the lock of its directory");
	case -EINVAL:
		return _("its threads are in several control groups");
	case -EPERM:
	case -EACCES:
		return failure_text(text, error,
				    remedy ? remedy
				    : geteuid() == 0
					    ? _("the kernel or the container forbids it")
					    : _("only root may monitor processes of others: run it as root"));
	default:
		return failure_text(text, error, remedy);
	}
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, _("not monitored: %s"), failure_of(text, error, remedy));
}

/* Before it began: then busy is the screen. */
static void say_refused(struct pane_context *context, int error, const char *remedy)
{
	say_failed(context, error,
		   error == -EBUSY && !remedy ? _("another action is still under way") : remedy);
}

static void monitored(struct pane_context *context, int error)
{
	const struct cpu_state *cpu = context->state;

	if (error) {
		say_failed(context, error, NULL);
		return;
	}
	screen_show_view(context, CPU_VIEW_CACHES);
	screen_message(context->screen, MESSAGE_PANE,
		       _("%s is monitored, with the threads that it starts from now on; what it had in the "
			 "cache before is not counted"),
		       cpu->monitored);
}

static int act_on_target(struct pane_context *context, void (*done)(struct pane_context *context, int error),
			 const char **remedy)
{
	const struct cpu_state *cpu = context->state;
	char action[128];

	snprintf(action, sizeof(action), "monitor %.0f %.6f", cpu->targets->pid, cpu->targets->start_seconds);
	return screen_act(context, TOPIC, action, done, remedy);
}

static void monitor(struct pane_context *context)
{
	struct cpu_state *cpu = context_state(context);
	const char *remedy;
	int error;

	cpu_targets_text(cpu, cpu->monitored); /* the targets may be others when it is done */
	error = act_on_target(context, monitored, &remedy);
	if (error)
		say_refused(context, error, remedy);
}

bool cpu_may_monitor(struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;
	const char *remedy;
	int error = cpu->n_targets == 1 ? act_on_target(context, NULL, &remedy) : -ENODEV;

	return error != -ENODEV && error != -ENOENT && error != -ENOTSUP;
}

void cpu_ask_monitor(struct pane_context *context)
{
	char question[2 * TEXT_MAX], text[TEXT_MAX];
	const char *remedy;
	int error = act_on_target(context, NULL, &remedy);

	if (error) {
		say_refused(context, error, remedy);
		return;
	}
	snprintf(question, sizeof(question),
		 _("Put %s into a monitoring group of resctrl, until panetop ends?"),
		 cpu_targets_text(context->state, text));
	screen_ask(context, question, monitor);
}

static void ended(struct pane_context *context, int error)
{
	char text[TEXT_MAX];

	if (error)
		screen_warn(context->screen, MESSAGE_PANE, _("its monitoring group stays: %s"),
			    failure_text(text, error, NULL));
	else
		screen_message(context->screen, MESSAGE_PANE, "%s", _("its monitoring group is removed"));
}

static void end(struct pane_context *context)
{
	const char *remedy;
	int error = screen_act(context, TOPIC, "end", ended, &remedy);

	if (error)
		ended(context, error);
}

/* The process that is monitored, as its row has it; NULL: none is. */
static const char *monitored_process(const struct pane_context *context)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const char *process = table_text(table, table_row(table, i), "process");

		if (*process)
			return process;
	}
	return NULL;
}

bool cpu_has_caches(const struct pane_context *context)
{
	const struct table *table = context_table(context, CPU_TABLE_CACHE);

	return table && table->n_rows > 0;
}

void cpu_cache_actions(struct pane_context *context)
{
	const char *process = monitored_process(context);
	char question[TEXT_MAX];

	if (!process) {
		screen_show_view(context, CPU_VIEW_PROCESSES);
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("select a process; F9 can then monitor its use of caches"));
		return;
	}
	snprintf(question, sizeof(question), _("Remove the monitoring group of %s?"), process);
	screen_ask(context, question, end);
}

static void tidied(struct pane_context *context, int error)
{
	(void)context;
	(void)error;
}

void cpu_tidy_caches(struct pane_context *context)
{
	const char *remedy;

	screen_act(context, TOPIC, "tidy", tidied, &remedy);
}
