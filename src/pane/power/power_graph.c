/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of the power pane: a line each, between its own minimum and maximum, and what follows the load.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"
#include "model/units.h"
#include "pane/power/power.h"
#include "pane/power/power_story.h"
#include "screen/graph.h"
#include "screen/past/graph_time.h"

#define LABEL_CELLS_MIN 11
#define GRAPH_CELLS_MIN 20
#define NUMBER_CELLS 6
#define LINE_ROWS 2
#define LINE_ROWS_MAX 3 /* on a tall screen */
#define TALL 40
#define NARROW 60
#define POINTS_MAX 300 /* for correlations */
#define POINTS_MIN 16

/* The moments at which all series are read. */
struct window {
	uint64_t step_ns, hold_ns;
	size_t count;
};

/* Points between two samples carry no information. */
static struct window make_window(const struct pane_context *context)
{
	double sample = context_step_seconds(context), span = power_span(context), step = sample;
	size_t count = POINTS_MAX;

	if (span > 0) {
		step = fmax(sample, span / POINTS_MAX);
		count = (size_t)(span / step);
	}
	return (struct window){
		.step_ns = (uint64_t)(step * 1e9),
		.hold_ns = (uint64_t)(HISTORY_HOLD_STEPS * step * 1e9),
		.count = count < POINTS_MAX ? count : POINTS_MAX,
	};
}

static void take_values(const struct pane_context *context, const struct window *window,
			const struct graph_series *line, double *values)
{
	history_resample(&context->history, line->index, context->frame->mono_ns, window->step_ns,
			 window->hold_ns, values, window->count);
}

static struct graph_line_scale scale_of(const struct pane_context *context, unsigned color)
{
	return (struct graph_line_scale){
		.now_ns = context->frame->mono_ns,
		.span_seconds = power_span(context),
		.step_seconds = context_step_seconds(context),
		.least = NAN,
		.most = NAN,
		.style = (enum style)(STYLE_SERIES + color % STYLE_SERIES_COUNT),
	};
}

/* A change below this is noise: it stays in the middle. */
static double least_range(const struct graph_series *line)
{
	return line->index == POWER_SERIES_LOAD    ? 0.02
	       : line->index == POWER_SERIES_WATTS ? 0.2
	       : line->index == POWER_SERIES_HERTZ ? 50e6
						   : 2;
}

/* A value of this line without its unit, which stands in the label. */
static char *number_of(const struct graph_series *line, char *text, double value)
{
	switch (line->index) {
	case POWER_SERIES_LOAD:
		return fixed_text(text, 100 * value, 0);
	case POWER_SERIES_WATTS:
		return fixed_text(text, value, 1);
	case POWER_SERIES_HERTZ:
		return fixed_text(text, value / 1e9, 2);
	default:
		return fixed_text(text, value, 0);
	}
}

/* Behind the name of a line. */
static const char *unit_of(const struct graph_series *line, bool ascii)
{
	switch (line->index) {
	case POWER_SERIES_LOAD:
		return " %";
	case POWER_SERIES_WATTS:
		return "";
	case POWER_SERIES_HERTZ:
		return " GHz";
	default:
		return ascii ? " C" : " °C";
	}
}

static int label_cells(const struct graph_series *line, bool ascii)
{
	return utf8_cells(line->label, ascii) + utf8_cells(unit_of(line, ascii), ascii);
}

/* Cells before the lines: the longest label, within bounds, and a number. */
static int left_cells(const struct pane_context *context, const struct canvas *canvas)
{
	const struct power_state *power = context->state;
	int longest = LABEL_CELLS_MIN;
	int most = canvas->width / (canvas->width < NARROW ? 2 : 3) - NUMBER_CELLS - 1;

	for (unsigned i = 0; i < power->n_graph_series; i++) {
		int cells = label_cells(&power->graph_series[i], canvas->ascii);

		if (graph_series_shown(context, &power->graph_series[i]) && cells > longest)
			longest = cells;
	}
	return 1 + (longest < most ? longest : most) + NUMBER_CELLS + 1;
}

static void draw_label(const struct canvas *canvas, const struct graph_series *line, int cells)
{
	const char *unit = unit_of(line, canvas->ascii);
	int name = utf8_cells(line->label, canvas->ascii), room = cells - utf8_cells(unit, canvas->ascii);

	canvas_cut(canvas, 0, 1, STYLE_NORMAL, line->label, room);
	canvas_text(canvas, 0, 1 + (name < room ? name : room), STYLE_NORMAL, unit, -1);
}

static bool is_known(const struct graph_range *range)
{
	return !isnan(range->least);
}

static struct graph_range range_of(const struct pane_context *context, const struct canvas *plot,
				   const struct graph_series *line)
{
	struct graph_line_scale scale = scale_of(context, 0);

	return graph_line_range(plot, &context->history, line->index, &scale);
}

/* The label and the maximum, below them the current value and the minimum. */
static void draw_numbers(const struct canvas *canvas, int left, const struct graph_series *line,
			 const struct graph_range *range)
{
	char number[VALUE_TEXT_MAX];
	int right = left - NUMBER_CELLS - 1;

	draw_label(canvas, line, right - 1);
	if (canvas->height < 2) {
		canvas_right(canvas, 0, right, NUMBER_CELLS, STYLE_STRONG,
			     number_of(line, number, range->latest));
		return;
	}
	canvas_right(canvas, 0, right, NUMBER_CELLS, STYLE_DIM, number_of(line, number, range->most));
	canvas_right(canvas, canvas->height - 1, right, NUMBER_CELLS, STYLE_DIM,
		     number_of(line, number, range->least));
	canvas_right(canvas, canvas->height - 1, 0, right - 1, STYLE_STRONG,
		     number_of(line, number, range->latest));
}

static struct canvas plot_of(const struct pane_context *context, const struct canvas *canvas)
{
	int left = left_cells(context, canvas);

	return canvas_part(canvas, 0, left, canvas->height, canvas->width - left);
}

static void draw_line(const struct pane_context *context, const struct canvas *canvas,
		      const struct graph_series *line)
{
	const struct power_state *power = context->state;
	struct graph_line_scale scale = scale_of(context, (unsigned)(line - power->graph_series));
	struct canvas plot = plot_of(context, canvas);
	struct graph_range range = range_of(context, &plot, line);

	if (range.most - range.least < least_range(line)) {
		scale.least = (range.least + range.most - least_range(line)) / 2;
		scale.most = scale.least + least_range(line);
	}
	draw_numbers(canvas, canvas->width - plot.width, line, &range);
	graph_line(&plot, &context->history, line->index, &scale);
}

static bool any_shown(const struct pane_context *context)
{
	const struct power_state *power = context->state;

	for (unsigned i = 0; i < power->n_graph_series; i++)
		if (graph_series_shown(context, &power->graph_series[i]))
			return true;
	return false;
}

/* Lines that are shown and have a known value, at most GRAPH_SERIES_MAX. */
static unsigned choose_lines(const struct pane_context *context, const struct canvas *canvas,
			     const struct graph_series **lines)
{
	const struct power_state *power = context->state;
	struct canvas plot = plot_of(context, canvas);
	unsigned n = 0;

	for (unsigned i = 0; i < power->n_graph_series; i++) {
		const struct graph_series *line = &power->graph_series[i];
		struct graph_range range = range_of(context, &plot, line);

		if (graph_series_shown(context, line) && is_known(&range))
			lines[n++] = line;
	}
	return n;
}

/* How one line follows the load. */
static struct power_relation relate(const struct pane_context *context, const struct window *window,
				    const double *load, const struct graph_series *line)
{
	double values[POINTS_MAX];
	struct lag lag;

	take_values(context, window, line, values);
	lag = lag_find(load, values, window->count, window->count / 4);
	return (struct power_relation){
		.kind = line->index == POWER_SERIES_WATTS   ? "watts"
			: line->index == POWER_SERIES_HERTZ ? "clock"
							    : "heat",
		.label = line->label,
		.correlation = lag.correlation,
		.lag_seconds = (double)lag.steps * (double)window->step_ns / 1e9,
	};
}

static void tell_relations(const struct pane_context *context, const struct graph_series *const *lines,
			   unsigned n_lines, struct buffer *text)
{
	const struct power_state *power = context->state;
	struct window window = make_window(context);
	struct power_relation relations[GRAPH_SERIES_MAX];
	struct statistics range = { 0 };
	double load[POINTS_MAX];
	unsigned n = 0;

	if (window.count < POINTS_MIN)
		return;
	take_values(context, &window, &power->graph_series[GRAPH_SERIES_LOAD], load);
	for (size_t i = 0; i < window.count; i++)
		statistics_add(&range, load[i], 1);
	for (unsigned i = 0; i < n_lines; i++)
		if (lines[i]->index != POWER_SERIES_LOAD)
			relations[n++] = relate(context, &window, load, lines[i]);
	for (unsigned i = 0; i < n; i++)
		relations[i].load_range = range.count > 0 ? range.maximum - range.minimum : 0;
	power_relations(text, relations, n);
}

/* What sentences, one per line, take. */
static int count_lines(const struct canvas *canvas, struct span rest)
{
	struct span sentence;
	int lines = 0;

	while (span_line(&rest, &sentence))
		lines += canvas_lines(canvas, sentence);
	return lines;
}

/* Seconds of the past that the lines show: at most what is kept. */
static double shown_seconds(const struct pane_context *context, const struct canvas *plot)
{
	const struct history *history = &context->history;
	int columns = plot->glyphs->braille ? 2 * plot->width : plot->width;
	struct graph_time time = graph_time_of(history, context->frame->mono_ns, power_span(context),
					       context_step_seconds(context), columns);
	uint64_t oldest_ns =
		history->count > 0 ? history_clock(history, history_time(history, 0)) : time.now_ns;

	return time.now_ns > oldest_ns ? fmin(time.seconds * columns, (double)(time.now_ns - oldest_ns) / 1e9)
				       : 0;
}

/* "each graph has its own scale ──── last 5 min" */
static void draw_title(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas plot = plot_of(context, canvas);
	char span[VALUE_TEXT_MAX], right[TEXT_MAX];

	snprintf(right, sizeof(right), _("last %s"), stretch_text(span, shown_seconds(context, &plot)));
	canvas_rule(canvas, 0,
		    canvas->width < NARROW ? _("own scales") : _("each graph has its own scale"),
		    right);
}

/* Lines are dropped from the end where there is no room. */
int power_graph_draw(const struct pane_context *context, const struct canvas *canvas)
{
	const struct graph_series *lines[GRAPH_SERIES_MAX];
	unsigned n_lines = choose_lines(context, canvas, lines);
	struct buffer sentences = BUFFER_HERE;
	int room, rows, y = 1;

	if (canvas->height < 2 || canvas->width < GRAPH_CELLS_MIN)
		return 0;
	draw_title(context, canvas);
	if (n_lines == 0) {
		canvas_text(canvas, 1, 0, STYLE_DIM,
			    any_shown(context)
				    ? _("nothing known to draw yet")
				    : _("no line is shown: o chooses lines, Space in Sensors temperatures"),
			    -1);
		return 2;
	}
	tell_relations(context, lines, n_lines, &sentences);
	room = canvas->height - 1;
	rows = (room - count_lines(canvas, span_of(sentences.bytes, sentences.length))) / (int)n_lines;
	if (rows < LINE_ROWS) /* better without a sentence */
		rows = room / (int)n_lines < LINE_ROWS ? room / (int)n_lines : LINE_ROWS;
	rows = rows < 1 ? 1 : canvas->height < TALL && rows > LINE_ROWS ? LINE_ROWS : rows;
	rows = rows < LINE_ROWS_MAX ? rows : LINE_ROWS_MAX;
	for (unsigned i = 0; i < n_lines && y + rows <= canvas->height; i++, y += rows) {
		struct canvas part = canvas_rows(canvas, y, rows);

		draw_line(context, &part, lines[i]);
	}
	y += canvas_wrapped_lines(canvas, y, STYLE_NORMAL, span_of(sentences.bytes, sentences.length));
	buffer_free(&sentences);
	return y;
}
