/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the power pane: the total first, then its parts, heat, speed, and the graph. */
#include <config.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"
#include "model/units.h"
#include "pane/power/power.h"
#include "pane/text.h"
#include "screen/graph.h"
#include "screen/text_flow.h"

#define NARROW 30
#define GRAPH_LINES_MIN 5
#define BUCKETS_MAX 24
#define SAMPLES_MAX 4096

static double number(const struct pane_context *context, const char *topic, const char *row,
		     const char *column)
{
	return frame_number(context->frame, topic, row, column);
}

/* "3:43": hours and minutes. */
static const char *hours_text(char *text, size_t room, double seconds)
{
	unsigned long minutes = (unsigned long)seconds / 60;

	snprintf(text, room, "%lu:%02lu h", minutes / 60, minutes % 60);
	return text;
}

/* Adds to a text that ends in a NUL. */
static void __attribute__((format(printf, 2, 3))) add_to(char text[TEXT_MAX], const char *format, ...)
{
	size_t length = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + length, TEXT_MAX - length, format, list);
	va_end(list);
}

static void add_battery(struct text_flow *flow, const struct table *table, const void *row)
{
	double charge = table_number(table, row, "charge_ratio"), watts = table_number(table, row, "watts");
	double left = table_number(table, row, "remaining_seconds");
	char text[TEXT_MAX] = "", value[VALUE_TEXT_MAX], hours[32];

	add_to(text, "%s", table_text(table, row, "battery"));
	if (!isnan(charge))
		add_to(text, " %.0f %%", 100 * charge);
	add_to(text, " %s", _(table_text(table, row, "status")));
	if (!isnan(watts) && watts != 0)
		add_to(text, " %s", watts_text(value, fabs(watts)));
	if (left > 0 && left < 1e7)
		add_to(text, watts > 0 ? _(", %s left") : _(", full in %s"),
		       hours_text(hours, sizeof(hours), left));
	text_flow_add(flow, charge < 0.1 && watts > 0 ? STYLE_WARN : STYLE_NORMAL, text);
}

static void add_batteries(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_BATTERY);

	for (size_t i = 0; table && i < table->n_rows; i++)
		add_battery(flow, table, table_row(table, i));
}

/* "psys, mean 7.10, sd 0.60, min 6.20, max 9.10 over 5 min" */
static void add_statistics(const struct pane_context *context, struct text_flow *flow, const char *source)
{
	double seconds = number(context, "power", "total", "run_seconds");
	char text[TEXT_MAX], duration[STRETCH_MAX], watts[4][VALUE_TEXT_MAX];

	if (!(seconds > 0)) {
		text_flow_add(flow, STYLE_NORMAL, source);
		return;
	}
	snprintf(text, sizeof(text), _("%s; mean %s  sd %s  min %s  max %s over %s"), source,
		 fixed_text(watts[0], number(context, "power", "total", "mean_watts"), 2),
		 fixed_text(watts[1], number(context, "power", "total", "stddev_watts"), 2),
		 fixed_text(watts[2], number(context, "power", "total", "min_watts"), 2),
		 fixed_text(watts[3], number(context, "power", "total", "max_watts"), 2),
		 stretch_text(duration, seconds));
	text_flow_add(flow, STYLE_NORMAL, text);
}

static int draw_total(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	const struct table *table = context_table(context, POWER_TABLE_POWER);
	const void *row = table ? table_find(table, "total", NULL) : NULL;
	struct text_flow flow = text_flow_on(canvas, y, lines);
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];

	snprintf(text, sizeof(text), _("total %s"),
		 watts_text(value, number(context, "power", "total", "watts")));
	text_flow_add(&flow, STYLE_STRONG, text);
	if (row)
		add_statistics(context, &flow, _(table_text(table, row, "source")));
	add_batteries(context, &flow);
	return text_flow_end(&flow);
}

/* What is missing is explained in its place; the line of notices has the remedy, i the rest. */
static int draw_missing(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *temperatures = context_table(context, POWER_TABLE_TEMPERATURE);
	struct canvas part = canvas_rows(canvas, y, canvas->height >= 16 ? 3 : 1);

	if (temperatures && temperatures->n_rows > 0)
		return y;
	return y +
	       canvas_wrapped(&part, 0, STYLE_DIM,
			      span_text(_("No sensor here reports power or heat, as on most virtual "
					  "machines: what follows is load and speed. panetop --probe names "
					  "each source that is missing, and what to do about it.")));
}

/* "55-66"; "-" while the extremes are unknown. */
static void celsius_range(char text[2 * VALUE_TEXT_MAX], double low, double most)
{
	if (isnan(low) || isnan(most))
		snprintf(text, 2 * VALUE_TEXT_MAX, "-");
	else
		snprintf(text, 2 * VALUE_TEXT_MAX, "%.0f-%.0f", low, most);
}

static void add_temperature(const struct pane_context *context, struct text_flow *flow,
			    const struct table *table, const void *row)
{
	const struct graph_series *line = graph_series_find(context->state, table_text(table, row, "sensor"));
	double now = table_number(table, row, "celsius"),
	       critical = table_number(table, row, "critical_celsius");
	double high = table_number(table, row, "high_celsius");
	double low = table_number(table, row, "min_celsius"), most = table_number(table, row, "max_celsius");
	const char *label = table_text(table, row, "label");
	char text[TEXT_MAX], value[VALUE_TEXT_MAX], range[2 * VALUE_TEXT_MAX];

	celsius_text(value, now, flow->ascii);
	celsius_range(range, low, most);
	if (isnan(now))
		snprintf(text, sizeof(text), "%s %s", label, _(table_text(table, row, "state")));
	else if (isnan(critical))
		snprintf(text, sizeof(text), "%s %s (%s)", label, value, range);
	else
		snprintf(text, sizeof(text), _("%s %s (%s, critical %.0f)"), label, value, range, critical);
	text_flow_add(flow,
		      now >= critical       ? STYLE_BAD
		      : now >= high         ? STYLE_WARN
		      : line && line->shown ? (enum style)(STYLE_SERIES + line->color)
					    : STYLE_NORMAL,
		      text);
}

/* Those of the graph, and those that are too hot. */
static bool matters(const struct pane_context *context, const struct table *table, const void *row)
{
	const struct graph_series *line = graph_series_find(context->state, table_text(table, row, "sensor"));

	return (line && line->shown) ||
	       table_number(table, row, "celsius") >= table_number(table, row, "high_celsius");
}

static int draw_sensors(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	const struct table *temperatures = context_table(context, POWER_TABLE_TEMPERATURE);
	const struct table *fans = context_table(context, POWER_TABLE_FAN);
	struct text_flow flow = text_flow_on(canvas, y, lines);
	char text[TEXT_MAX];

	for (size_t i = 0; temperatures && i < temperatures->n_rows; i++)
		if (matters(context, temperatures, table_row(temperatures, i)))
			add_temperature(context, &flow, temperatures, table_row(temperatures, i));
	for (size_t i = 0; fans && i < fans->n_rows; i++) {
		double rpm = table_number(fans, table_row(fans, i), "rpm");

		snprintf(text, sizeof(text), isnan(rpm) ? "%s -" : _("%s %.0f rpm"),
			 table_text(fans, table_row(fans, i), "label"), rpm);
		text_flow_add(&flow, STYLE_NORMAL, text);
	}
	return text_flow_end(&flow);
}

static void add_idle_states(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_IDLE);
	char text[TEXT_MAX];

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double share = table_number(table, row, "residency_ratio");

		if (strcmp(table_text(table, row, "cpu"), "all") != 0 || isnan(share))
			continue;
		snprintf(text, sizeof(text), "%s %.0f %%", table_text(table, row, "state"), 100 * share);
		text_flow_add(flow, STYLE_NORMAL, text);
	}
}

static int draw_speed(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	const struct table *table = context_table(context, POWER_TABLE_FREQUENCY);
	struct text_flow flow = text_flow_on(canvas, y, lines);
	double hertz = number(context, "frequency", "all", "hertz");
	double low = number(context, "frequency", "all", "min_hertz");
	double busy = cpu_busy_ratio(number(context, "cpu", "all", "idle_ratio"),
				     number(context, "cpu", "all", "iowait_ratio"));
	char text[TEXT_MAX], now[VALUE_TEXT_MAX], from[VALUE_TEXT_MAX], to[VALUE_TEXT_MAX];
	const void *row = table ? table_find(table, "all", NULL) : NULL;

	if (!isnan(busy)) {
		snprintf(text, sizeof(text), _("load %.0f %%"), 100 * busy);
		text_flow_add(&flow, STYLE_NORMAL, text);
	}
	if (!isnan(hertz)) {
		*text = '\0';
		add_to(text, _("%s mean"), hertz_text(now, hertz));
		if (!isnan(low))
			add_to(text, " (%s-%s)", hertz_text(from, low),
			       hertz_text(to, number(context, "frequency", "all", "max_hertz")));
		if (row && *table_text(table, row, "turbo"))
			add_to(text, _(", turbo %s"), _(table_text(table, row, "turbo")));
		text_flow_add(&flow, STYLE_NORMAL, text);
	}
	add_idle_states(context, &flow);
	return text_flow_end(&flow);
}

/* CPUs that were throttled for heat in the last interval. */
static int draw_throttled(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *table = context_table(context, POWER_TABLE_THROTTLE);
	unsigned hot = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		hot += table_number(table, row, "core_throttles_per_second") > 0 ||
		       table_number(table, row, "package_throttles_per_second") > 0;
	}
	if (hot == 0)
		return y;
	canvas_print(canvas, y, 0, STYLE_WARN,
		     P_("%u CPU was slowed down because it was too hot (T)",
			"%u CPUs were slowed down because they were too hot (T)", hot),
		     hot);
	return y + 1;
}

static int draw_domains(struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	struct table_widget *widget = &context->tables[POWER_TABLE_POWER];
	int height = table_height(widget) < lines ? table_height(widget) : lines;
	struct canvas part = canvas_rows(canvas, y, height);

	if (widget->view.n_rows < 2 || height < 3)
		return y;
	context_draw_table(context, &part, POWER_TABLE_POWER);
	return y + height;
}

static void draw_summary(struct pane_context *context, const struct canvas *canvas)
{
	int height = canvas->height, some = height >= 12 ? 2 : 1;
	int y = draw_total(context, canvas, 0, some);
	struct canvas graph;

	if (isnan(number(context, "power", "total", "watts")) && y < height)
		y = draw_missing(context, canvas, y);
	if (y < height)
		y = draw_sensors(context, canvas, y, height >= 16 ? 3 : 1);
	if (y < height)
		y = draw_speed(context, canvas, y, some);
	if (y < height)
		y = draw_throttled(context, canvas, y);
	if (height - y >= 8)
		y = draw_domains(context, canvas, y, (height - y) / 3 + 1);
	graph = canvas_rows(canvas, y, height - y);
	if (graph.height >= GRAPH_LINES_MIN)
		power_graph_draw(context, &graph, 2);
}

/* One line for a screen where nothing else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	double watts = number(context, "power", "total", "watts"), celsius;
	double hertz = number(context, "frequency", "all", "hertz");
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];
	struct text_flow flow = text_flow_on(canvas, 0, canvas->height);

	celsius = number(context, "temperature", NULL, "celsius");
	snprintf(text, sizeof(text), "%s", isnan(watts) ? "- W" : watts_text(value, watts));
	text_flow_add(&flow, STYLE_STRONG, text);
	if (!isnan(celsius))
		text_flow_add(&flow, STYLE_NORMAL, celsius_text(value, celsius, canvas->ascii));
	if (!isnan(hertz))
		text_flow_add(&flow, STYLE_NORMAL, hertz_text(value, hertz));
}

/* The letters of the series come before the rows of their sensors. */
static void draw_sensor_list(struct pane_context *context, const struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[POWER_TABLE_TEMPERATURE];
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	struct canvas part = canvas_part(canvas, 0, 2, canvas->height, canvas->width - 2);

	context_draw_table(context, &part, POWER_TABLE_TEMPERATURE);
	for (int y = 1; y < canvas->height; y++) {
		size_t index = widget->place.top + (size_t)y - 1;
		const struct graph_series *line;

		if (!table || index >= widget->view.n_rows)
			break;
		line = graph_series_find(context->state,
					 table_text(table, widget->view.rows[index], "sensor"));
		if (line)
			canvas_fill(canvas, y, 0,
				    line->shown ? (enum style)(STYLE_SERIES + line->color) : STYLE_DIM,
				    line->shown ? (unsigned char)line->letter : '-', 1);
	}
}

static void draw_bucket(const struct canvas *canvas, int y, const struct buckets *histogram,
			unsigned bucket, uint64_t most)
{
	double low = histogram->first + bucket * histogram->width;
	int digits = histogram->width >= 1 ? 0 : (int)ceil(-log10(histogram->width));
	struct graph_part part = { 'W', 0, "", 0, (double)histogram->counts[bucket] };

	canvas_print(canvas, y, 0, STYLE_NORMAL, "%8.*f-%.*f W", digits, low, digits,
		     low + histogram->width);
	canvas_print(canvas, y, 22, STYLE_NORMAL, "%7llu", (unsigned long long)histogram->counts[bucket]);
	if (canvas->width > 34)
		graph_bar(canvas, y, 31, canvas->width - 31, &part, 1, (double)most);
}

static void draw_histogram(const struct pane_context *context, const struct canvas *canvas)
{
	uint64_t counts[BUCKETS_MAX], most = 1;
	struct buckets histogram = { .counts = counts };
	const struct history *history = &context->history;
	double values[SAMPLES_MAX];
	size_t count = 0;
	unsigned room = canvas->height > 3 ? (unsigned)canvas->height - 2 : 2;

	for (size_t i = history->count; i-- > 0 && count < SAMPLES_MAX;)
		if (history_time(history, i) <= context->frame->mono_ns)
			values[count++] = history_value(history, POWER_SERIES_WATTS, i);
	buckets_fill(&histogram, values, count, room < BUCKETS_MAX ? room : BUCKETS_MAX);
	for (unsigned i = 0; i < histogram.n_buckets; i++)
		most = counts[i] > most ? counts[i] : most;
	canvas_text(canvas, 0, 0, STYLE_STRONG,
		    histogram.n_buckets > 0
			    ? _("How often the machine drew how much, in the samples that are kept")
			    : _("No sample has the power draw of the machine"),
		    -1);
	for (unsigned i = 0; i < histogram.n_buckets; i++)
		draw_bucket(canvas, (int)i + 1, &histogram, i, most);
}

void power_draw(struct pane_context *context, struct canvas *canvas)
{
	switch (context->view) {
	case POWER_GRAPH:
		power_graph_draw(context, canvas, GRAPH_SERIES_MAX);
		break;
	case POWER_HISTOGRAM:
		draw_histogram(context, canvas);
		break;
	case POWER_SENSORS:
		draw_sensor_list(context, canvas);
		break;
	case POWER_CALIBRATION:
		power_calibration_draw(context, canvas);
		break;
	case POWER_SUMMARY:
		if (canvas->height < 4 || canvas->width < NARROW)
			draw_short(context, canvas);
		else
			draw_summary(context, canvas);
	}
}
