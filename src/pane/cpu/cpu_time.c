/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of processes do and wait for: a bar for each process, above the table of all parts. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/units.h"
#include "pane/cpu/cpu.h"
#include "screen/graph.h"

#define TABLE_LINES_MIN 8
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

/* Below the legend, in at most half of the lines. */
static unsigned bars_room(int height)
{
	int room = height - TABLE_LINES_MIN < height / 2 ? height - TABLE_LINES_MIN : height / 2;

	if (room <= 1)
		return 0;
	return room - 1 < BARS_MAX ? (unsigned)room - 1 : BARS_MAX;
}

void cpu_draw_time(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_TIME);
	unsigned room = bars_room(canvas->height);
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
