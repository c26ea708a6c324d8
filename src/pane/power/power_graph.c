/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of the power pane: series scaled to their own ranges, and which of them follows which. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"
#include "model/units.h"
#include "pane/power/power.h"
#include "screen/line_plot.h"
#include "screen/text_flow.h"

#define CELLS_MAX 512
#define POINTS_MAX 300 /* for correlations */
#define POINTS_MIN 16
#define SENTENCES_MAX 16
#define SHOWN_MAX 12 /* at a time */
#define RELATED 0.3  /* |r| below this says little */

struct sentences {
	char texts[SENTENCES_MAX][512];
	unsigned count;
};

/* The moments at which all series are read. */
struct window {
	uint64_t end_ns, step_ns, hold_ns;
	size_t count;
};

/* One moment per cell or point; a sample is valid until the next one should have come. */
static struct window make_window(const struct pane_context *context, size_t count, bool at_samples)
{
	double sample = context_step_seconds(context), step = sample;

	if (power_span(context) > 0)
		step = power_span(context) / (double)count;
	if (at_samples && step < sample && power_span(context) > 0) {
		step = sample; /* points between two samples carry no information */
		count = (size_t)(power_span(context) / step);
	}
	return (struct window){
		.end_ns = context->frame->mono_ns,
		.step_ns = (uint64_t)(step * 1e9),
		.hold_ns = (uint64_t)(HISTORY_HOLD_STEPS * fmax(sample, step) * 1e9),
		.count = count,
	};
}

static void take_values(const struct pane_context *context, const struct window *window,
			const struct graph_series *line, double *values)
{
	double waiting[CELLS_MAX];

	history_resample(&context->history, line->index, window->end_ns, window->step_ns, window->hold_ns,
			 values, window->count);
	if (line->index != POWER_SERIES_IDLE)
		return;
	history_resample(&context->history, POWER_SERIES_WAITING, window->end_ns, window->step_ns,
			 window->hold_ns, waiting, window->count);
	for (size_t i = 0; i < window->count; i++)
		values[i] = cpu_busy_ratio(values[i], waiting[i]);
}

/* To 0 … 1 over the visible range; a constant series is drawn in the middle. */
static struct statistics normalise(double *values, size_t count)
{
	struct statistics range = { 0 };

	for (size_t i = 0; i < count; i++)
		statistics_add(&range, values[i], 1);
	for (size_t i = 0; i < count; i++)
		values[i] = range.maximum > range.minimum
				    ? (values[i] - range.minimum) / (range.maximum - range.minimum)
				    : values[i] * 0 + 0.5;
	return range;
}

/* A value of this line with its unit. */
static void value_of_line(const struct graph_series *line, char text[VALUE_TEXT_MAX], double value,
			  bool ascii)
{
	switch (line->index) {
	case POWER_SERIES_IDLE:
		snprintf(text, VALUE_TEXT_MAX, "%.0f %%", 100 * value);
		break;
	case POWER_SERIES_WATTS:
		watts_text(text, value);
		break;
	case POWER_SERIES_HERTZ:
		hertz_text(text, value);
		break;
	default:
		celsius_text(text, value, ascii);
	}
}

/* "55-66 °C", or "55 °C" if there is no visible change. */
static void range_text(const struct graph_series *line, const struct statistics *range, char *text,
		       size_t room, bool ascii)
{
	char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];

	value_of_line(line, low, range->minimum, ascii);
	value_of_line(line, high, range->maximum, ascii);
	if (strcmp(low, high) == 0)
		snprintf(text, room, "%s", high);
	else
		snprintf(text, room, "%.*s-%s", (int)strcspn(low, " "), low, high);
}

/* The shown series with known values, and their ranges. */
struct plot {
	const struct graph_series *lines[SHOWN_MAX];
	double values[SHOWN_MAX][CELLS_MAX];
	struct statistics ranges[SHOWN_MAX];
	unsigned count;
};

static void fill_plot(const struct pane_context *context, const struct canvas *canvas, struct plot *plot)
{
	const struct power_state *power = context->state;
	int width = line_plot_width(canvas) < CELLS_MAX ? line_plot_width(canvas) : CELLS_MAX;
	struct window window = make_window(context, (size_t)width, false);

	plot->count = 0;
	for (unsigned i = 0; i < power->n_graph_series && plot->count < SHOWN_MAX; i++) {
		if (!power->graph_series[i].shown)
			continue;
		plot->lines[plot->count] = &power->graph_series[i];
		take_values(context, &window, &power->graph_series[i], plot->values[plot->count]);
		plot->ranges[plot->count] = normalise(plot->values[plot->count], window.count);
		plot->count += plot->ranges[plot->count].count > 0 ? 1 : 0;
	}
}

static void draw_plot(const struct canvas *canvas, const struct plot *plot)
{
	int width = line_plot_width(canvas) < CELLS_MAX ? line_plot_width(canvas) : CELLS_MAX;
	struct canvas part = canvas_part(canvas, 0, 0, canvas->height, width + LINE_PLOT_LABEL_CELLS);
	struct line_plot_line lines[SHOWN_MAX];

	for (unsigned i = 0; i < plot->count; i++)
		lines[i] = (struct line_plot_line){ plot->lines[i]->letter, plot->lines[i]->color,
						    plot->values[i] };
	line_plot_draw(&part, lines, plot->count);
}

/* "T x86_pkg_temp 55-66 °C" */
static void add_legend(struct text_flow *flow, const struct plot *plot)
{
	for (unsigned i = 0; i < plot->count; i++) {
		const struct graph_series *line = plot->lines[i];
		char text[TEXT_MAX], numbers[96];

		range_text(line, &plot->ranges[i], numbers, sizeof(numbers), flow->ascii);
		snprintf(text, sizeof(text), "%c %s %s", line->letter, line->label, numbers);
		text_flow_add_lettered(flow, (enum style)(STYLE_SERIES + line->color), text);
	}
}

/* "T follows L by 12 s (r 0.93)"; steps of the lag are step_seconds long. Returns text. */
static const char *relation_text(char letter, char other, struct lag lag, double step_seconds, char *text,
				 size_t room)
{
	double seconds = fabs((double)lag.steps * step_seconds);
	int digits = step_seconds < 1 && seconds < 10 ? 1 : 0;

	if (isnan(lag.correlation))
		snprintf(text, room, _("%c and %c: not known yet"), letter, other);
	else if (fabs(lag.correlation) < RELATED)
		snprintf(text, room, _("%c and %c have little to do with each other (r %.2f)"), letter, other,
			 lag.correlation);
	else if (lag.steps == 0)
		snprintf(text, room,
			 lag.correlation > 0 ? _("%c follows %c at once (r %.2f)")
					     : _("%c falls when %c rises (r %.2f)"),
			 letter, other, lag.correlation);
	else if (lag.correlation > 0)
		snprintf(text, room,
			 lag.steps > 0 ? _("%c follows %c by %.*f s (r %.2f)")
				       : _("%c is ahead of %c by %.*f s (r %.2f)"),
			 letter, other, digits, seconds, lag.correlation);
	else
		snprintf(text, room,
			 lag.steps > 0 ? _("%c falls when %c has risen, %.*f s later (r %.2f)")
				       : _("%c falls before %c rises, by %.*f s (r %.2f)"),
			 letter, other, digits, seconds, lag.correlation);
	return text;
}

/* Correlations of one series with the others: a constant one follows nothing. */
static void relate(const struct pane_context *context, const struct plot *plot, unsigned compared,
		   struct sentences *sentences)
{
	struct window window = make_window(context, POINTS_MAX, true);
	double others[CELLS_MAX], values[CELLS_MAX];

	if (window.count < POINTS_MIN || compared >= plot->count)
		return;
	take_values(context, &window, plot->lines[compared], others);
	for (unsigned i = compared + 1; i < plot->count && sentences->count < SENTENCES_MAX; i++) {
		struct lag lag;

		take_values(context, &window, plot->lines[i], values);
		lag = lag_find(others, values, window.count, window.count / 4);
		if (isnan(lag.correlation))
			continue;
		relation_text(plot->lines[i]->letter, plot->lines[compared]->letter, lag,
			       (double)window.step_ns / 1e9, sentences->texts[sentences->count],
			       sizeof(sentences->texts[0]));
		sentences->count++;
	}
}

static void add_sentences(struct text_flow *flow, const struct sentences *sentences)
{
	for (unsigned i = 0; i < sentences->count; i++)
		text_flow_add(flow, STYLE_NORMAL, sentences->texts[i]);
}

/* "last 5 min, each scaled to its own range", if there is room: returns its lines. */
static int draw_title(const struct pane_context *context, const struct canvas *canvas)
{
	const char *title = power_span(context) == 300 ? _("last 5 min, each scaled to its own range")
			    : power_span(context) == 3600
				    ? _("last hour, each scaled to its own range")
				    : _("a sample per cell, each scaled to its own range");

	if (utf8_cells(title, canvas->ascii) + LINE_PLOT_LABEL_CELLS + 2 >= canvas->width)
		return 0;
	canvas_right(canvas, 0, 0, canvas->width, STYLE_DIM, title);
	return 1;
}

void power_graph_draw(const struct pane_context *context, const struct canvas *canvas, unsigned compared_max)
{
	struct sentences sentences = { .count = 0 };
	struct canvas part;
	struct plot plot;
	struct text_flow flow = text_flow_measure(canvas);
	int below, top;

	if (canvas->height < 4 || canvas->width < 20)
		return;
	fill_plot(context, canvas, &plot);
	if (plot.count == 0) {
		canvas_text(canvas, 0, 0, STYLE_DIM,
			    _("no line is shown: s chooses temperatures, L W F load, watts and speed"), -1);
		return;
	}
	for (unsigned compared = 0; compared < compared_max && compared < plot.count; compared++)
		relate(context, &plot, compared, &sentences);
	add_legend(&flow, &plot);
	add_sentences(&flow, &sentences);
	below = text_flow_end(&flow) < canvas->height / 3 ? text_flow_end(&flow) : canvas->height / 3;
	top = draw_title(context, canvas);
	part = canvas_rows(canvas, top, canvas->height - top - below);
	draw_plot(&part, &plot);
	flow = text_flow_on(canvas, canvas->height - below, below);
	add_legend(&flow, &plot);
	add_sentences(&flow, &sentences);
}
