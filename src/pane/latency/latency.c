/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latency pane: its tables, options and keys, and their charts. */
#include <config.h>

#include "pane/latency/latency.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/utf8.h"
#include "model/sentence.h"
#include "screen/context.h"
#include "screen/keys.h"
#include "sys/latency_thread.h"

uint16_t past_cpu(const char *name)
{
	struct span text = span_text(name);
	uint64_t number;

	if (strcmp(name, "all") == 0)
		return PAST_ALL;
	return span_u64(&text, &number) && number < PAST_ALL ? (uint16_t)number : PAST_ALL - 1;
}

static uint16_t cpu_of(const void *context, const struct table *table, const void *row)
{
	(void)context;
	return past_cpu(table_text(table, row, "cpu"));
}

static const struct past_table latency_buckets = { "latency_bucket", "samples", "samples_per_second", cpu_of,
						   NULL };

/* Width of the linear buckets in this frame; 0: log-linear. */
static uint64_t past_width_ns(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "latency");
	double seconds = table_number(table, table_find(table, "all", NULL), "bucket_seconds");

	return seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

void latency_past_add(struct bucket_past *past, const struct frame *frame)
{
	past_add(past, frame, &latency_buckets, past_width_ns(frame),
		 frame_number(frame, "latency", "all", "measured_seconds"));
}

enum latency_table {
	LATENCY_TABLE_LATENCY,
	LATENCY_TABLE_PHASE,
	LATENCY_TABLE_BUCKET,
	LATENCY_TABLE_WORST,
};

enum latency_view {
	LATENCY_VIEW_SUMMARY,
	LATENCY_VIEW_CPUS,
	LATENCY_VIEW_ONE,
	LATENCY_VIEW_NUMBERS,
	LATENCY_VIEW_BUCKETS,
	LATENCY_VIEW_WORST,
};

#define LATENCY_SPAN_MAX 64

#define NARROW 40
#define TITLE_CELLS 60     /* a narrower title is brief */
#define HEAT_FROM_CELLS 76 /* with fewer there are only bars */
#define BARS_CELLS_MAX 72
#define HEAT_FROM_LINES 5
#define SIDE_CELLS_MIN 36
#define CPUS_FROM_LINES 22  /* above the worst */
#define WORST_FROM_LINES 14 /* of the whole pane */

/*
 * What a screenshot needs to be understood, without what is as usual: no slack, memory locked, idle states as
 * they are. If it is not the requested policy, the reason, too.
 */
static const struct remark setting_pieces[] = {
	{ "not degraded > 0", "SCHED_{name}[ {above_zero}]", .level = STYLE_STRONG },
	{ "degraded > 0", "SCHED_{name}[ {above_zero}]", .level = STYLE_NOTICE },
	{ "degraded > 0", N_("(no right to {asked})"), .level = STYLE_NOTICE },
	{ NULL, N_("interval {period_seconds:time}"), .level = STYLE_STRONG },
	{ "method", "{method}" },
	{ "not slack_seconds == 0", N_("slack {slack_seconds:time}") },
	{ "cpus", PN_("{cpus} CPU", "{cpus} CPUs"), "cpus" },
	{ "not locked == all", N_("memory locked: {locked}"), .level = STYLE_DIM },
	{ "not idle_states == as they are", N_("idle states: {idle_states}"), .level = STYLE_DIM },
};

static void draw_setting(const struct canvas *canvas, int y, const struct table *table, const void *row)
{
	double priority = table_number(table, row, "priority");
	char name[32] = "";
	const struct made_fact made[] = { { "above_zero", priority > 0 ? column_fact(table, row, "priority")
									: FACT_UNKNOWN },
					  { "name", { .text = name } } };
	const struct row_facts facts = { { row_fact }, table, row, made, 2 };
	struct text_flow flow = text_flow_of_pieces(canvas, y, 1);

	snprintf(name, sizeof(name), "%s", table_text(table, row, "policy"));
	for (char *at = name; *at; at++)
		*at = ascii_upper(*at);
	text_flow_say(&flow, REMARKS(setting_pieces), &facts.facts);
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

/* The most important ones stay where there is little room. */
static const struct percentile {
	const char *text;
	unsigned rank;
} percentiles[] = {
	{ "50% {p50_seconds:time}", 0 },       { "90% {p90_seconds:time}", 3 },
	{ "99% {p99_seconds:time}", 1 },       { "99.9% {p99_9_seconds:time}", 2 },
	{ "99.99% {p99_99_seconds:time}", 4 },
};

#define N_PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

/* Is there room for all up to this rank? */
static bool has_room(struct text_flow flow, char texts[][TEXT_MAX], unsigned rank)
{
	for (size_t i = 0; i < N_PERCENTILES; i++) {
		int cells = utf8_cells(texts[i], flow.ascii);

		if (percentiles[i].rank > rank)
			continue;
		if (!text_flow_room(&flow, cells))
			return false;
		flow.x += cells + flow.gap;
	}
	return true;
}

/* As many as fit, in ascending order. */
static void say_percentiles(struct text_flow *flow, const struct facts *facts)
{
	unsigned last = N_PERCENTILES - 1;
	char texts[N_PERCENTILES][TEXT_MAX];

	for (size_t i = 0; i < N_PERCENTILES; i++)
		sentence_text(texts[i], percentiles[i].text, facts);
	while (last > 0 && !has_room(*flow, texts, last))
		last--;
	for (size_t i = 0; i < N_PERCENTILES; i++)
		if (percentiles[i].rank <= last)
			text_flow_add(flow, percentiles[i].rank <= 2 ? STYLE_STRONG : STYLE_NORMAL, texts[i]);
}

enum latency_phase { LATENCY_OFF, LATENCY_RUNS, LATENCY_STOPPED, LATENCY_RECORDED };

struct latency_state {
	unsigned cpu;    /* index of the CPU that is shown, or of the first of several */
	unsigned n_beside; /* CPUs that fit side by side */
	bool stopped;      /* … but its result is still there */
	struct bucket_past past;
};

static enum latency_phase latency_phase(const struct pane_context *context)
{
	const struct latency_state *latency = context->state;

	if (screen_replays(context))
		return LATENCY_RECORDED;
	if (!context->requested[LATENCY_TABLE_LATENCY])
		return LATENCY_OFF;
	return latency->stopped ? LATENCY_STOPPED : LATENCY_RUNS;
}

/* Length of the window of the charts in seconds; 0: since the start. */
static double latency_window(const struct pane_context *context)
{
	static const double seconds[] = { 0, 10, 60, 600 };

	return seconds[context->settings->latency.window];
}

/* The samples of a CPU, or of all, in the selected window. */
static void fill_shown(const struct pane_context *context, const char *name, struct histogram *shown)
{
	const struct latency_state *latency = context->state;
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	const struct table *buckets = context_table(context, LATENCY_TABLE_BUCKET);
	const void *row = table_find(table, name, NULL);
	double window = latency_window(context) * 1e9;
	double least = table_number(table, row, "min_seconds"),
	       most = table_number(table, row, "max_seconds");
	double mean = table_number(table, row, "mean_seconds");

	histogram_clear(shown, past_width_ns(context->frame));
	if (window > 0) {
		uint64_t now = buckets ? buckets->mono_ns : 0;

		past_sum(&latency->past, past_cpu(name), (double)now > window ? now - (uint64_t)window : 0,
			 now, shown);
		return;
	}
	past_since_start(context->frame, &latency_buckets, past_cpu(name), shown);
	if (shown->count == 0 || isnan(least) || isnan(most) || isnan(mean))
		return;
	shown->min_ns = (uint64_t)(least * 1e9 + 0.5);
	shown->max_ns = (uint64_t)(most * 1e9 + 0.5);
	shown->sum_ns = (uint64_t)(mean * 1e9 * (double)shown->count);
}

/* Also sets shown to their histogram. */
static void compute_figures(const struct pane_context *context, const char *name, struct figures *figures,
			    struct histogram *shown)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	double window = latency_window(context);

	fill_shown(context, name, shown);
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

/* "since 06:32:09": the start of the measurement. Returns text. */
static const char *since_text(const struct pane_context *context, char text[LATENCY_SPAN_MAX])
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	double measured = frame_number(context->frame, "latency", "all", "measured_seconds");
	double ago =
		table ? measured + ((double)context->frame->mono_ns - (double)table->mono_ns) / 1e9 : NAN;
	char clock[CLOCK_TEXT_MAX];

	if (!(ago >= 0 && ago * 1e9 < (double)context->frame->wall_ns))
		snprintf(text, LATENCY_SPAN_MAX, "%s", _("since the start"));
	else
		snprintf(text, LATENCY_SPAN_MAX, _("since %s"),
			 clock_local(clock, context->frame->wall_ns - (uint64_t)(ago * 1e9), "%H:%M:%S"));
	return text;
}

/* "since 06:32:09", "last 10 s": what the charts cover. */
static const char *window_text(const struct pane_context *context, char text[LATENCY_SPAN_MAX])
{
	double window = latency_window(context);

	if (!(window > 0))
		return since_text(context, text);
	snprintf(text, LATENCY_SPAN_MAX, _("last %.0f s"), window);
	return text;
}

/* The rule above charts, with how long was measured: "CPU 1, last 10 s ──── 22 s measured". */
static void draw_title(const struct pane_context *context, const struct canvas *canvas, const char *what,
		       const char *span)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	const void *row = table_find(table, "all", NULL);
	const struct row_facts facts = { .facts = { row_fact }, .table = table, .row = row };
	char title[TEXT_MAX], measured[TEXT_MAX];

	snprintf(title, sizeof(title), "%s, %s", what, span);
	sentence_text(measured,
		      latency_phase(context) == LATENCY_STOPPED ? _("stopped after {measured_seconds:.0} s")
		      : canvas->width < TITLE_CELLS             ? _("{measured_seconds:.0} s")
								: _("{measured_seconds:.0} s measured"),
		      &facts.facts);
	canvas_rule(canvas, 0, title, measured);
}

static const struct remark result_pieces[] = {
	{ NULL, N_("max {max_seconds:time}"), .level = STYLE_STRONG },
	{ "missed > 0, brief", PN_("{missed:.0} missed", "{missed:.0} missed"), "missed",
	  .level = STYLE_STRONG },
	{ "missed > 0, not brief", PN_("{missed:.0} overrun", "{missed:.0} overruns"),
	  "missed", .level = STYLE_STRONG },
}, result_ends[] = {
	{ NULL, N_("min {min_seconds:time}") },
	{ NULL, N_("mean {mean_seconds:time}") },
	{ NULL, PN_("{samples:.0} sample", "{samples:.0} samples"), "samples" },
	{ "missed == 0", N_("no overrun") },
};

static void draw_result(const struct canvas *canvas, int y, int lines, const struct figures *figures,
			const char *name)
{
	static const struct table drawn = { .schema = &figures_schema };
	const struct made_fact made[] = { { "brief", { .text = canvas->width < TITLE_CELLS ? "yes" : "" } } };
	const struct row_facts facts = { { row_fact }, &drawn, figures, made, 1 };
	struct text_flow flow = text_flow_of_pieces(canvas, y, lines);

	if (name)
		text_flow_add(&flow, STYLE_STRONG, name);
	if (figures->samples == 0) {
		text_flow_add(&flow, STYLE_NORMAL, _("no sample yet"));
		return;
	}
	text_flow_say(&flow, REMARKS(result_pieces), &facts.facts);
	say_percentiles(&flow, &facts.facts);
	text_flow_say(&flow, REMARKS(result_ends), &facts.facts);
}

static bool has_heat(const struct pane_context *context, const struct canvas *canvas)
{
	return context->view != LATENCY_VIEW_CPUS && canvas->width >= HEAT_FROM_CELLS &&
	       canvas->height >= HEAT_FROM_LINES;
}

/* Bars of one CPU or all, with the last seconds beside them if there is room. */
static void draw_charts(const struct pane_context *context, const struct canvas *canvas, const char *name,
			const struct time_axis *axis, const struct histogram *shown)
{
	bool heat = has_heat(context, canvas);
	bool log_counts = context->settings->latency.counts == 1;
	int width = heat ? canvas->width * 5 / 8 : canvas->width;
	const struct row_facts facts = { { row_fact }, .frame = context->frame };
	const struct latency_state *latency = context->state;
	const struct table *buckets = context_table(context, LATENCY_TABLE_BUCKET);
	const struct heat_of of = {
		.past = &latency->past,
		.key = past_cpu(name),
		.now_ns = buckets ? buckets->mono_ns : 0,
		.step_seconds = context_step_seconds(context),
		.unit = _("wake-ups per cell"),
	};
	struct canvas bars, map;

	facts_drawn(&facts.facts, "latency_bucket.all.samples");
	if (heat && width > BARS_CELLS_MAX)
		width = BARS_CELLS_MAX;
	bars = canvas_part(canvas, heat ? 1 : 0, 0, canvas->height, width);
	time_bars(&bars, axis, shown, log_counts);
	if (!heat)
		return;
	canvas_text(canvas, 0, 0, STYLE_DIM,
		    log_counts ? _("   delay  wake-ups (logarithmic)") : _("   delay  wake-ups"), width);
	map = canvas_part(canvas, 0, width + 1, canvas->height, canvas->width - width - 1);
	if (buckets)
		time_heat(&map, axis, &of);
}

static const char *cpu_name(const struct table *table, unsigned cpu)
{
	return table->n_rows > 1 ? table_text(table, table_row(table, 1 + cpu % (table->n_rows - 1)), "cpu")
				 : "all";
}

/* Common rows for all CPUs, so that they can be compared. */
static void make_axis(const struct pane_context *context, struct time_axis *axis, int lines)
{
	struct histogram all;

	fill_shown(context, "all", &all);
	time_axis_make(axis, &all, lines, context->settings->latency.times == 1);
}

/* label: drawn before the numbers; NULL: the title has it. */
static void draw_one(const struct pane_context *context, const struct canvas *canvas, const char *name,
		     const struct time_axis *axis, const char *label)
{
	struct canvas charts = canvas_rows(canvas, 1, canvas->height - 1);
	struct histogram shown;
	struct figures figures;

	compute_figures(context, name, &figures, &shown);
	draw_result(canvas, 0, 1, &figures, label);
	draw_charts(context, &charts, name, axis, &shown);
}

/* As many CPUs as fit side by side. */
static void latency_layout(struct pane_context *context, const struct canvas *canvas)
{
	struct latency_state *latency = context_state(context);
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	int n_cpus = table ? (int)table->n_rows - 1 : 0, columns = canvas->width / SIDE_CELLS_MIN;

	columns = columns < 1 ? 1 : columns > n_cpus ? n_cpus : columns;
	latency->n_beside = columns > 0 ? (unsigned)columns : 0;
}

static void draw_side_by_side(const struct pane_context *context, const struct canvas *canvas,
			      const struct table *table)
{
	const struct latency_state *latency = context->state;
	int columns = (int)latency->n_beside, width;
	struct time_axis axis;

	make_axis(context, &axis, canvas->height - 1);
	if (columns < 1)
		return;
	width = canvas->width / columns;
	for (int i = 0; i < columns; i++) {
		struct canvas part = canvas_part(canvas, 0, i * width, canvas->height, width - 1);
		const char *name = cpu_name(table, latency->cpu + (unsigned)i);
		char label[64];

		snprintf(label, sizeof(label), _("CPU %s"), name);
		draw_one(context, &part, name, &axis, label);
	}
}

static void draw_table(const struct pane_context *context, const struct canvas *canvas, unsigned table,
		       const char *what)
{
	char title[TEXT_MAX], since[LATENCY_SPAN_MAX];

	snprintf(title, sizeof(title), "%s, %s", what, since_text(context, since));
	context_draw_titled(context, canvas, table, title);
}

/* Below the charts: the CPUs where there is much room, and the worst. Returns the rest. */
static int draw_tables(const struct pane_context *context, const struct canvas *canvas,
		       const struct table *table)
{
	int bottom = canvas->height, lines = bottom < WORST_FROM_LINES ? 0
					     : bottom >= 45            ? 22
								       : bottom / 3 + 1;
	int cpus = (int)table->n_rows + 2;
	struct canvas part = canvas_rows(canvas, bottom - lines, lines);

	if (lines > 0)
		draw_table(context, &part, LATENCY_TABLE_WORST, _("Worst wake-ups"));
	bottom -= lines;
	if (bottom < CPUS_FROM_LINES)
		return bottom;
	cpus = cpus < bottom / 3 ? cpus : bottom / 3;
	part = canvas_rows(canvas, bottom - cpus, cpus);
	draw_table(context, &part, LATENCY_TABLE_LATENCY, _("CPUs"));
	return bottom - cpus;
}

static void draw_summary(const struct pane_context *context, const struct canvas *canvas,
			 const struct table *table)
{
	int bottom =
		context->view == LATENCY_VIEW_SUMMARY ? draw_tables(context, canvas, table) : canvas->height;
	struct canvas charts = canvas_rows(canvas, 2, bottom - 2);
	const struct latency_state *latency = context->state;
	const char *name = context->view == LATENCY_VIEW_ONE ? cpu_name(table, latency->cpu) : "all";
	char what[64], span[LATENCY_SPAN_MAX];
	struct canvas bars = canvas_rows(&charts, 1, charts.height - 1);
	struct time_axis axis;

	snprintf(what, sizeof(what), _("CPU %s"), name);
	draw_title(context, canvas,
		   context->view == LATENCY_VIEW_ONE    ? what
		   : context->view == LATENCY_VIEW_CPUS ? _("CPUs side by side")
							: _("All CPUs"),
		   window_text(context, span));
	draw_setting(canvas, 1, table, table_row(table, 0));
	if (context->view == LATENCY_VIEW_CPUS) {
		draw_side_by_side(context, &charts, table);
		return;
	}
	/* beside a heat map, its legend and its time axis take a line each */
	make_axis(context, &axis, has_heat(context, &bars) ? bars.height - 2 : bars.height);
	draw_one(context, &charts, name, &axis, NULL);
}

/* On a small screen: the result, then the settings of the measurement. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas,
		       const struct table *table)
{
	int lines = canvas->height < 6 ? canvas->height - 1 : 2;
	struct canvas charts = canvas_rows(canvas, lines + 1, canvas->height - lines - 1);
	char span[LATENCY_SPAN_MAX];
	struct time_axis axis;
	struct histogram shown;
	struct figures figures;

	make_axis(context, &axis, charts.height);
	compute_figures(context, "all", &figures, &shown);
	draw_result(canvas, 0, lines > 0 ? lines : 1, &figures,
		    latency_window(context) > 0 ? window_text(context, span) : NULL);
	if (canvas->height > 1)
		draw_setting(canvas, lines, table, table_row(table, 0));
	draw_charts(context, &charts, "all", &axis, &shown);
}

/* What Enter would do, and what the view is for; the first one says what the measurement costs. */
static void draw_offer(const struct pane_context *context, const struct canvas *canvas)
{
	const char *period = settings_text(context->settings, "latency.period");
	enum latency_policy policy = context->settings->topic.latency.policy;
	char text[TEXT_MAX], by[32];
	int y = 0;

	/* "FIFO-80": as the settings by it */
	if (policy == LATENCY_FIFO || policy == LATENCY_RR)
		snprintf(by, sizeof(by), "%s-%" PRIu64, policy == LATENCY_FIFO ? "FIFO" : "RR",
			 context->settings->topic.latency.priority);
	else
		snprintf(by, sizeof(by), "%s", latency_policy_names[policy]);
	snprintf(text, sizeof(text),
		 _("Press Enter to measure wake-up latency (like cyclictest: one %s thread per CPU, every "
		   "%s)."),
		 by, period ? period : "1ms");
	y += canvas_wrapped(canvas, y, STYLE_STRONG, span_text(text));
	if (context->view != LATENCY_VIEW_SUMMARY) {
		snprintf(text, sizeof(text), _("Then this view shows: %s."),
			 _(context->pane->views[context->view].help));
		canvas_wrapped(canvas, y, STYLE_DIM, span_text(text));
		return;
	}
	canvas_wrapped(canvas, y, STYLE_DIM,
		       span_text(_("It goes on while other panes are shown; F9 stops it. Each wake-up that "
				   "comes late counts: the delay of a program that is ready to run. The "
				   "threads need some percent of a CPU, and lock panetop in memory.")));
}

static void latency_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	const struct pane_view *view = &context->pane->views[context->view];
	enum latency_phase phase = latency_phase(context);

	if (phase == LATENCY_OFF)
		draw_offer(context, canvas);
	else if (!table || table->n_rows == 0)
		canvas_text(canvas, 0, 0, STYLE_DIM,
			    table                        ? _("nothing is measured; i shows why")
			    : phase == LATENCY_RECORDED ? context->tables[LATENCY_TABLE_LATENCY].absent
							 : _("starting"),
			    -1);
	else if (context->view >= LATENCY_VIEW_NUMBERS)
		draw_table(context, canvas, view->table, _(view->title));
	else if (canvas->height < 5 || canvas->width < NARROW)
		draw_short(context, canvas, table);
	else
		draw_summary(context, canvas, table);
}

static bool runs_command(const struct sample_request *request)
{
	return request->command;
}

static const struct pane_table tables[] = {
	[LATENCY_TABLE_LATENCY] = { .topic = "latency", .headline = true, .on_request = true },
	[LATENCY_TABLE_PHASE] = { .topic = "latency_phase", .lazy = true, .when = runs_command },
	[LATENCY_TABLE_BUCKET] = { .topic = "latency_bucket", .option = "bucket", .on_request = true },
	[LATENCY_TABLE_WORST] = { .topic = "latency_worst", .on_request = true },
	{ 0 },
};

static const struct pane_assertion assertion = {
	.topic = "latency", .row = "all", .phases = "latency_phase", .during = "during", .after = "after"
};

static const char *refuses_option(const struct settings *settings, const char *name)
{
	enum latency_policy policy = settings->topic.latency.policy;
	bool other = policy == LATENCY_OTHER, deadline = policy == LATENCY_DEADLINE;

	if (strcmp(name, "priority") == 0 && (other || deadline))
		return _("only the policies fifo and rr have a priority");
	if (strcmp(name, "slack") == 0 && !other)
		return _("only the policy other has a timer slack: add --policy=other");
	return NULL;
}

/* The first row of the table is that of all CPUs. */
static void go_to_cpu(struct pane_context *context, bool back)
{
	struct latency_state *latency = context_state(context);
	const struct table *table = context_table(context, LATENCY_TABLE_LATENCY);
	unsigned n_cpus = table && table->n_rows > 1 ? (unsigned)table->n_rows - 1 : 1;

	latency->cpu = (latency->cpu + (back ? n_cpus - 1 : 1)) % n_cpus;
}

static void next_cpu(struct pane_context *context)
{
	go_to_cpu(context, false);
}

static void previous_cpu(struct pane_context *context)
{
	go_to_cpu(context, true);
}

static bool key(struct pane_context *context, const struct input *input)
{
	bool shows_cpus = context->view == LATENCY_VIEW_CPUS || context->view == LATENCY_VIEW_ONE;

	if (!shows_cpus || (input->key != K_LEFT && input->key != K_RIGHT))
		return false;
	go_to_cpu(context, input->key == K_LEFT);
	return true;
}

static bool goes_on(const struct pane_context *context)
{
	return latency_phase(context) == LATENCY_RUNS;
}

static void request(struct pane_context *context, bool wanted)
{
	screen_request(context, LATENCY_TABLE_LATENCY, wanted);
	screen_request(context, LATENCY_TABLE_BUCKET, wanted);
	screen_request(context, LATENCY_TABLE_WORST, wanted);
}

/* A stopped measurement is closed first: its threads have ended. */
static void start(struct pane_context *context)
{
	struct latency_state *latency = context_state(context);

	request(context, false);
	latency->stopped = false;
	request(context, true);
	screen_message(context->screen, MESSAGE_PANE, "%s", _("measuring; F9 stops it"));
}

static void ended(struct pane_context *context, int error)
{
	struct latency_state *latency = context_state(context);

	latency->stopped = error == 0;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       error ? strerror(-error) : _("measurement stopped; Enter starts a new one"));
}

static void restarted(struct pane_context *context, int error)
{
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       error ? strerror(-error) : _("measurement restarted"));
}

static void act_on_it(struct pane_context *context, const char *action,
		      void (*done)(struct pane_context *context, int error))
{
	const char *remedy;
	int error = screen_act(context, "latency", action, done, &remedy);

	if (error)
		done(context, error);
}

static void act(struct pane_context *context, unsigned index)
{
	if (latency_phase(context) != LATENCY_RUNS)
		start(context);
	else if (index == 0)
		act_on_it(context, "stop", ended);
	else
		act_on_it(context, "restart", restarted);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item running[] = {
		{ _("Stop"), _("end the measuring threads; the result stays") },
		{ _("Restart"), _("forget what was measured, and measure on") },
	};
	const struct menu_item off[] = { { _("Start"), _("start the measuring threads") } };
	bool runs = latency_phase(context) == LATENCY_RUNS;

	screen_menu(context, _("Actions"), runs ? running : off, runs ? 2 : 1, 0, act);
}

static const struct pane_action cpu_actions[] = {
	{ ACTION_REGION_BACK, previous_cpu, N_("CPU"), N_("the previous CPU (or Left)") },
	{ ACTION_REGION_ON, next_cpu, N_("CPU"), N_("the next CPU (or Right)") },
	{ 0 },
};

static const struct pane_view views[] = {
	[LATENCY_VIEW_SUMMARY] = { "summary", N_("Summary"), N_("all CPUs together, and the worst wake-ups"),
				   LATENCY_TABLE_WORST, .draw = latency_draw },
	[LATENCY_VIEW_CPUS] = { "cpus", N_("CPUs"), N_("the CPUs side by side"), LATENCY_TABLE_LATENCY,
				.actions = cpu_actions, .no_table = true, .draw = latency_draw },
	[LATENCY_VIEW_ONE] = { "one", N_("One CPU"), N_("one CPU, and its last seconds"),
			       LATENCY_TABLE_LATENCY, .actions = cpu_actions, .no_table = true,
			       .draw = latency_draw },
	[LATENCY_VIEW_NUMBERS] = { "numbers", N_("Numbers"), N_("percentiles of every CPU in numbers"),
				   LATENCY_TABLE_LATENCY, .draw = latency_draw },
	[LATENCY_VIEW_BUCKETS] = { "buckets", N_("Buckets"), N_("the distribution in numbers"),
				   LATENCY_TABLE_BUCKET, .draw = latency_draw },
	[LATENCY_VIEW_WORST] = { "worst", N_("Worst"),
				 N_("the worst wake-ups, and what the machine did in that interval"),
				 LATENCY_TABLE_WORST, .draw = latency_draw },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_OPEN, start, N_("Start"), N_("start measuring") },
	{ ACTION_ACT, show_actions, NULL, N_("stop, restart or start measuring") },
	{ 0 },
};

static const char *const window_labels[] = { N_("since the start"), N_("last 10 s"), N_("last 60 s"),
					     N_("last 600 s") };
static const char *const times_labels[] = { N_("logarithmic"), N_("linear") };
static const char *const counts_labels[] = { N_("linear"), N_("logarithmic") };

static const struct pane_setting choices[] = {
	{ "window", N_("Window of the charts"), window_labels },
	{ "times", N_("Scale of times"), times_labels },
	{ "counts", N_("Scale of counts"), counts_labels },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	enum latency_phase phase = latency_phase(context);

	if (phase == LATENCY_RECORDED && (action == ACTION_OPEN || action == ACTION_ACT))
		return _("a recording is not measured again");
	if (phase == LATENCY_RUNS && action == ACTION_OPEN)
		return _("the measurement runs; F9 stops or restarts it");
	return NULL;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct latency_state *latency = context_state(context);

	latency_past_add(&latency->past, frame);
}

const struct pane pane_latency = {
	.name = "latency",
	.digit = '9',
	.title = N_("Latency"),
	.question = N_("How long until a woken thread runs?"),
	.unscoped = N_("latency is that of the machine: it is measured on CPUs, not in processes"),
	.assertion = &assertion,
	.tables = tables,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.goes_on = goes_on,
	.key = key,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct latency_state),
	.layout = latency_layout,
	.sampled = sampled,
};
