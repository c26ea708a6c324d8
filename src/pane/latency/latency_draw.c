/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the latency pane: the settings of the measurement, the result, the charts, the worst. */
#include <config.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/latency/latency.h"

#define NARROW 40
#define HEAT_FROM_CELLS 76 /* with fewer there are only bars */
#define BARS_CELLS_MAX 72
#define SIDE_CELLS_MIN 36
#define WORST_FROM_LINES 14 /* of the whole pane */

/* Words one after the other, as long as they fit. */
struct line {
	const struct canvas *canvas;
	int y, x;
	int more; /* further lines below that may be used */
};

/* Moves to where this many cells fit; false when they fit nowhere. */
static bool find_room(struct line *line, int cells)
{
	if (line->x > 0 && line->x + cells > line->canvas->width && line->more > 0) {
		line->more--;
		line->y++;
		line->x = 0;
	}
	return line->x + cells <= line->canvas->width;
}

static void __attribute__((format(printf, 3, 4)))
say(struct line *line, enum style style, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list list;
	int cells;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	cells = utf8_cells(text, line->canvas->ascii);
	if (cells == 0 || !find_room(line, cells))
		return;
	canvas_text(line->canvas, line->y, line->x, style, text, -1);
	line->x += cells + CANVAS_GAP;
}

static void say_time(struct line *line, enum style style, const char *name, double seconds)
{
	char time[VALUE_TEXT_MAX];

	say(line, style, "%s %s", name, duration_text(time, seconds, line->canvas->ascii));
}

/* "fifo 80"; if it is not the requested policy, the reason, too. */
static void say_policy(struct line *line, const struct table *table, const void *row)
{
	double priority = table_number(table, row, "priority");
	bool degraded = table_number(table, row, "degraded") > 0;
	enum style style = degraded ? STYLE_WARN : STYLE_STRONG;

	if (priority > 0)
		say(line, style, "%s %.0f", table_text(table, row, "policy"), priority);
	else
		say(line, style, "%s", table_text(table, row, "policy"));
	if (degraded)
		say(line, style, _("(%s is not allowed)"), table_text(table, row, "asked"));
}

/* Everything that a screenshot needs to be understood. */
static void draw_setting(const struct canvas *canvas, int y, const struct table *table, const void *row)
{
	struct line line = { .canvas = canvas, .y = y };
	double slack = table_number(table, row, "slack_seconds");
	uint64_t cpus = table_u64(table, row, "cpus");
	char time[VALUE_TEXT_MAX];

	say_policy(&line, table, row);
	say(&line, STYLE_STRONG, _("every %s"),
	    duration_text(time, table_number(table, row, "period_seconds"), canvas->ascii));
	say(&line, STYLE_NORMAL, "%s", table_text(table, row, "method"));
	if (slack == 0)
		say(&line, STYLE_NORMAL, "%s", _("no slack"));
	else
		say_time(&line, STYLE_NORMAL, _("slack"), slack);
	if (cpus != U64_UNKNOWN)
		say(&line, STYLE_NORMAL, P_("%zu CPU", "%zu CPUs", (unsigned long)cpus), (size_t)cpus);
	say(&line, STYLE_NORMAL, _("for %s s"),
	    fixed_text(time, table_number(table, row, "measured_seconds"), 0));
	say(&line, STYLE_DIM, _("memory locked: %s"), _(table_text(table, row, "locked")));
	say(&line, STYLE_DIM, _("idle states: %s"), _(table_text(table, row, "idle_states")));
}

/* What to draw for a CPU, or for all: in the selected window, or since the start. */
struct figures {
	const char *cpu;
	const char *window;
	char window_text[32];
	uint64_t samples, missed;
	double max_seconds, min_seconds, mean_seconds;
	double p50_seconds, p90_seconds, p99_seconds, p99_9_seconds, p99_99_seconds;
};

#define FIGURE(field, ...) COLUMN(struct figures, field, __VA_ARGS__)
#define TIME(field, what)                                                                                    \
	FIGURE(field, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = "", .help = what,                 \
	       .source = "latency_bucket; since the start the exact latency." #field)
#define PERCENTILE(field)                                                                                    \
	FIGURE(field, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = "",                               \
	       .help = /* xgettext:no-c-format */ N_("latency that this percentage of wake-ups did not "     \
						     "exceed (rounded up by at most 1 %)"),                  \
	       .source = "latency_bucket, upper end of the bucket that reaches this percentage")

static const struct column figure_columns[] = {
	FIGURE(cpu, .kind = COLUMN_KEY, .title = "", .help = N_("CPU, or all together"), .source = "latency"),
	FIGURE(window, .kind = COLUMN_KEY, .title = "", .help = N_("time that the numbers cover"),
	       .source = "panetop"),
	TIME(max_seconds, N_("highest latency")),
	FIGURE(missed, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "",
	       .help = N_("periods that passed during a late wake-up"), .source = "latency.missed"),
	PERCENTILE(p50_seconds),
	PERCENTILE(p90_seconds),
	PERCENTILE(p99_seconds),
	PERCENTILE(p99_9_seconds),
	PERCENTILE(p99_99_seconds),
	TIME(min_seconds, N_("lowest latency")),
	TIME(mean_seconds, N_("mean latency")),
	FIGURE(samples, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "",
	       .help = N_("measured wake-ups"), .source = "sum of latency_bucket.samples"),
};

static const struct schema figures_schema = {
	.name = "latency_drawn",
	.help = N_("the numbers above the chart"),
	.row_size = sizeof(struct figures),
	SCHEMA_COLUMNS(figure_columns),
};

static const struct percentile {
	const char *name;
	size_t offset;
	unsigned rank; /* low ranks are drawn wherever there is room for one */
} percentiles[] = {
	{ "50%", offsetof(struct figures, p50_seconds), 0 },
	{ "90%", offsetof(struct figures, p90_seconds), 3 },
	{ "99%", offsetof(struct figures, p99_seconds), 1 },
	{ "99.9%", offsetof(struct figures, p99_9_seconds), 2 },
	{ "99.99%", offsetof(struct figures, p99_99_seconds), 4 },
};

#define N_PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static double percentile_seconds(const struct figures *figures, const struct percentile *percentile)
{
	double seconds;

	memcpy(&seconds, (const char *)figures + percentile->offset, sizeof(seconds));
	return seconds;
}

/* Is there room for all percentiles up to this rank? */
static bool has_room(struct line line, const struct figures *figures, unsigned rank)
{
	for (size_t i = 0; i < N_PERCENTILES; i++) {
		double seconds = percentile_seconds(figures, &percentiles[i]);
		char time[VALUE_TEXT_MAX];
		int cells = (int)strlen(percentiles[i].name) + 1 +
			    utf8_cells(duration_text(time, seconds, line.canvas->ascii), line.canvas->ascii);

		if (percentiles[i].rank > rank)
			continue;
		if (!find_room(&line, cells))
			return false;
		line.x += cells + CANVAS_GAP;
	}
	return true;
}

/* As many as fit, the most important ones, in ascending order. */
static void say_percentiles(struct line *line, const struct figures *figures)
{
	unsigned last = N_PERCENTILES - 1;

	while (last > 0 && !has_room(*line, figures, last))
		last--;
	for (size_t i = 0; i < N_PERCENTILES; i++)
		if (percentiles[i].rank <= last)
			say_time(line, percentiles[i].rank <= 2 ? STYLE_STRONG : STYLE_NORMAL,
				 percentiles[i].name, percentile_seconds(figures, &percentiles[i]));
}

/* Sets latency->shown to the samples of a CPU, or of all, in the selected window. */
static void fill_shown(struct pane_context *context, const char *name)
{
	struct latency_state *latency = context->state;
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	const struct table *buckets = context_table(context, LATENCY_TABLE_BUCKET);
	const void *row = table_find(table, name, NULL);
	double window = latency_windows[latency->window] * 1e9;
	double least = table_number(table, row, "min_seconds"),
	       most = table_number(table, row, "max_seconds");
	double mean = table_number(table, row, "mean_seconds");

	histogram_clear(&latency->shown, past_width_ns(context->frame));
	if (window > 0) {
		uint64_t now = buckets ? buckets->mono_ns : 0;

		past_sum(&latency->past, past_cpu(name), (double)now > window ? now - (uint64_t)window : 0,
			 now, &latency->shown);
		return;
	}
	past_since_start(context->frame, name, &latency->shown);
	if (latency->shown.count == 0 || isnan(least) || isnan(most) || isnan(mean))
		return;
	latency->shown.min_ns = (uint64_t)(least * 1e9 + 0.5);
	latency->shown.max_ns = (uint64_t)(most * 1e9 + 0.5);
	latency->shown.sum_ns = (uint64_t)(mean * 1e9 * (double)latency->shown.count);
}

/* Also sets latency->shown to their histogram. */
static void compute_figures(struct pane_context *context, const char *name, struct figures *figures)
{
	struct latency_state *latency = context->state;
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	const struct histogram *shown = &latency->shown;
	double window = latency_windows[latency->window];

	fill_shown(context, name);
	*figures = (struct figures){
		.cpu = name,
		.window = _("since the start"),
		.samples = shown->count,
		.missed =
			window > 0 ? U64_UNKNOWN : table_u64(table, table_find(table, name, NULL), "missed"),
		.max_seconds = (double)shown->max_ns / 1e9,
		.min_seconds = (double)shown->min_ns / 1e9,
		.mean_seconds = histogram_mean(shown) / 1e9,
		.p50_seconds = histogram_percentile(shown, 50) / 1e9,
		.p90_seconds = histogram_percentile(shown, 90) / 1e9,
		.p99_seconds = histogram_percentile(shown, 99) / 1e9,
		.p99_9_seconds = histogram_percentile(shown, 99.9) / 1e9,
		.p99_99_seconds = histogram_percentile(shown, 99.99) / 1e9,
	};
	if (window > 0) {
		snprintf(figures->window_text, sizeof(figures->window_text), _("last %.0f s"), window);
		figures->window = figures->window_text;
	}
}

static void draw_result(const struct pane_context *context, const struct canvas *canvas, int more,
			const struct figures *figures)
{
	const struct latency_state *latency = context->state;
	struct line line = { .canvas = canvas, .more = more };

	if (latency->cpus != CPUS_MERGED)
		say(&line, STYLE_STRONG, _("CPU %s"), figures->cpu);
	if (latency->window > 0)
		say(&line, STYLE_WARN, "%s", figures->window);
	if (figures->samples == 0) {
		say(&line, STYLE_NORMAL, "%s", _("no sample yet"));
		return;
	}
	say_time(&line, STYLE_STRONG, _("max"), figures->max_seconds);
	if (figures->missed > 0 && figures->missed != U64_UNKNOWN)
		say(&line, STYLE_WARN, P_("%.0f missed", "%.0f missed", (unsigned long)figures->missed),
		    (double)figures->missed);
	say_percentiles(&line, figures);
	say_time(&line, STYLE_NORMAL, _("min"), figures->min_seconds);
	say_time(&line, STYLE_NORMAL, _("mean"), figures->mean_seconds);
	say(&line, STYLE_NORMAL, P_("%lu sample", "%lu samples", (unsigned long)figures->samples),
	    (unsigned long)figures->samples);
	if (figures->missed == 0)
		say(&line, STYLE_NORMAL, "%s", _("none missed"));
}

/* Bars of one CPU or all, with the last seconds beside them if there is room. */
static void draw_charts(struct pane_context *context, const struct canvas *canvas, const char *name,
			const struct latency_axis *axis)
{
	struct latency_state *latency = context->state;
	int bars_width = canvas->width < HEAT_FROM_CELLS ? canvas->width : canvas->width * 5 / 8;
	int heat = latency->cpus != CPUS_SIDE_BY_SIDE && canvas->width >= HEAT_FROM_CELLS ? 1 : 0;
	struct canvas bars, map;

	if (bars_width > BARS_CELLS_MAX)
		bars_width = BARS_CELLS_MAX;
	if (!heat)
		bars_width = canvas->width;
	bars = canvas_part(canvas, 0, 0, canvas->height, bars_width);
	latency_bars(&bars, axis, &latency->shown,
		     settings_is(context->settings, "latency.counts", "logarithmic"));
	if (!heat)
		return;
	map = canvas_part(canvas, 0, bars_width + 1, canvas->height, canvas->width - bars_width - 1);
	latency_heat(context, &map, axis, past_cpu(name));
}

static const char *cpu_name(const struct table *table, unsigned cpu)
{
	return table->n_rows > 1 ? table_text(table, table_row(table, 1 + cpu % (table->n_rows - 1)), "cpu")
				 : "all";
}

/* Common rows for all CPUs, so that they can be compared. */
static void make_axis(struct pane_context *context, struct latency_axis *axis, int lines)
{
	const struct latency_state *latency = context->state;

	fill_shown(context, "all");
	latency_axis_make(axis, &latency->shown, lines,
			  settings_is(context->settings, "latency.times", "linear"));
}

static void draw_one(struct pane_context *context, const struct canvas *canvas, const char *name,
		     const struct latency_axis *axis)
{
	struct canvas charts = canvas_rows(canvas, 1, canvas->height - 1);
	struct figures figures;

	compute_figures(context, name, &figures);
	draw_result(context, canvas, 0, &figures);
	draw_charts(context, &charts, name, axis);
}

static void draw_side_by_side(struct pane_context *context, const struct canvas *canvas,
			      const struct table *table, const struct latency_axis *axis)
{
	struct latency_state *latency = context->state;
	int n_cpus = (int)table->n_rows - 1, columns = canvas->width / SIDE_CELLS_MIN, width;

	columns = columns < 1 ? 1 : columns > n_cpus ? n_cpus : columns;
	if (columns < 1)
		return;
	width = canvas->width / columns;
	latency->n_beside = (unsigned)columns;
	for (int i = 0; i < columns; i++) {
		struct canvas part = canvas_part(canvas, 0, i * width, canvas->height, width - 1);

		draw_one(context, &part, cpu_name(table, latency->cpu + (unsigned)i), axis);
	}
}

static void draw_pictures(struct pane_context *context, const struct canvas *canvas,
			  const struct table *table)
{
	const struct latency_state *latency = context->state;
	struct latency_axis axis;

	make_axis(context, &axis, canvas->height - 1);
	if (latency->cpus == CPUS_SIDE_BY_SIDE)
		draw_side_by_side(context, canvas, table, &axis);
	else
		draw_one(context, canvas, latency->cpus == CPUS_ONE ? cpu_name(table, latency->cpu) : "all",
			 &axis);
}

/* The worst below the charts: more of them on a tall screen. */
static int draw_worst(struct pane_context *context, const struct canvas *canvas, int bottom)
{
	int lines = canvas->height < WORST_FROM_LINES ? 0 : canvas->height >= 45 ? 21 : canvas->height / 3;
	struct canvas part = canvas_rows(canvas, bottom - lines, lines);

	if (lines > 0)
		context_draw_table(context, &part, LATENCY_TABLE_WORST);
	return bottom - lines;
}

static void draw_summary(struct pane_context *context, const struct canvas *canvas, const struct table *table)
{
	int bottom = draw_worst(context, canvas, canvas->height);
	struct canvas pictures = canvas_rows(canvas, 1, bottom - 1);

	draw_setting(canvas, 0, table, table_row(table, 0));
	draw_pictures(context, &pictures, table);
}

/* On a small screen: the result, then the settings of the measurement. */
static void draw_short(struct pane_context *context, const struct canvas *canvas, const struct table *table)
{
	int lines = canvas->height < 6 ? canvas->height - 1 : 2;
	struct canvas charts = canvas_rows(canvas, lines + 1, canvas->height - lines - 1);
	struct latency_axis axis;
	struct figures figures;

	make_axis(context, &axis, charts.height);
	compute_figures(context, "all", &figures);
	draw_result(context, canvas, lines - 1, &figures);
	if (canvas->height > 1)
		draw_setting(canvas, lines, table, table_row(table, 0));
	draw_charts(context, &charts, "all", &axis);
}

void latency_draw(struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);

	if (!table || table->n_rows == 0)
		canvas_text(canvas, 0, 0, STYLE_DIM, _("nothing is measured; i shows why"), -1);
	else if (canvas->height < 5 || canvas->width < NARROW)
		draw_short(context, canvas, table);
	else
		draw_summary(context, canvas, table);
}

static void explain_cpu(struct pane_context *context, struct buffer *out, const char *name)
{
	struct figures figures;

	compute_figures(context, name, &figures);
	for (unsigned i = 0; figures.samples > 0 && i < figures_schema.n_columns; i++)
		if (figure_columns[i].kind != COLUMN_KEY)
			explain_number(out, &figures_schema, &figures, figure_columns[i].key);
}

void latency_explain(struct pane_context *context, struct buffer *out)
{
	const struct latency_state *latency = context->state;
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	unsigned n_cpus = latency->cpus == CPUS_SIDE_BY_SIDE ? latency->n_beside : 1;

	if (context->view != LATENCY_VIEW_SUMMARY || !table || table->n_rows == 0)
		return;
	for (unsigned i = 0; i < n_cpus; i++)
		explain_cpu(context, out,
			    latency->cpus == CPUS_MERGED ? "all" : cpu_name(table, latency->cpu + i));
}
