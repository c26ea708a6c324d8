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
#include "pane/processes.h"
#include "screen/graph.h"

#define TIME_LINES_MIN 8
#define BARS_MAX 64
#define NAME_CELLS 16
#define NUMBER_CELLS 7
#define LEAST 0.0005 /* of one thread */

/* Without sleep, which is what a bar leaves out. */
static const struct graph_part time_parts[] = {
	{ .letter = 'R', .look = 0, .label = N_("running") },
	{ .letter = 'W', .look = 1, .label = N_("ready") },
	{ .letter = 'D', .look = 2, .label = N_("disk") },
	{ .letter = 'M', .look = 3, .label = N_("memory") },
	{ .letter = 'L', .look = 4, .label = N_("lock") },
	{ .letter = 'O', .look = 5, .label = N_("other") },
};
static const char *const part_names[] = { "running", "ready", "disk", "memory", "lock", "other" };
#define N_PARTS (sizeof(time_parts) / sizeof(time_parts[0]))
#define LOCK 4

struct time_bar {
	double pid, awake; /* awake: threads that did not sleep, on average … */
	double busy;       /* … and did not wait for a lock, as idle ones of a pool do, too */
	const char *command;
	double values[N_PARTS];
};

static void add_part(struct time_bar *bar, const struct table *table, const void *row)
{
	const char *name = table_text(table, row, "part");
	double value = table_number(table, row, "ratio");

	for (unsigned part = 0; part < N_PARTS; part++)
		if (strcmp(name, part_names[part]) == 0 && value > 0) {
			bar->values[part] = value;
			bar->awake += value;
			bar->busy += part == LOCK ? 0 : value;
		}
}

/* Keeps those that did most, in order. */
static unsigned insert(struct time_bar *bars, unsigned n_bars, unsigned room, const struct time_bar *bar)
{
	unsigned at = n_bars < room ? n_bars++ : n_bars;

	for (; at > 0 && bars[at - 1].busy < bar->busy; at--)
		if (at < room)
			bars[at] = bars[at - 1];
	if (at < room)
		bars[at] = *bar;
	return n_bars;
}

/* The rows of a process follow each other. */
static unsigned find_bars(const struct table *table, struct time_bar *bars, unsigned room)
{
	struct time_bar bar = { .pid = NAN };
	unsigned n_bars = 0;

	for (size_t i = 0; i <= table->n_rows; i++) {
		const void *row = i < table->n_rows ? table_row(table, i) : NULL;
		double pid = row ? table_number(table, row, "pid") : NAN;

		if (pid != bar.pid) {
			if (bar.busy >= LEAST)
				n_bars = insert(bars, n_bars, room, &bar);
			bar = (struct time_bar){ .pid = pid,
						 .command = row ? table_text(table, row, "command") : "" };
		}
		if (row)
			add_part(&bar, table, row);
	}
	return n_bars;
}

static void draw_bar(const struct canvas *canvas, int y, const struct time_bar *bar, double whole)
{
	struct graph_part parts[N_PARTS];
	char number[VALUE_TEXT_MAX];
	int x = NAME_CELLS + 1;

	for (unsigned part = 0; part < N_PARTS; part++) {
		parts[part] = time_parts[part];
		parts[part].value = bar->values[part];
	}
	canvas_cut(canvas, y, 0, STYLE_NORMAL, bar->command, NAME_CELLS);
	canvas_right(canvas, y, x, NUMBER_CELLS, STYLE_DIM, fixed_text(number, bar->pid, 0));
	x += NUMBER_CELLS + 1;
	canvas_right(canvas, y, x, NUMBER_CELLS, STYLE_NORMAL, fixed_text(number, bar->awake, 2));
	x += NUMBER_CELLS + 1;
	if (canvas->width > x)
		graph_bar(canvas, y, x, canvas->width - x, parts, N_PARTS, whole);
}

static void draw_legend(const struct canvas *canvas, const struct time_bar *bars, unsigned n_bars)
{
	struct graph_part parts[N_PARTS];
	double whole = 0;

	for (unsigned part = 0; part < N_PARTS; part++) {
		parts[part] = time_parts[part];
		parts[part].label = _(time_parts[part].label);
		parts[part].value = 0;
		for (unsigned i = 0; i < n_bars; i++)
			parts[part].value += bars[i].values[part];
		whole += parts[part].value;
	}
	graph_legend(canvas, 0, parts, N_PARTS, whole, NULL);
}

void cpu_draw_time(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_TIME);
	/* below the legend, in at most half of the lines */
	int left = canvas->height - TIME_LINES_MIN, half = canvas->height / 2;
	int lines = left < half ? left : half;
	unsigned room = lines <= 1 ? 0 : lines - 1 < BARS_MAX ? (unsigned)lines - 1 : BARS_MAX;
	struct time_bar bars[BARS_MAX];
	struct canvas rest;
	unsigned n_bars;
	double whole = 1;
	int y;

	n_bars = table && room > 0 ? find_bars(table, bars, room) : 0;
	for (unsigned i = 0; i < n_bars; i++)
		whole = fmax(whole, bars[i].awake);
	if (n_bars > 0)
		draw_legend(canvas, bars, n_bars);
	for (unsigned i = 0; i < n_bars; i++)
		draw_bar(canvas, (int)i + 1, &bars[i], whole);
	y = n_bars > 0 ? (int)n_bars + 1 : 0;
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(context, &rest, CPU_TABLE_TIME,
			    _("time of the threads of each process, by part"));
}

#define DEVICES_MIN 3 /* lines, with title and heading */
#define PROCESSES_MIN 4

/* Adds " in the last 1.0 s", or " in 1.0 s" where it is not wide. */
static void cpu_add_interval(const struct pane_context *context, bool wide, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;
	size_t length = strlen(text);

	if (context->frame->interval_ns > 0)
		snprintf(text + length, room - length, wide ? _(" in the last %.1f s") : _(" in %.1f s"),
			 seconds);
}

void cpu_note_gpu(struct cpu_state *cpu, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "gpu");

	if (table)
		cpu->has_gpu = table->n_rows > 0;
}

bool cpu_lacks_gpu(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return !cpu->has_gpu;
}

void cpu_draw_gpus(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = frame_table(context->frame, "gpu");
	int wanted = 2 + table_height(&context->tables[CPU_TABLE_GPU]), most = canvas->height / 2;
	struct canvas devices, processes;
	char title[TEXT_MAX];

	if (!table || table->n_rows == 0) {
		context_draw_titled(context, canvas, CPU_TABLE_GPU, _("graphics processors"));
		return;
	}
	wanted = wanted < most ? wanted : most;
	if (wanted < DEVICES_MIN || canvas->height - wanted < PROCESSES_MIN)
		wanted = 0;
	devices = canvas_rows(canvas, 0, wanted);
	processes = canvas_below(canvas, wanted);
	if (wanted > 0)
		context_draw_titled(context, &devices, CPU_TABLE_GPU, _("graphics processors"));
	snprintf(title, sizeof(title), "%s",
		 context->view == CPU_VIEW_GPU ? _("processes that use them") : _("engines by process"));
	cpu_add_interval(context, true, title, sizeof(title));
	context_draw_titled(context, &processes, context->pane->views[context->view].table, title);
}

#define TABLE_LINES_MIN 4
#define COUNTED_LINES_MIN 5 /* with its title; to explain why there are no counters */
#define WIDE 60             /* cells: titles may be sentences */

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

static void list_title(const struct pane_context *context, bool wide, char *text, size_t room)
{
	const struct cpu_state *cpu = context->state;
	const char *user = context->request->shown_user;
	size_t length;

	*text = '\0';
	if (user)
		snprintf(text, room, "%s: ", user);
	length = strlen(text);
	chosen_title(context, wide, user, text + length, room - length);
	if ((wide || !user) && context->view != CPU_VIEW_NETWORK)
		cpu_add_interval(context, wide, text, room);
	if (cpu->tags.n > 0 && cpu_has_processes(context->focus))
		snprintf(text + strlen(text), room - strlen(text), _("; %zu tagged"), cpu->tags.n);
	/* the view All shows more */
	if (wide && context->view == CPU_VIEW_PROCESSES && !context->request->processes &&
	    !context->settings->cpu.tree && isnan(context->settings->cpu.threshold) &&
	    !context->tables[context->focus].has_filter)
		snprintf(text + strlen(text), room - strlen(text), "%s", _("; Tab: all"));
}

static char *percent_text(char *out, double ratio)
{
	return fixed_text(out, 100 * ratio, 1);
}

void cpu_draw_list(const struct pane_context *context, struct canvas *canvas)
{
	struct canvas rest;
	char title[TEXT_MAX];
	int y;

	if (canvas->height < TABLE_LINES_MIN && context->view >= CPU_VIEW_MEMORY) {
		context_draw_table(context, canvas, context->focus);
	} else if (canvas->height < TABLE_LINES_MIN) {
		/* the total, and a line for each of the first processes */
		cpu_machine_draw_total(context, canvas);
		rest = canvas_below(canvas, 1);
		process_rows_draw_short(context, &rest, context->focus, "cpu_ratio", percent_text);
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

/* The ranges that have processes, the highest first, with a bar beside each. */
void cpu_draw_distribution(const struct pane_context *context, struct canvas *canvas)
{
	struct table_widget *widget = &context->tables[CPU_TABLE_DISTRIBUTION];
	const struct table *table = context_table(context, CPU_TABLE_DISTRIBUTION);
	const struct view *view = &widget->view;
	char title[TEXT_MAX] = "";
	double most = 0;
	int left;

	cpu_heading(context, title, sizeof(title));
	context_draw_titled(context, canvas, CPU_TABLE_DISTRIBUTION, title);
	if (!table || widget->n_slots == 0)
		return;
	for (size_t i = 0; i < view->n_rows; i++)
		most = fmax(most, table_number(table, view->rows[i], "processes"));
	left = widget->slots[widget->n_slots - 1].x + widget->slots[widget->n_slots - 1].width + CANVAS_GAP;
	for (int y = 0; y < widget->page && widget->place.top + (size_t)y < view->n_rows; y++) {
		const void *row = view->rows[widget->place.top + (size_t)y];
		double share = table_number(table, row, "processes") / most;
		int cells = share > 0 ? (int)ceil(share * (canvas->width - left)) : 0;

		canvas_fill(canvas, widget->heading_y - canvas->top + 1 + y, left, STYLE_SERIES,
			    canvas->glyphs->ascii ? '#' : 0x2588, cells);
	}
}
