/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bar for each CPU where there is room, else its number, else a cell. */
#include <config.h>

#include "pane/overview/overview_cpus.h"

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"
#include "pane/overview/overview_gauge.h"
#include "screen/graph.h"

#define NUMBER_CELLS 13  /* number, share and gap */
#define BAR_CELLS_MIN 20 /* number, bar, share and gap */
#define BAR_LINES_MAX 4
#define NAME_CELLS 3
#define SHARE_CELLS 5

static const struct table *cpus(const struct pane_context *context, int *count)
{
	const struct table *table = frame_table(context->frame, "cpu");

	*count = table && table->n_rows > 1 ? (int)table->n_rows - 1 : 0;
	return table;
}

/* The lines of bars; 0: there are too many CPUs. */
static int bar_lines(const struct canvas *canvas, int name_cells, int count)
{
	int beside = (canvas->width - name_cells) / BAR_CELLS_MIN;
	int lines = beside > 0 ? (count + beside - 1) / beside : 0;

	return lines <= BAR_LINES_MAX ? lines : 0;
}

int overview_cpus_lines(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large)
{
	int count, lines;

	if (!overview_shows_cpus(context->frame))
		return 0;
	(void)cpus(context, &count);
	lines = large ? bar_lines(canvas, name_cells, count) : 0;
	return lines > 0 ? lines : 1;
}

/* "0 ████▌··  73 %" */
static void draw_bar(const struct canvas *canvas, const char *name, double busy, enum grade grade)
{
	int bar = canvas->width - NAME_CELLS - SHARE_CELLS - 2;
	char share[VALUE_TEXT_MAX];

	canvas_right(canvas, 0, 0, NAME_CELLS, STYLE_DIM, name);
	graph_bar_graded(canvas, 0, NAME_CELLS + 1, bar, busy, grade);
	overview_percent(share, busy);
	canvas_right(canvas, 0, canvas->width - SHARE_CELLS, SHARE_CELLS,
		     graph_grade_style(grade, STYLE_NORMAL), share);
}

static void draw_number(const struct canvas *canvas, const char *name, double busy, enum grade grade)
{
	char text[TEXT_MAX], share[VALUE_TEXT_MAX];

	overview_percent(share, busy);
	snprintf(text, sizeof(text), "%s %6s", name, share);
	canvas_right(canvas, 0, 0, canvas->width, graph_grade_style(grade, STYLE_NORMAL), text);
}

void overview_cpus_draw(const struct pane_context *context, const struct canvas *canvas, int name_cells,
			bool large)
{
	int count, lines;
	const struct table *table = cpus(context, &count);
	struct canvas right = canvas_part(canvas, 0, name_cells, canvas->height, canvas->width);
	double limit = findings_limit(context->findings, "cpu_busy_ratio");
	enum grade all = grade_of_rules(context->frame, "cpu_busy|run_queue", false);
	bool numbers = count * NUMBER_CELLS <= right.width;
	int beside, width;

	lines = large ? bar_lines(canvas, name_cells, count) : 0;
	beside = lines > 0 ? (count + lines - 1) / lines : count;
	width = lines > 0 ? right.width / beside : numbers ? NUMBER_CELLS : 1;
	canvas_text(canvas, 0, 0, STYLE_STRONG, _("each"), name_cells);
	for (int i = 0; i < count; i++) {
		const void *row = table_row(table, (size_t)i + 1);
		double busy = table_number(table, row, "busy_ratio");
		enum grade grade = busy >= limit ? all : GRADE_CALM;
		struct canvas part = canvas_part(&right, i / beside, i % beside * width, 1,
						 width > CANVAS_GAP ? width - CANVAS_GAP : width);

		if (lines > 0)
			draw_bar(&part, table_text(table, row, "cpu"), busy, grade);
		else if (numbers)
			draw_number(&part, table_text(table, row, "cpu"), busy, grade);
		else
			graph_level(&part, 0, 0, graph_grade_fill(grade, STYLE_USAGE), busy);
	}
}
