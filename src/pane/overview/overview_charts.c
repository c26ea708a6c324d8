/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the charts for the room, and draws each below its name, its number and what its colours mean. */
#include <config.h>

#include "pane/overview/overview_charts.h"

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/cpu_parts.h"
#include "screen/graph.h"
#include "screen/levels.h"

#define SPAN_SECONDS 300
#define SCREEN_CELLS_MIN 120
#define SCREEN_LINES_MIN 34
#define CHART_CELLS_MIN 40
#define CHART_LINES_MIN 7
#define CHART_LINES_MAX 12
#define SHARE_OF_LINES 4 /* charts take this part of the lines, lists the rest */
#define LISTS_LINES_MIN 10
#define NOTICEABLE 0.005 /* a part of this share is named */
#define ROOM_ABOVE 1.1   /* the highest value of an axis without an end of its own does not touch it */

/* How the past of a gauge is drawn, by its series. */
struct kind {
	unsigned rank;                            /* 0: it has no chart; else the lowest comes first */
	enum overview_series series[2];           /* of two parts … */
	const char *names[2];                     /* … and their names; NULL: a single area */
	char *(*label)(char *text, double value); /* ends of its axis */
	bool decimal;                             /* round are tens, not powers of two */
	double least_end; /* of its axis: what an idle machine does is flat, not mountains */
};

static char *number_label(char *text, double value)
{
	return fixed_text(text, value, value < 10 ? 1 : 0);
}

static char *percent_label(char *text, double value)
{
	snprintf(text, VALUE_TEXT_MAX, "%.0f%%", 100 * value);
	return text;
}

static const struct kind kinds[N_OVERVIEW_SERIES] = {
	[OVERVIEW_SERIES_BUSY] = { .rank = 1, .label = percent_label },
	[OVERVIEW_SERIES_SCOPE_CPU] = { .rank = 1, .label = number_label },
	[OVERVIEW_SERIES_CONTAINER_CPU] = { .rank = 1, .label = number_label },
	[OVERVIEW_SERIES_USED] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_SCOPE_MEMORY] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_CONTAINER_MEMORY] = { .rank = 2, .label = size_short },
	[OVERVIEW_SERIES_DISK] = { 3,
				   { OVERVIEW_SERIES_READ, OVERVIEW_SERIES_WRITTEN },
				   { N_("read"), N_("write") },
				   size_short,
				   false,
				   1 << 20 },
	[OVERVIEW_SERIES_NETWORK] = { 3,
				      { OVERVIEW_SERIES_NETWORK, OVERVIEW_SERIES_SENT },
				      { N_("receive"), N_("send") },
				      rate_short,
				      true,
				      1e6 },
	[OVERVIEW_SERIES_SCOPE_READ] = { .rank = 3, .label = size_short, .least_end = 1 << 20 },
	[OVERVIEW_SERIES_GPU] = { .rank = 4, .label = percent_label },
	[OVERVIEW_SERIES_LOAD] = { .rank = 5, .label = number_label, .decimal = true, .least_end = 1 },
	[OVERVIEW_SERIES_POWER] = { .rank = 6, .label = watts_text, .decimal = true },
};

static const struct kind *kind_of(const struct overview_gauge *gauge)
{
	return gauge->series >= 0 ? &kinds[gauge->series] : NULL;
}

static struct graph_line_scale scale_of(const struct pane_context *context,
					const struct overview_gauge *gauge)
{
	return (struct graph_line_scale){
		.now_ns = context->frame->mono_ns,
		.span_seconds = SPAN_SECONDS,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = gauge->most,
		.style = STYLE_USAGE,
	};
}

/* The highest value of a series on this canvas; 0 if none is known. */
static double highest(const struct pane_context *context, const struct canvas *canvas, unsigned series,
		      const struct graph_line_scale *scale)
{
	double most = graph_line_range(canvas, &context->history, series, scale).most;

	return most > 0 ? most : 0;
}

/* The end of an axis for values up to most: round, and a little higher. */
static double end_of_axis(const struct kind *kind, double most)
{
	static const double rounds[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double wanted = fmax(most * ROOM_ABOVE, kind->least_end), unit = pow(10, floor(log10(wanted)));

	if (!(wanted > 0))
		return 1;
	if (!kind->decimal)
		return levels_fit(0, wanted, 0).top;
	for (unsigned i = 0; i + 1 < sizeof(rounds) / sizeof(rounds[0]); i++)
		if (rounds[i] * unit >= wanted)
			return rounds[i] * unit;
	return 10 * unit;
}

/* Bytes per second at most lately, to compare disks with interfaces. */
static double traffic(const struct pane_context *context, const struct canvas *canvas,
		      const struct overview_gauge *gauge)
{
	const struct kind *kind = kind_of(gauge);
	struct graph_line_scale scale = scale_of(context, gauge);
	double sum = 0;

	for (unsigned i = 0; i < 2; i++)
		sum += highest(context, canvas, kind->series[i], &scale);
	return gauge->series == OVERVIEW_SERIES_NETWORK ? sum / 8 : sum;
}

/* Does the chart of one come before that of other? */
static bool precedes(const struct pane_context *context, const struct canvas *canvas,
		     const struct overview_gauge *one, const struct overview_gauge *other)
{
	const struct kind *a = kind_of(one), *b = kind_of(other);

	if (a->rank == b->rank && a->names[0] && b->names[0])
		return traffic(context, canvas, one) > traffic(context, canvas, other);
	return a->rank < b->rank;
}

bool overview_charts_fit(const struct canvas *canvas)
{
	return canvas->width >= SCREEN_CELLS_MIN && canvas->height >= SCREEN_LINES_MIN;
}

bool overview_charts_show(const struct overview_charts *charts, unsigned gauge)
{
	for (unsigned i = 0; i < charts->n; i++)
		if (charts->of[i] == gauge)
			return true;
	return false;
}

struct overview_charts overview_charts_choose(const struct pane_context *context, const struct canvas *canvas,
					      int lines, const struct overview_gauge *gauges,
					      unsigned n_gauges)
{
	struct overview_charts charts = { .large = overview_charts_fit(canvas) };
	unsigned most = (unsigned)(canvas->width / CHART_CELLS_MIN);
	int wanted = lines / SHARE_OF_LINES;
	struct canvas plot = canvas_part(canvas, 0, 0, 1, CHART_CELLS_MIN);

	wanted = wanted < CHART_LINES_MIN ? CHART_LINES_MIN : wanted;
	if (!charts.large || lines < wanted + LISTS_LINES_MIN)
		return charts;
	for (unsigned i = 0; i < n_gauges && charts.n < OVERVIEW_CHARTS_MAX; i++) {
		unsigned at = charts.n;

		if (!kind_of(&gauges[i]) || !kind_of(&gauges[i])->rank)
			continue;
		for (; at > 0 && precedes(context, &plot, &gauges[i], &gauges[charts.of[at - 1]]); at--)
			charts.of[at] = charts.of[at - 1];
		charts.of[at] = i;
		charts.n++;
	}
	charts.n = charts.n < most ? charts.n : most;
	charts.lines = charts.n == 0 ? 0 : wanted < CHART_LINES_MAX ? wanted : CHART_LINES_MAX;
	return charts;
}

/* "CPU 74 %", and room behind it for what colours mean. */
static int draw_name(const struct canvas *canvas, const struct overview_gauge *gauge)
{
	int x = canvas_text(canvas, 0, 0, STYLE_STRONG, gauge->name, -1) + 1;

	if (*gauge->value == ' ')
		return x + 1;
	return x +
	       canvas_text(canvas, 0, x, graph_grade_style(gauge->grade, STYLE_STRONG), gauge->value, -1) +
	       CANVAS_GAP;
}

/* "█ user 61", as far as it fits; without the gap of pieces, since a glyph begins each. */
static int draw_key(const struct canvas *canvas, int x, const struct graph_part *part, const char *value)
{
	char text[TEXT_MAX];
	int end;

	snprintf(text, sizeof(text), "%s %s", part->label, value);
	end = canvas_piece(canvas, 0, x + 2, STYLE_NORMAL, text);
	if (end == x + 2)
		return x;
	graph_key(canvas, 0, x, part);
	return end - 1;
}

static void draw_cpu(const struct pane_context *context, const struct canvas *canvas, int x)
{
	const struct table *table = frame_table(context->frame, "cpu");
	const struct graph_scale scale = {
		.whole = GRAPH_OF_ONE,
		.top_label = "100%",
		.now_ns = context->frame->mono_ns,
		.span_seconds = SPAN_SECONDS,
		.step_seconds = context_step_seconds(context),
	};
	struct canvas plot = canvas_below(canvas, 1);
	struct graph_part parts[N_CPU_PARTS];
	char number[VALUE_TEXT_MAX];

	cpu_parts_fill(table, table_find(table, "all", NULL), context->pane->series, OVERVIEW_SERIES_PARTS,
		       parts);
	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		if (parts[i].value >= NOTICEABLE)
			x = draw_key(canvas, x, &parts[i], fixed_text(number, 100 * parts[i].value, 0));
	graph_stacked(&plot, &context->history, parts, N_CPU_PARTS, &scale);
}

/* Two parts of traffic, on an axis that holds both at their highest. */
static void draw_traffic(const struct pane_context *context, const struct canvas *canvas,
			 const struct overview_gauge *gauge, int x)
{
	const struct kind *kind = kind_of(gauge);
	const struct graph_line_scale line = scale_of(context, gauge);
	struct canvas below = canvas_below(canvas, 1), plot = graph_area_plot(&below);
	struct graph_scale scale = {
		.whole = GRAPH_OF_ONE,
		.now_ns = line.now_ns,
		.span_seconds = SPAN_SECONDS,
		.step_seconds = line.step_seconds,
	};
	struct graph_part parts[2];
	char number[VALUE_TEXT_MAX], top[VALUE_TEXT_MAX];

	for (unsigned i = 0; i < 2; i++) {
		const struct series *series = &context->pane->series[kind->series[i]];

		parts[i] = (struct graph_part){
			.letter = *kind->names[i],
			.look = i,
			.label = _(kind->names[i]),
			.series = kind->series[i],
			.value = frame_number(context->frame, series->topic, series->row, series->column),
		};
		scale.top += highest(context, &plot, kind->series[i], &line);
		x = draw_key(canvas, x, &parts[i], kind->label(number, parts[i].value));
	}
	scale.top = end_of_axis(kind, scale.top);
	scale.top_label = kind->label(top, scale.top);
	graph_stacked(&below, &context->history, parts, 2, &scale);
}

static void draw_area(const struct pane_context *context, const struct canvas *canvas,
		      const struct overview_gauge *gauge, int x)
{
	struct graph_line_scale scale = scale_of(context, gauge);
	struct canvas below = canvas_below(canvas, 1), plot = graph_area_plot(&below);
	unsigned series = (unsigned)gauge->series;

	canvas_piece(canvas, 0, x, STYLE_NORMAL, gauge->text);
	if (isnan(scale.most))
		scale.most = end_of_axis(kind_of(gauge), highest(context, &plot, series, &scale));
	graph_area(&below, &context->history, series, &scale, kind_of(gauge)->label);
}

static void draw_chart(const struct pane_context *context, const struct canvas *canvas,
		       const struct overview_gauge *gauge)
{
	int x = draw_name(canvas, gauge);

	if (gauge->series == OVERVIEW_SERIES_BUSY)
		draw_cpu(context, canvas, x);
	else if (kind_of(gauge)->names[0])
		draw_traffic(context, canvas, gauge, x);
	else
		draw_area(context, canvas, gauge, x);
}

void overview_charts_draw(const struct pane_context *context, const struct canvas *canvas,
			  const struct overview_charts *charts, const struct overview_gauge *gauges)
{
	for (int i = 0; i < (int)charts->n; i++) {
		int left = i * (canvas->width + CANVAS_GAP) / (int)charts->n;
		int right = (i + 1) * (canvas->width + CANVAS_GAP) / (int)charts->n - CANVAS_GAP;
		struct canvas part = canvas_part(canvas, 0, left, charts->lines, right - left);

		draw_chart(context, &part, &gauges[charts->of[i]]);
	}
}
