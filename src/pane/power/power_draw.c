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
#include "pane/power/power_story.h"
#include "screen/graph.h"
#include "screen/text_flow.h"

#define NARROW 30
#define LOW 14
#define BAR_LEFT_CELLS 24 /* name and watts */
#define REST_CELLS_MIN 40
#define REST_LINES_MIN 5
#define NEAR_LIMIT 15 /* degrees */
#define DIGITS_MAX 2
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

/* Appends to a text that ends in a NUL. */
static void __attribute__((format(printf, 2, 3))) add_to(char text[TEXT_MAX], const char *format, ...)
{
	size_t length = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + length, TEXT_MAX - length, format, list);
	va_end(list);
}

static void add_battery(const struct pane_context *context, struct text_flow *flow, const struct table *table,
			const void *row)
{
	double charge = table_number(table, row, "charge_ratio"), watts = table_number(table, row, "watts");
	double left = table_number(table, row, "remaining_seconds");
	enum grade grade = watts > 0 ? grade_of(context->grades, GRADED_BATTERY, charge) : GRADE_CALM;
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
	text_flow_add(flow, graph_grade_style(grade, STYLE_NORMAL), text);
}

static void add_batteries(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_BATTERY);

	for (size_t i = 0; table && i < table->n_rows; i++)
		add_battery(context, flow, table, table_row(table, i));
}

/* Where the total comes from, before translation. */
bool power_source_is(const struct pane_context *context, const char *source)
{
	const struct table *table = context_table(context, POWER_TABLE_POWER);
	const void *row = table ? table_find(table, "total", NULL) : NULL;

	return row && strcmp(table_text(table, row, "source"), source) == 0;
}

/* How near a temperature is to its limit, in degrees; a sensor without a limit is far from it. */
static double headroom(const struct table *table, const void *row)
{
	double celsius = table_number(table, row, "celsius");
	double limit =
		fmin(table_number(table, row, "critical_celsius"), table_number(table, row, "high_celsius"));

	return isnan(celsius) ? INFINITY : isnan(limit) ? 1000 - celsius : limit - celsius;
}

/* The one nearest to its limit, if it is near; else the first one, which is that of the CPU. */
static const void *hottest(const struct table *table)
{
	const void *first = NULL, *near = NULL;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!isfinite(headroom(table, row)))
			continue;
		first = first ? first : row;
		if (headroom(table, row) < NEAR_LIMIT &&
		    (!near || headroom(table, row) < headroom(table, near)))
			near = row;
	}
	return near ? near : first;
}

static void add_heat_facts(const struct pane_context *context, struct power_facts *facts)
{
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	const void *row = hottest(table);
	const struct graph_series *series;

	facts->celsius = facts->high_celsius = facts->critical_celsius = NAN;
	if (!row)
		return;
	series = graph_series_find(context->state, table_text(table, row, "sensor"));
	facts->sensor = series ? series->label : table_text(table, row, "sensor");
	facts->celsius = table_number(table, row, "celsius");
	facts->high_celsius = table_number(table, row, "high_celsius");
	facts->critical_celsius = table_number(table, row, "critical_celsius");
}

static void add_throttle_facts(const struct pane_context *context, struct power_facts *facts)
{
	const struct table *table = context_table(context, POWER_TABLE_THROTTLE);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double core = table_number(table, row, "core_throttles_per_second");
		double package = table_number(table, row, "package_throttles_per_second");

		facts->throttle_known |= !isnan(core) || !isnan(package);
		facts->throttled += core > 0 || package > 0;
	}
}

/* The one with the least charge. */
static void add_battery_facts(const struct pane_context *context, struct power_facts *facts)
{
	const struct table *table = context_table(context, POWER_TABLE_BATTERY);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double charge = table_number(table, row, "charge_ratio");

		if (!(table_number(table, row, "watts") > 0) ||
		    (facts->battery && !(charge < facts->charge_ratio)))
			continue;
		facts->battery = table_text(table, row, "battery");
		facts->charge_ratio = charge;
	}
}

static enum power_level judge(const struct pane_context *context, bool ascii, const char **word,
			      char text[TEXT_MAX])
{
	struct power_facts facts = {
		.watts = number(context, "power", "total", "watts"),
		.mean_watts = number(context, "power", "total", "mean_watts"),
		.min_watts = number(context, "power", "total", "min_watts"),
		.max_watts = number(context, "power", "total", "max_watts"),
		.run_seconds = number(context, "power", "total", "run_seconds"),
		.interval_seconds = context_step_seconds(context),
		.charge_ratio = NAN,
		.refused = power_source_is(context, POWER_REFUSED),
		.ascii = ascii,
	};

	if (!context_table(context, POWER_TABLE_POWER))
		facts.no_watts = context->tables[POWER_TABLE_POWER].absent;
	if (!context_table(context, POWER_TABLE_TEMPERATURE))
		facts.no_heat = context->tables[POWER_TABLE_TEMPERATURE].absent;
	add_heat_facts(context, &facts);
	add_throttle_facts(context, &facts);
	add_battery_facts(context, &facts);
	return power_verdict(&facts, word, text, TEXT_MAX);
}

static const enum style level_styles[] = {
	[POWER_UNKNOWN] = STYLE_DIM, [POWER_OK] = STYLE_OK, [POWER_HIGH] = STYLE_WARN, [POWER_BAD] = STYLE_BAD
};

static int draw_verdict(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas part = canvas_rows(canvas, 0, canvas->height < LOW ? 2 : 3);
	char sentences[TEXT_MAX], text[TEXT_MAX] = "";
	const char *word;
	enum power_level level = judge(context, canvas->ascii, &word, sentences);
	int lines;

	add_to(text, *word ? "%s  %s" : "%s%s", word, sentences);
	lines = canvas_wrapped(&part, 0, level == POWER_UNKNOWN ? STYLE_DIM : STYLE_NORMAL, span_text(text));
	canvas_restyle(canvas, 0, 0, utf8_cells(word, canvas->ascii), level_styles[level]);
	return lines;
}

static void add_fans(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *fans = context_table(context, POWER_TABLE_FAN);
	char text[TEXT_MAX];

	for (size_t i = 0; fans && i < fans->n_rows; i++) {
		double rpm = table_number(fans, table_row(fans, i), "rpm");

		snprintf(text, sizeof(text), isnan(rpm) ? "%s -" : _("%s %.0f rpm"),
			 table_text(fans, table_row(fans, i), "label"), rpm);
		text_flow_add(flow, STYLE_NORMAL, text);
	}
}

/* Sensors at their limit, as far as the verdict does not name them. */
static void add_hot(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	const void *named = hottest(table);
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (row == named || !(headroom(table, row) <= 0))
			continue;
		snprintf(text, sizeof(text), "%s %s", table_text(table, row, "label"),
			 celsius_text(value, table_number(table, row, "celsius"), flow->ascii));
		text_flow_add(flow, STYLE_WARN, text);
	}
}

static void add_idle_states(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_IDLE);
	char text[TEXT_MAX];

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double share = table_number(table, row, "residency_ratio");

		if (strcmp(table_text(table, row, "cpu"), "all") != 0 || !(share >= 0.005))
			continue;
		snprintf(text, sizeof(text), "%s %.0f %%", table_text(table, row, "state"), 100 * share);
		text_flow_add(flow, STYLE_NORMAL, text);
	}
}

static void add_clock(const struct pane_context *context, struct text_flow *flow)
{
	const struct table *table = context_table(context, POWER_TABLE_FREQUENCY);
	const void *row = table ? table_find(table, "all", NULL) : NULL;
	double low = number(context, "frequency", "all", "min_hertz");
	char text[TEXT_MAX] = "", now[VALUE_TEXT_MAX], from[VALUE_TEXT_MAX], to[VALUE_TEXT_MAX];

	if (!row || isnan(table_number(table, row, "hertz")))
		return;
	add_to(text, "%s", hertz_text(now, table_number(table, row, "hertz")));
	if (!isnan(low))
		add_to(text, _(" (%s to %s)"), hertz_text(from, low),
		       hertz_text(to, table_number(table, row, "max_hertz")));
	if (*table_text(table, row, "turbo"))
		add_to(text, _(", turbo %s"), _(table_text(table, row, "turbo")));
	text_flow_add(flow, STYLE_NORMAL, text);
}

static void add_steal(const struct pane_context *context, struct text_flow *flow)
{
	double steal = number(context, "cpu", "all", "steal_ratio");
	char text[TEXT_MAX];

	if (!(steal > 0))
		return;
	snprintf(text, sizeof(text), _("steal %.1f %%"), 100 * steal);
	text_flow_add(flow, STYLE_NORMAL, text);
}

static int draw_pieces(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	struct text_flow flow = text_flow_on(canvas, y, lines);

	add_hot(context, &flow);
	add_batteries(context, &flow);
	add_fans(context, &flow);
	add_clock(context, &flow);
	add_steal(context, &flow);
	add_idle_states(context, &flow);
	return text_flow_end(&flow) < y + lines ? text_flow_end(&flow) : y + lines;
}

/* "  core": indented by the domains that it is a part of. */
static void bar_label(const char *domain, char *text, size_t room)
{
	const char *name = strrchr(domain, '/');
	int depth = 1;

	for (const char *at = domain; *at; at++)
		depth += *at == '/';
	if (strcmp(domain, "total") == 0)
		snprintf(text, room, "%s", _("machine"));
	else
		snprintf(text, room, "%*s%s", depth, "",
			 name && strncmp(domain, "battery/", 8) != 0 ? name + 1 : domain);
}

static void draw_bar(const struct canvas *canvas, int y, const struct table *table, const void *row,
		     double whole)
{
	bool total = strcmp(table_text(table, row, "domain"), "total") == 0;
	double watts = table_number(table, row, "watts");
	struct graph_part part = { 'W', total ? 0 : 2, "", 0, watts };
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];
	int room = canvas->width - BAR_LEFT_CELLS;

	bar_label(table_text(table, row, "domain"), text, sizeof(text));
	canvas_cut(canvas, y, 0, total ? STYLE_STRONG : STYLE_NORMAL, text, BAR_LEFT_CELLS - 10);
	canvas_right(canvas, y, BAR_LEFT_CELLS - 10, 9, total ? STYLE_STRONG : STYLE_NORMAL,
		     watts_text(value, watts));
	if (total)
		snprintf(text, sizeof(text), " (%s)", _(table_text(table, row, "source")));
	else
		*text = '\0';
	if (room - utf8_cells(text, canvas->ascii) < 8)
		*text = '\0';
	room -= utf8_cells(text, canvas->ascii);
	if (room < 8)
		return;
	graph_bar(canvas, y, BAR_LEFT_CELLS, room, &part, 1, whole);
	canvas_text(canvas, y, BAR_LEFT_CELLS + room, STYLE_DIM, text, -1);
}

/* The domain that is the total itself needs no bar of its own. */
static bool has_bar(const struct table *table, const void *row, const void *total)
{
	const char *domain = table_text(table, row, "domain");

	return !isnan(table_number(table, row, "watts")) &&
	       (row == total || !total || strcmp(domain, table_text(table, total, "source")) != 0) &&
	       strncmp(domain, "battery/", 8) != 0;
}

/* Watts of the machine and of its parts, at most this many lines. */
static int draw_bars(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	const struct table *table = context_table(context, POWER_TABLE_POWER);
	const void *total = table ? table_find(table, "total", NULL) : NULL;
	double whole = number(context, "power", "total", "max_watts");
	int last = y + lines;

	for (size_t i = 0; table && i < table->n_rows; i++)
		whole = fmax(whole, table_number(table, table_row(table, i), "watts"));
	for (size_t i = 0; table && i < table->n_rows && y < last; i++)
		if (has_bar(table, table_row(table, i), total) && whole > 0)
			draw_bar(canvas, y++, table, table_row(table, i), whole);
	return y;
}

static bool has_values(const struct table *table)
{
	for (size_t i = 0; table && i < table->n_rows; i++)
		for (unsigned c = 0; c < table->schema->n_columns; c++)
			if (table->schema->columns[c].type == VALUE_F64 &&
			    row_is_known(table_row(table, i), &table->schema->columns[c]))
				return true;
	return false;
}

/* What there is room for below the graph: temperatures, clocks, idle states. */
static void draw_rest(const struct pane_context *context, const struct canvas *canvas)
{
	static const unsigned candidates[] = { POWER_TABLE_TEMPERATURE, POWER_TABLE_FREQUENCY,
					       POWER_TABLE_IDLE };
	const unsigned n_candidates = sizeof(candidates) / sizeof(candidates[0]);
	const char *const titles[] = { _("Temperatures now"), _("Clocks now"),
				       _("Idle states, last sample") };
	int fit = canvas->width / REST_CELLS_MIN, n = 0, width;
	unsigned chosen[3];

	for (unsigned i = 0; i < n_candidates && n < fit; i++) {
		if (has_values(context_table(context, candidates[i])))
			chosen[n++] = i;
	}
	if (n == 0 || canvas->height < REST_LINES_MIN)
		return;
	width = canvas->width / n;
	for (int i = 0; i < n; i++) {
		struct canvas part =
			canvas_part(canvas, 0, i * width, canvas->height, i + 1 < n ? width - 1 : width);

		context_draw_titled(context, &part, candidates[chosen[i]], titles[chosen[i]]);
	}
}

static void draw_home(const struct pane_context *context, const struct canvas *canvas)
{
	int height = canvas->height, y = draw_verdict(context, canvas);
	struct canvas graph, rest;

	if (y < height)
		y = draw_bars(context, canvas, y, height >= 30 ? 8 : height >= 16 ? 4 : 1);
	if (y < height)
		y = draw_pieces(context, canvas, y, height >= 22 ? 2 : 1);
	graph = canvas_rows(canvas, y, height - y);
	y += power_graph_draw(context, &graph);
	rest = canvas_rows(canvas, y, height - y);
	draw_rest(context, &rest);
}

/* One line for a screen where nothing else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	double watts = number(context, "power", "total", "watts"), celsius;
	double hertz = number(context, "frequency", "all", "hertz");
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];
	struct text_flow flow = text_flow_on(canvas, 0, canvas->height);
	const char *word;
	enum power_level level = judge(context, canvas->ascii, &word, text);

	if (*word)
		text_flow_add(&flow, level_styles[level], word);
	celsius = number(context, "temperature", NULL, "celsius");
	snprintf(text, sizeof(text), "%s", isnan(watts) ? "- W" : watts_text(value, watts));
	text_flow_add(&flow, STYLE_STRONG, text);
	if (!isnan(celsius))
		text_flow_add(&flow, STYLE_NORMAL, celsius_text(value, celsius, canvas->ascii));
	if (!isnan(hertz))
		text_flow_add(&flow, STYLE_NORMAL, hertz_text(value, hertz));
}

/* A mark stands before the sensors that are in the graph. */
static void draw_sensor_list(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[POWER_TABLE_TEMPERATURE];
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	struct canvas part = canvas_part(canvas, 1, 2, canvas->height, canvas->width - 2);
	char title[TEXT_MAX], right[TEXT_MAX];

	power_heading(context, title, sizeof(title));
	snprintf(right, sizeof(right), _("* in the graph"));
	canvas_rule(canvas, 0, title, right);
	context_draw_table(context, &part, POWER_TABLE_TEMPERATURE);
	for (int y = 1; y < part.height; y++) {
		size_t index = widget->place.top + (size_t)y - 1;
		const struct graph_series *line;

		if (!table || index >= widget->view.n_rows)
			break;
		line = graph_series_find(context->state,
					 table_text(table, widget->view.rows[index], "sensor"));
		if (line && graph_series_shown(context, line))
			canvas_fill(canvas, y + 1, 0, STYLE_STRONG, '*', 1);
	}
}

/* "5.2-5.4 W"; watts of the same value to the hundredth have one bucket. */
static void bucket_text(const struct buckets *histogram, unsigned bucket, char text[TEXT_MAX])
{
	double low = histogram->first + bucket * histogram->width;
	int digits = histogram->width >= 1 ? 0 : (int)ceil(-log10(histogram->width) - 1e-9);

	if (digits > DIGITS_MAX)
		snprintf(text, TEXT_MAX, "%.*f W", DIGITS_MAX, low);
	else
		snprintf(text, TEXT_MAX, "%.*f-%.*f W", digits, low, digits, low + histogram->width);
}

static void draw_bucket(const struct canvas *canvas, int y, const struct buckets *histogram,
			unsigned bucket, uint64_t most)
{
	struct graph_part part = { 'W', 0, "", 0, (double)histogram->counts[bucket] };
	char text[TEXT_MAX];

	bucket_text(histogram, bucket, text);
	canvas_right(canvas, y, 0, 18, STYLE_NORMAL, text);
	canvas_print(canvas, y, 19, STYLE_NORMAL, "%7llu", (unsigned long long)histogram->counts[bucket]);
	if (canvas->width > 34)
		graph_bar(canvas, y, 28, canvas->width - 28, &part, 1, (double)most);
}

/* Rounded, so that watts which differ by less than a hundredth are equal. */
static size_t take_watts(const struct pane_context *context, double values[SAMPLES_MAX], double *span_seconds)
{
	const struct history *history = &context->history;
	size_t count = 0;

	*span_seconds = 0;
	for (size_t i = history->count; i-- > 0 && count < SAMPLES_MAX;) {
		uint64_t mono_ns = history_time(history, i);

		if (mono_ns > context->frame->mono_ns)
			continue;
		values[count] = round(history_value(history, POWER_SERIES_WATTS, i) * 100) / 100;
		count += isnan(values[count]) ? 0 : 1;
		*span_seconds = (double)(context->frame->mono_ns - mono_ns) / 1e9;
	}
	return count;
}

static void draw_histogram(const struct pane_context *context, const struct canvas *canvas)
{
	uint64_t counts[BUCKETS_MAX], most = 1;
	struct buckets histogram = { .counts = counts };
	double values[SAMPLES_MAX], seconds;
	size_t count = take_watts(context, values, &seconds);
	unsigned room = canvas->height > 3 ? (unsigned)canvas->height - 2 : 2;
	char title[TEXT_MAX], span[VALUE_TEXT_MAX], samples[64];

	buckets_fill(&histogram, values, count, room < BUCKETS_MAX ? room : BUCKETS_MAX);
	for (unsigned i = 0; i < histogram.n_buckets; i++)
		most = counts[i] > most ? counts[i] : most;
	snprintf(title, sizeof(title), _("How often the machine drew how much, last %s"),
		 stretch_text(span, seconds));
	snprintf(samples, sizeof(samples), P_("%zu sample", "%zu samples", (unsigned long)count), count);
	canvas_rule(canvas, 0, title, count > 0 ? samples : "");
	if (count == 0)
		canvas_text(canvas, 1, 0, STYLE_DIM, _("no sample has the power of the machine"), -1);
	for (unsigned i = 0; i < histogram.n_buckets; i++)
		draw_bucket(canvas, (int)i + 1, &histogram, i, most);
}

void power_heading(const struct pane_context *context, char *text, size_t room)
{
	const char *name = _(context->pane->views[context->view].title);
	char span[VALUE_TEXT_MAX], run[VALUE_TEXT_MAX];
	double over = number(context, "power", "total", "run_seconds");

	snprintf(span, sizeof(span), _("%.2g s"), context_step_seconds(context));
	stretch_text(run, isnan(over) ? 0 : over);
	switch (isnan(over) && context->view == POWER_DOMAINS ? POWER_GRAPH : context->view) {
	case POWER_DOMAINS:
		snprintf(text, room, _("%s: watts of the last %s, the rest over %s"), name, span, run);
		break;
	case POWER_SENSORS:
	case POWER_FANS:
	case POWER_VOLTAGES:
		snprintf(text, room, _("%s now, min and max of the run"), name);
		break;
	case POWER_IDLE:
	case POWER_THROTTLING:
		snprintf(text, room, _("%s, rates of the last %s"), name, span);
		break;
	default:
		snprintf(text, room, _("%s now"), name);
	}
}

void power_draw(const struct pane_context *context, struct canvas *canvas)
{
	switch (context->view) {
	case POWER_HISTOGRAM:
		draw_histogram(context, canvas);
		break;
	case POWER_SENSORS:
		draw_sensor_list(context, canvas);
		break;
	case POWER_CALIBRATION:
		power_calibration_draw(context, canvas);
		break;
	default:
		if (canvas->height < 3 || canvas->width < NARROW)
			draw_short(context, canvas);
		else
			draw_home(context, canvas);
	}
}
