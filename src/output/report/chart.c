/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line is a path over the points; its values as text are beside it, for the readout. */
#include <config.h>

#include "output/report/chart.h"

#include <math.h>
#include <stdio.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "model/units.h"

#define PLOT_X 480.0
#define PLOT_Y 100.0
#define ROUNDING 1e-6 /* of rates: a little more than all is all */

struct plot {
	struct page *page;
	const struct stretch *stretch;
	const struct reported_chart *chart;
	enum unit unit;
	double top;
	const double *lines[REPORTED_LINES_MAX]; /* NULL: without any value */
};

static double highest(const double *values, size_t n_values)
{
	double most = NAN;

	for (size_t i = 0; i < n_values; i++)
		most = fmax(most, values[i]);
	return most;
}

/* The next number of one digit, or and a half; of bytes in units of 1024. A whole share stays one. */
static double round_up(double most, bool binary)
{
	double unit, step;

	if (!(most > 0))
		return 1;
	unit = binary ? exp2(10 * floor(log2(most) / 10)) : 1;
	step = pow(10, floor(log10(most / unit))) / 2;
	return ceil(most / unit / step - ROUNDING) * step * unit;
}

static bool is_of_bytes(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_BYTES_PER_SECOND;
}

/* Known lines, their unit and the end of the axis; false: no line has a value. */
static bool measure(struct plot *plot, const struct report_plan *plan, size_t index)
{
	const struct reported_chart *chart = plot->chart;
	const struct series *whole = &chart->whole;
	double most = chart->least_end;
	bool any = false;
	int of;

	for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++) {
		const double *values = stretch_line(plot->stretch, plan->reported, index, i);
		double end = highest(values, plot->stretch->n_points);

		plot->lines[i] = isnan(end) ? NULL : values;
		any |= !isnan(end);
		most = fmax(most, end);
	}
	of = schema_index(plan->schemas, plan->n_schemas, chart->lines[0].series.topic);
	if (!any || of < 0)
		return false;
	plot->unit = schema_known_column(plan->schemas[of], chart->lines[0].series.column)->unit;
	plot->top = whole->topic
			    ? frame_number(&plot->stretch->moment, whole->topic, whole->row, whole->column)
			    : NAN;
	if (!(plot->top >= most))
		plot->top = round_up(most, is_of_bytes(plot->unit));
	return true;
}

static double x_of(const struct plot *plot, size_t point)
{
	return plot->stretch->n_points < 2 ? 0
					   : PLOT_X * (double)point / (double)(plot->stretch->n_points - 1);
}

static double y_of(const struct plot *plot, double value)
{
	return PLOT_Y * (1 - fmin(fmax(value, 0), plot->top) / plot->top);
}

/* Points without a gap between them; area: down to the axis. */
static void add_runs(const struct plot *plot, const double *values, bool area)
{
	size_t n = plot->stretch->n_points, from = 0;

	for (size_t i = 0; i <= n; i++) {
		bool ends = i == n || isnan(values[i]) || plot->stretch->apart[i];

		if (ends && area && i > from)
			page_print(plot->page, "V%.0fH%.1fZ", PLOT_Y, x_of(plot, from));
		else if (ends && i == from + 1) /* a single point is a dash */
			page_markup(plot->page, "h1");
		if (i == n)
			break;
		if (isnan(values[i])) {
			from = i + 1;
			continue;
		}
		if (ends)
			from = i;
		page_print(plot->page, "%c%.1f %.1f", i == from ? 'M' : 'L', x_of(plot, i),
			   y_of(plot, values[i]));
	}
}

static void add_line(const struct plot *plot, size_t line)
{
	const double *values = plot->lines[line];
	char text[VALUE_TEXT_MAX];

	if (line == 0) {
		page_markup(plot->page, "<path class=\"area\" d=\"");
		add_runs(plot, values, true);
		page_markup(plot->page, "\"/>\n");
	}
	page_print(plot->page, "<path class=\"l%zu\" data-name=\"", line);
	page_text(plot->page, _(plot->chart->lines[line].name));
	page_markup(plot->page, "\" data-values=\"");
	for (size_t i = 0; i < plot->stretch->n_points; i++) {
		page_markup(plot->page, i > 0 ? "|" : "");
		page_text(plot->page, amount_text(text, plot->unit, values[i]));
	}
	page_markup(plot->page, "\" d=\"");
	add_runs(plot, values, false);
	page_markup(plot->page, "\"/>\n");
}

/* What the lines are, each with its highest value. */
static void add_keys(const struct plot *plot)
{
	char text[VALUE_TEXT_MAX], most[TEXT_MAX];

	page_markup(plot->page, "<p>");
	for (size_t i = 0; i < REPORTED_LINES_MAX; i++) {
		if (!plot->lines[i])
			continue;
		page_print(plot->page,
			   "<span class=\"key\"><svg viewBox=\"0 0 24 10\"><path class=\"l%zu\" d=\"M0 "
			   "5H24\"/></svg>",
			   i);
		amount_text(text, plot->unit, highest(plot->lines[i], plot->stretch->n_points));
		snprintf(most, sizeof(most), _("%s, at most %s"), _(plot->chart->lines[i].name), text);
		page_text(plot->page, most);
		page_markup(plot->page, "</span> ");
	}
	page_markup(plot->page, "</p>\n");
}

/* What stands at the begin, the middle and the end of an axis. */
static void add_axis(const struct plot *plot, const char *axis, const char *begin, const char *middle,
		     const char *end)
{
	const char *const texts[] = { begin, middle, end };

	page_print(plot->page, "<div class=\"%s\">", axis);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		page_element(plot->page, "span", texts[i]);
	page_markup(plot->page, "</div>\n");
}

static void add_scale(const struct plot *plot)
{
	char whole[VALUE_TEXT_MAX], half[VALUE_TEXT_MAX];

	add_axis(plot, "scale", amount_text(whole, plot->unit, plot->top),
		 amount_text(half, plot->unit, plot->top / 2), "0");
}

/* Times with their day are long: two have room. */
static void add_times(const struct plot *plot)
{
	const struct stretch *stretch = plot->stretch;
	uint64_t middle_ns = stretch->first_ns + (stretch->last_ns - stretch->first_ns) / 2;
	char first[CLOCK_TEXT_MAX], middle[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];

	add_axis(plot, "ends", page_time(plot->page, first, stretch->first_ns),
		 plot->page->dated ? "" : page_time(plot->page, middle, middle_ns),
		 page_time(plot->page, last, stretch->last_ns));
}

void chart_add(struct page *page, const struct report_plan *plan, const struct stretch *stretch, size_t chart)
{
	struct plot plot = { .page = page, .stretch = stretch, .chart = &plan->reported->charts[chart] };
	double moment;

	if (!measure(&plot, plan, chart))
		return;
	moment = x_of(&plot, stretch_point(stretch, stretch->moment.wall_ns));
	page_markup(page, "<figure tabindex=\"0\">\n");
	page_element(page, "h3", _(plot.chart->title));
	add_keys(&plot);
	page_markup(page, "<div class=\"axes\">\n");
	add_scale(&plot);
	page_print(page,
		   "<svg class=\"plot\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\" "
		   "aria-label=\"",
		   PLOT_X, PLOT_Y);
	page_text(page, _(plot.chart->title));
	page_print(page, "\">\n<line class=\"half\" x1=\"0\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>\n", PLOT_X,
		   PLOT_Y / 2, PLOT_Y / 2);
	for (size_t i = 0; i < REPORTED_LINES_MAX; i++)
		if (plot.lines[i])
			add_line(&plot, i);
	page_print(page, "<line class=\"moment\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%.0f\"/>\n", moment,
		   moment, PLOT_Y);
	page_print(page, "<line class=\"at\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"%.0f\"/>\n</svg>\n</div>\n",
		   PLOT_Y);
	add_times(&plot);
	page_markup(page, "<output></output>\n</figure>\n");
}
