/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the views of the CPU pane. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "model/units.h"
#include "pane/cpu/cpu.h"
#include "pane/process_rows.h"

#define TABLE_LINES_MIN 4
#define COUNTED_LINES_MIN 5 /* with its title; to explain why there are no counters */
#define WIDE 60             /* cells: titles may be sentences */

void cpu_add_interval(const struct pane_context *context, bool wide, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;
	size_t length = strlen(text);

	if (context->frame->interval_ns > 0)
		snprintf(text + length, room - length, wide ? _(" in the last %.1f s") : _(" in %.1f s"),
			 seconds);
}

/* "since 06:32:09" */
static void add_since(uint64_t wall_ns, char *text, size_t room)
{
	size_t length = strlen(text);
	char time[CLOCK_TEXT_MAX];

	if (wall_ns > 0) {
		clock_local(time, wall_ns, "%H:%M:%S");
		snprintf(text + length, room - length, _(" since %s"), time);
	}
}

static void counted_title(const struct pane_context *context, char *text, size_t room)
{
	const struct sample_request *request = context->request;

	if (request->selected.is_set)
		snprintf(text, room, _("counters of process %u"), request->selected.pid);
	else
		snprintf(text, room, "%s", _("counters of the selected process"));
}

void cpu_heading(const struct pane_context *context, char *text, size_t room)
{
	static const char *const titles[] = {
		[CPU_VIEW_CPUS] = N_("each CPU"),
		[CPU_VIEW_ACCOUNT] = N_("what used the CPUs"),
		[CPU_VIEW_DISTRIBUTION] = N_("processes by CPU use"),
		[CPU_VIEW_WATTS] = N_("what used the watts, an estimate"),
		[CPU_VIEW_COUNTERS] = N_("performance counters of every CPU"),
		[CPU_VIEW_SELF] = N_("cost of panetop itself"),
	};
	const struct cpu_state *cpu = context->state;

	if (context->view == CPU_VIEW_EXITED) {
		snprintf(text, room, "%s", _("exited"));
		add_since(cpu->exited_wall_ns, text, room);
		snprintf(text + strlen(text), room - strlen(text), "%s", _(", rates"));
		cpu_add_interval(context, true, text, room);
	} else if (context->view == CPU_VIEW_MEANS) {
		snprintf(text, room, "%s", _("means"));
		add_since(cpu->totals_wall_ns, text, room);
	} else if (context->view == CPU_VIEW_FAILING) {
		snprintf(text, room, "%s",
			 _("commands that failed within a minute; all their exits since the start"));
	} else if (context->view == CPU_VIEW_STUCK) {
		snprintf(text, room, "%s", _("tasks in uninterruptible sleep (D), and for how long"));
	} else if (context->view == CPU_VIEW_CONVOYS) {
		snprintf(text, room, "%s", _("mutexes that most threads of a process wait for"));
	} else {
		snprintf(text, room, "%s", _(titles[context->view]));
		cpu_add_interval(context, true, text, room);
	}
}

static const char *view_title(const struct pane_context *context, bool wide)
{
	switch (context->view) {
	case CPU_VIEW_MEMORY:
		return wide ? N_("memory of all processes") : N_("memory");
	case CPU_VIEW_IO:
		return wide ? N_("what all processes read and wrote") : N_("I/O");
	case CPU_VIEW_WAITING:
		return wide ? N_("all processes, waiting for a CPU") : N_("waiting");
	case CPU_VIEW_NETWORK:
		return wide ? N_("payload of all processes") : N_("payload");
	default:
		return N_("all processes");
	}
}

/* Which processes the list has. */
static void chosen_title(const struct pane_context *context, bool wide, const char *user, char *text,
			 size_t room)
{
	const char *threshold = settings_text(context->settings, "cpu.threshold");

	if (context->view == CPU_VIEW_THREADS)
		snprintf(text, room, "%s", _("threads"));
	else if (context->request->processes)
		snprintf(text, room, "%s", _("chosen processes"));
	else if (context->settings->cpu.tree)
		snprintf(text, room, "%s", wide ? _("all processes as a tree") : _("tree"));
	else if (threshold)
		snprintf(text, room, _("from %s %% on"), threshold);
	else if (context->view != CPU_VIEW_PROCESSES)
		snprintf(text, room, "%s", _(view_title(context, wide)));
	else
		snprintf(text, room, "%s", wide && !user ? _("processes that ran") : _("ran"));
}

/* The view All shows more. */
static bool hides_idle(const struct pane_context *context)
{
	return context->view == CPU_VIEW_PROCESSES && !context->request->processes &&
	       !context->settings->cpu.tree && isnan(context->settings->cpu.threshold);
}

static void add_tags(const struct pane_context *context, char *text, size_t room)
{
	const struct cpu_state *cpu = context->state;
	size_t length = strlen(text);

	if (cpu->tags.n > 0 && cpu_has_processes(context->focus))
		snprintf(text + length, room - length, _("; %zu tagged"), cpu->tags.n);
}

static void list_title(const struct pane_context *context, bool wide, char *text, size_t room)
{
	const char *user = context->request->shown_user;
	size_t length;

	*text = '\0';
	if (user)
		snprintf(text, room, "%s: ", user);
	length = strlen(text);
	chosen_title(context, wide, user, text + length, room - length);
	if ((wide || !user) && context->view != CPU_VIEW_NETWORK)
		cpu_add_interval(context, wide, text, room);
	add_tags(context, text, room);
	if (wide && hides_idle(context) && !context->tables[context->focus].has_filter)
		snprintf(text + strlen(text), room - strlen(text), "%s", _("; Tab: all"));
}

static char *percent_text(char *out, double ratio)
{
	return fixed_text(out, 100 * ratio, 1);
}

/* On the lowest screens: the total, and a line for each of the first processes. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas rest = canvas_below(canvas, 1);

	cpu_machine_draw_total(context, canvas);
	process_rows_draw_short(context, &rest, context->focus, "cpu_ratio", percent_text);
}

void cpu_draw_list(const struct pane_context *context, struct canvas *canvas)
{
	struct canvas rest;
	char title[TEXT_MAX];
	int y;

	if (canvas->height < TABLE_LINES_MIN && context->view >= CPU_VIEW_MEMORY) {
		context_draw_table(context, canvas, context->focus);
	} else if (canvas->height < TABLE_LINES_MIN) {
		draw_short(context, canvas);
	} else {
		y = cpu_machine_draw(context, canvas);
		rest = canvas_rows(canvas, y, canvas->height - y);
		list_title(context, canvas->width >= WIDE, title, sizeof(title));
		context_draw_titled(context, &rest, context->focus, title);
	}
}

/* The counters of the selected process above the list. */
void cpu_draw_counters(const struct pane_context *context, struct canvas *canvas)
{
	int most = canvas->height / 2;
	int height = 1 + table_height(&context->tables[CPU_TABLE_COUNTER_PROCESS]);
	int lines = height < COUNTED_LINES_MIN ? COUNTED_LINES_MIN : height;
	struct canvas counters, processes;
	char title[TEXT_MAX];

	lines = lines < most ? lines : most;
	counters = canvas_rows(canvas, 0, lines);
	processes = canvas_rows(canvas, lines, canvas->height - lines);
	counted_title(context, title, sizeof(title));
	cpu_add_interval(context, canvas->width >= WIDE, title, sizeof(title));
	context_draw_titled(context, &counters, CPU_TABLE_COUNTER_PROCESS, title);
	list_title(context, canvas->width >= WIDE, title, sizeof(title));
	context_draw_titled(context, &processes, CPU_TABLE_PROCESS, title);
}

static double most_processes(const struct view *view, const struct table *table)
{
	double most = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		most = fmax(most, table_number(table, view->rows[i], "processes"));
	return most;
}

/* The ranges that have processes, the highest first, with a bar beside each. */
void cpu_draw_distribution(const struct pane_context *context, struct canvas *canvas)
{
	struct table_widget *widget = &context->tables[CPU_TABLE_DISTRIBUTION];
	const struct table *table = context_table(context, CPU_TABLE_DISTRIBUTION);
	const struct view *view = &widget->view;
	char title[TEXT_MAX] = "";
	double most;
	int left = 0;

	cpu_heading(context, title, sizeof(title));
	context_draw_titled(context, canvas, CPU_TABLE_DISTRIBUTION, title);
	if (!table || widget->n_slots == 0)
		return;
	most = most_processes(view, table);
	left = widget->slots[widget->n_slots - 1].x + widget->slots[widget->n_slots - 1].width + CANVAS_GAP;
	for (int y = 0; y < widget->page && widget->place.top + (size_t)y < view->n_rows; y++) {
		const void *row = view->rows[widget->place.top + (size_t)y];
		double share = table_number(table, row, "processes") / most;
		int cells = share > 0 ? (int)ceil(share * (canvas->width - left)) : 0;

		canvas_fill(canvas, widget->heading_y - canvas->top + 1 + y, left, STYLE_SERIES,
			    canvas->glyphs->ascii ? '#' : 0x2588, cells);
	}
}
