/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the power pane: the total first, then its parts, heat, speed, and the graph. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "model/statistics.h"
#include "pane/common.h"
#include "pane/power/power.h"

/* Before half a minute any value is a maximum. */
#define NEAR_MAXIMUM "run_seconds >= 30, watts >= 0.95 * max_watts, max_watts >= 1.25 * mean_watts"
#define LOW_CHARGE "battery"
#define HEAT "finding.heat.state == now"
#define NO_HEAT "not finding.heat.state == now, "

static const struct remark words[] = {
	{ "throttled > 0", N_("THROTTLED"), .level = POWER_THROTTLED },
	{ HEAT, N_("THROTTLED"), .level = POWER_THROTTLED },
	{ "celsius >= critical_celsius", N_("TOO HOT"), .level = POWER_HOT },
	{ "celsius >= high_celsius", N_("HOT"), .level = POWER_HOT },
	{ "celsius >= critical_celsius - 5", N_("HOT"), .level = POWER_HOT },
	{ LOW_CHARGE, N_("LOW"), .level = POWER_LOW },
	{ NEAR_MAXIMUM, N_("HIGH"), .level = POWER_HIGH },
	{ "watts, not no_watts, not no_heat", N_("OK"), .level = POWER_OK },
	{ "celsius, not no_watts, not no_heat", N_("OK"), .level = POWER_OK },
};

static const struct remark nothing = {
	"not throttled > 0, not watts, not celsius, not no_watts, not no_heat, not battery, "
	"not source == " POWER_REFUSED,
	N_("No power or temperature sensors (usual in a VM). Load and clock speed below."),
};

/* Of each line the first that holds. */
static const struct remark sentences[][6] = {
	{ { "throttled > 0",
	    PN_("{throttled} CPU was slowed down for heat in the last {step_seconds}.",
		"{throttled} CPUs were slowed down for heat in the last {step_seconds}."),
	    "throttled" } },
	{ { LOW_CHARGE, N_("{battery} has {charge_ratio:%} left.") } },
	{ { "no_watts", N_("Watts: {no_watts}.") },
	  { "not watts, source == " POWER_REFUSED, N_("Watts may not be read.") },
	  { "not watts", N_("Nothing measures watts here.") },
	  { NEAR_MAXIMUM, N_("{watts}, near its maximum of {max_watts}.") },
	  { "run_seconds >= 30, max_watts >= 1.001 * min_watts",
	    N_("{watts}, {min_watts} to {max_watts} in {run_seconds}.") },
	  { .text = "{watts}." } },
	{ { "no_heat", N_("Temperatures: {no_heat}.") } },
	{ { "celsius, critical_celsius", N_("{celsius:C} at {sensor}, critical is {critical_celsius:C}.") },
	  { "celsius, high_celsius", N_("{celsius:C} at {sensor}, high is {high_celsius:C}.") },
	  { "celsius", N_("{celsius:C} at {sensor}.") } },
	{ { NO_HEAT "throttled == 0", N_("Not throttled.") } },
};

enum power_level power_word(struct buffer *out, const struct facts *facts)
{
	return remarks_say(out, REMARKS(words), facts);
}

void power_verdict(struct buffer *out, const struct facts *facts)
{
	size_t begun = out->length;

	if (remark_say(out, &nothing, facts))
		return;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		size_t n = 0, end = out->length;

		while (n < 6 && sentences[i][n].text)
			n++;
		if (end > begun)
			buffer_char(out, ' ');
		if (remarks_say(out, sentences[i], n, facts) < 0)
			out->length = end;
	}
}

#define CHANGES "load_range >= 0.1, " /* the load does */
#define FOLLOWS CHANGES "correlation >= 0.7, lag_seconds >= 0"
#define AT_ONCE FOLLOWS ", lag_seconds == 0"
#define DROPS CHANGES "correlation <= -0.7, lag_seconds " /* something throttles the clock */

static const struct remark relation_sentences[] = {
	{ "kind == heat, " AT_ONCE, N_("{label} at once") },
	{ "kind == heat, " FOLLOWS, N_("{label} after {lag_seconds:.0} s") },
	{ "kind == watts, " AT_ONCE, N_("Watts follow load at once.") },
	{ "kind == watts, " FOLLOWS, N_("Watts follow load after {lag_seconds:.0} s.") },
	{ "kind == clock, " AT_ONCE, N_("Clock follows load at once.") },
	{ "kind == clock, " FOLLOWS, N_("Clock follows load after {lag_seconds:.0} s.") },
	{ "kind == clock, " DROPS "> 0",
	  N_("Clock drops {lag_seconds:.0} s after load rises (r = {correlation:.2}).") },
	{ "kind == clock, " DROPS "== 0", N_("Clock drops when load rises (r = {correlation:.2}).") },
};

static struct row_facts facts_of(const struct power_relation *relation, struct made_fact made[5])
{
	made[0] = (struct made_fact){ "kind", { .text = relation->kind } };
	made[1] = (struct made_fact){ "label", { .text = relation->label } };
	made[2] = (struct made_fact){ "correlation", { .number = relation->correlation },
				      "Pearson's r of load and this, at the lag" };
	made[3] = (struct made_fact){ "lag_seconds", number_fact(relation->lag_seconds, UNIT_SECONDS),
				      "the lag with the strongest correlation" };
	made[4] = (struct made_fact){ "load_range", { .number = relation->load_range } };
	return (struct row_facts){ .facts = { row_fact }, .made = made, .n_made = 5 };
}

/* Behind before. False: there is nothing to say. */
static bool say(struct buffer *out, const char *before, const struct power_relation *relation)
{
	struct made_fact made[5];
	struct row_facts facts = facts_of(relation, made);
	size_t begun = out->length;

	buffer_text(out, before);
	if (remarks_say(out, REMARKS(relation_sentences), &facts.facts) >= 0)
		return true;
	out->length = begun;
	return false;
}

static bool is_heat(const struct power_relation *relation)
{
	return strcmp(relation->kind, "heat") == 0;
}

static bool both_at_once(const struct power_relation *relations, unsigned n_relations)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_relations; i++) {
		struct made_fact made[5];
		struct row_facts facts = facts_of(&relations[i], made);

		n += !is_heat(&relations[i]) && sentence_holds(AT_ONCE, &facts.facts);
	}
	return n == 2;
}

void power_relations(struct buffer *out, const struct power_relation *relations, unsigned n_relations)
{
	const char *before = _("Heat follows load: ");
	size_t begun = out->length;

	for (unsigned i = 0; i < n_relations; i++)
		if (is_heat(&relations[i]) && say(out, before, &relations[i]))
			before = ", ";
	buffer_text(out, out->length > begun ? ".\n" : "");
	if (both_at_once(relations, n_relations)) {
		buffer_text(out, _("Watts and clock follow load at once."));
		buffer_char(out, '\n');
		return;
	}
	for (unsigned i = 0; i < n_relations; i++)
		if (!is_heat(&relations[i]) && say(out, "", &relations[i]))
			buffer_char(out, '\n');
}

#define LABEL_CELLS_MIN 11
#define GRAPH_CELLS_MIN 20
#define NUMBER_CELLS 6
#define LINE_ROWS 2      /* at least, before tables below have room */
#define LINE_ROWS_MAX 10
#define NARROW_GRAPH 60
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
	return line->index == POWER_SERIES_LOAD    ? fixed_text(text, 100 * value, 0)
	       : line->index == POWER_SERIES_WATTS ? fixed_text(text, value, 1)
	       : line->index == POWER_SERIES_HERTZ ? fixed_text(text, value / 1e9, 2)
						   : fixed_text(text, value, 0);
}

/* Behind the name of a line. */
static const char *unit_of(const struct graph_series *line, bool ascii)
{
	return line->index == POWER_SERIES_LOAD    ? " %"
	       : line->index == POWER_SERIES_WATTS ? ""
	       : line->index == POWER_SERIES_HERTZ ? " GHz"
	       : ascii                             ? " C"
						   : " °C";
}

/* Cells before the lines: the longest label, within bounds, and a number. */
static int left_cells(const struct pane_context *context, const struct canvas *canvas)
{
	const struct power_state *power = context->state;
	int longest = LABEL_CELLS_MIN;
	int most = canvas->width / (canvas->width < NARROW_GRAPH ? 2 : 3) - NUMBER_CELLS - 1;

	for (unsigned i = 0; i < power->n_graph_series; i++) {
		const struct graph_series *line = &power->graph_series[i];
		int cells = utf8_cells(line->label, canvas->ascii) +
			    utf8_cells(unit_of(line, canvas->ascii), canvas->ascii);

		if (graph_series_shown(context, line) && cells > longest)
			longest = cells;
	}
	return 1 + (longest < most ? longest : most) + NUMBER_CELLS + 1;
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
	const char *unit = unit_of(line, canvas->ascii);
	int right = left - NUMBER_CELLS - 1, room = right - 1 - utf8_cells(unit, canvas->ascii);
	int name = utf8_cells(line->label, canvas->ascii);

	canvas_cut(canvas, 0, 1, STYLE_NORMAL, line->label, room);
	canvas_text(canvas, 0, 1 + (name < room ? name : room), STYLE_NORMAL, unit, -1);
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

		if (graph_series_shown(context, line) && !isnan(range.least))
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

/* Lines are dropped from the end where there is no room. As high as tables of lines_below leave room for. */
static int power_graph_draw(const struct pane_context *context, const struct canvas *canvas, int lines_below)
{
	const struct graph_series *lines[GRAPH_SERIES_MAX];
	unsigned n_lines = choose_lines(context, canvas, lines);
	struct canvas plot = plot_of(context, canvas);
	char span[VALUE_TEXT_MAX], right[TEXT_MAX];
	struct buffer text = BUFFER_HERE;
	int room, rows, higher, y = 1;

	if (canvas->height < 2 || canvas->width < GRAPH_CELLS_MIN)
		return 0;
	/* "each graph has its own scale ──── last 5 min" */
	snprintf(right, sizeof(right), _("last %s"), stretch_text(span, shown_seconds(context, &plot)));
	canvas_rule(canvas, 0,
		    canvas->width < NARROW_GRAPH ? _("own scales") : _("each graph has its own scale"),
		    right);
	if (n_lines == 0) {
		canvas_text(canvas, 1, 0, STYLE_DIM,
			    any_shown(context)
				    ? _("nothing known to draw yet")
				    : _("no line is shown: o chooses lines, Space in Sensors temperatures"),
			    -1);
		return 2;
	}
	tell_relations(context, lines, n_lines, &text);
	room = canvas->height - 1;
	higher = room - count_lines(canvas, span_of(text.bytes, text.length)) - lines_below;
	rows = room / (int)n_lines; /* better without a sentence */
	rows = rows < 1 ? 1 : rows < LINE_ROWS ? rows : LINE_ROWS;
	rows = higher / (int)n_lines > rows ? higher / (int)n_lines : rows;
	rows = rows < LINE_ROWS_MAX ? rows : LINE_ROWS_MAX;
	for (unsigned i = 0; i < n_lines && y + rows <= canvas->height; i++, y += rows) {
		struct canvas part = canvas_rows(canvas, y, rows);

		draw_line(context, &part, lines[i]);
	}
	y += canvas_wrapped_lines(canvas, y, STYLE_NORMAL, span_of(text.bytes, text.length));
	buffer_free(&text);
	return y;
}

#define NARROW 30
#define LOW 14
#define BAR_LEFT_CELLS 24 /* name and watts */
#define REST_CELLS_MIN 40
#define REST_LINES_MIN 5
#define NEAR_LIMIT 15 /* degrees */
#define DIGITS_MAX 2
#define BUCKETS_MAX 24
#define SAMPLES_MAX 4096

/* Where the total comes from, before translation. */
bool power_source_is(const struct pane_context *context, const char *source)
{
	const struct table *table = context_table(context, POWER_TABLE_POWER);
	const void *row = table_find(table, "total", NULL);

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

/* The rows that the verdict is of. */
struct verdict_facts {
	struct facts facts;
	struct row_facts total, heat, battery;
	struct made_fact made[6];
};

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct verdict_facts *of = (const struct verdict_facts *)facts;
	struct fact fact = row_fact(&of->total.facts, name);

	if (span_is(name, "battery") || span_is(name, "charge_ratio"))
		return row_fact(&of->battery.facts, name);
	return fact.text || !isnan(fact.number) ? fact : row_fact(&of->heat.facts, name);
}

/* CPUs slowed down for heat; NaN: not known. */
static double throttled(const struct table *table)
{
	double n = NAN;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		double core = table_number(table, table_row(table, i), "core_throttles_per_second");
		double package = table_number(table, table_row(table, i), "package_throttles_per_second");

		if (!isnan(core) || !isnan(package))
			n = (isnan(n) ? 0 : n) + (core > 0 || package > 0);
	}
	return n;
}

const void *power_low_battery(const struct findings *findings, const struct table *table)
{
	const void *low = NULL;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (grade_of_row(findings, "battery_low", table->schema, row) > GRADE_CALM &&
		    (!low ||
		     table_number(table, row, "charge_ratio") < table_number(table, low, "charge_ratio")))
			low = row;
	}
	return low;
}

static const char *why_absent(const struct pane_context *context, enum power_table table)
{
	return context_table(context, table) ? "" : context->tables[table].absent;
}

static void find_facts(const struct pane_context *context, struct verdict_facts *of)
{
	const struct table *total = context_table(context, POWER_TABLE_POWER);
	const struct table *heat = context_table(context, POWER_TABLE_TEMPERATURE);
	const struct table *battery = context_table(context, POWER_TABLE_BATTERY);
	const void *hot = hottest(heat);
	const char *sensor = table_text(heat, hot, "sensor");
	const struct graph_series *line = graph_series_find(context->state, sensor);
	struct made_fact *made = of->made;

	of->heat = (struct row_facts){ .facts = { row_fact }, .table = heat, .row = hot };
	of->battery = (struct row_facts){
		.facts = { row_fact }, .table = battery,
		.row = power_low_battery(context->findings, battery),
	};
	of->total = (struct row_facts){
		.facts = { row_fact }, .table = total, .row = table_find(total, "total", NULL),
		.made = made, .n_made = 6, .frame = context->frame
	};
	made[0] = (struct made_fact){ "no_watts", { .text = why_absent(context, POWER_TABLE_POWER) } };
	made[1] = (struct made_fact){ "no_heat", { .text = why_absent(context, POWER_TABLE_TEMPERATURE) } };
	made[2] = (struct made_fact){ "sensor", { .text = line ? line->label : sensor } };
	made[3] = (struct made_fact){ "throttled",
				      { .number = throttled(context_table(context, POWER_TABLE_THROTTLE)) },
				      "CPUs with core_throttles_per_second or package_throttles_per_second" };
	made[4] = (struct made_fact){ "step_seconds",
				      { .number = context_step_seconds(context), .unit = UNIT_SECONDS } };
	made[5] = (struct made_fact){
		"hertz", number_fact(frame_number(context->frame, "frequency", "all", "hertz"), UNIT_HERTZ)
	};
}

static enum style level_style(const struct pane_context *context, enum power_level level)
{
	static const char *const rules[] = {
		[POWER_LOW] = "battery_low", [POWER_HOT] = "hot", [POWER_THROTTLED] = "heat"
	};
	const char *judged_by = level > POWER_HIGH ? rules[level] : "";

	return level == POWER_UNKNOWN ? STYLE_DIM
	       : level == POWER_OK    ? STYLE_OK
				      : graph_grade_style(grade_of_rules(context->frame, judged_by, false),
							  STYLE_STRONG);
}

static int draw_verdict(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas part = canvas_rows(canvas, 0, canvas->height < LOW ? 2 : 3);
	struct buffer text = BUFFER_HERE, word = BUFFER_HERE;
	struct verdict_facts of = { .facts = { find_fact } };
	enum power_level level;
	int lines;

	find_facts(context, &of);
	level = power_word(&word, &of.facts);
	buffer_char(&word, '\0');
	buffer_print(&text, *word.bytes ? "%s  " : "%s", word.bytes);
	power_verdict(&text, &of.facts);
	lines = canvas_wrapped(&part, 0, level == POWER_UNKNOWN ? STYLE_DIM : STYLE_NORMAL,
			       span_of(text.bytes, text.length));
	canvas_restyle(canvas, 0, 0, utf8_cells(word.bytes, canvas->ascii),
		       level_style(context, level));
	buffer_free(&text);
	buffer_free(&word);
	return lines;
}

/* What each row of a table adds, in this order. */
static const struct piece {
	enum power_table table;
	struct remark remark;
} pieces[] = {
	/* at its limit, and not named in the verdict */
	{ POWER_TABLE_TEMPERATURE, { "beyond >= 0", "{label} {celsius:C}", .rules = "hot" } },
	{ POWER_TABLE_BATTERY,
	  { "watts > 0", N_("{battery}[ {charge_ratio:%}][ {status}] {watts}[, {hours} left]"),
	    .rules = "battery_low" } },
	{ POWER_TABLE_BATTERY,
	  { "not watts > 0", N_("{battery}[ {charge_ratio:%}][ {status}][ {gain}][, full in {hours}]"),
	    .rules = "battery_low" } },
	{ POWER_TABLE_FAN, { "rpm", N_("{label} {rpm:.0} rpm") } },
	{ POWER_TABLE_FAN, { "not rpm", "{label} -" } },
	{ POWER_TABLE_FREQUENCY,
	  { "cpu == all, hertz", N_("{hertz}[ ({min_hertz} to {max_hertz})][, turbo {turbo}]") } },
	{ POWER_TABLE_CPU, { "cpu == all, steal_ratio > 0", N_("steal {steal_ratio}") } },
	{ POWER_TABLE_IDLE, { "cpu == all, residency_ratio >= 0.005", "{state} {residency_ratio:%}" } },
};

static void add_piece(const struct pane_context *context, const struct piece *piece,
		      const struct table *table, const void *row, struct text_flow *flow)
{
	bool battery = piece->table == POWER_TABLE_BATTERY, heat = piece->table == POWER_TABLE_TEMPERATURE;
	double watts = battery ? table_number(table, row, "watts") : NAN;
	double left = battery ? table_number(table, row, "remaining_seconds") : NAN;
	unsigned long minutes = left > 0 && left < 1e7 ? (unsigned long)left / 60 : 0;
	char hours[VALUE_TEXT_MAX] = "";
	const struct made_fact made[] = {
		{ "gain", { .number = watts < 0 ? -watts : NAN, .unit = UNIT_WATTS }, "- watts" },
		{ "hours", { .text = hours }, "remaining_seconds" },
		{ "beyond", { .number = heat && row != hottest(table) ? -headroom(table, row) : NAN } },
	};
	const struct row_facts facts = { { row_fact }, table, row, made, 3 };
	struct remark remark = piece->remark;

	if (left > 0 && left < 1e7) /* "3:43 h" until it is empty or full */
		snprintf(hours, sizeof(hours), "%lu:%02lu h", minutes / 60, minutes % 60);
	if (remark.rules)
		remark.level = (int)graph_grade_style(grade_of_fact(context->findings, context->frame,
								    remark.rules, table->schema, row),
						      battery ? STYLE_NORMAL : STYLE_STRONG);
	text_flow_say(flow, &remark, 1, &facts.facts);
}

static int draw_pieces(const struct pane_context *context, const struct canvas *canvas, int y, int lines)
{
	struct text_flow flow = text_flow_on(canvas, y, lines);

	for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
		const struct table *table = context_table(context, pieces[p].table);

		for (size_t i = 0; table && i < table->n_rows; i++)
			add_piece(context, &pieces[p], table, table_row(table, i), &flow);
	}
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
	const void *total = table_find(table, "total", NULL);
	double whole = frame_number(context->frame, "power", "total", "max_watts");
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

static const struct rest_table {
	unsigned table;
	const char *title;
} rest_tables[] = {
	{ POWER_TABLE_TEMPERATURE, N_("Temperatures now") },
	{ POWER_TABLE_FREQUENCY, N_("Clocks now") },
	{ POWER_TABLE_IDLE, N_("Idle states, last sample") },
};

#define N_REST_TABLES (sizeof(rest_tables) / sizeof(rest_tables[0]))

/* Those below the graph, side by side; lines: what the longest one needs. */
static int choose_rest(const struct pane_context *context, const struct canvas *canvas,
		       const struct rest_table *chosen[N_REST_TABLES], int *lines)
{
	int fit = canvas->width / REST_CELLS_MIN, n = 0;

	*lines = 0;
	for (unsigned i = 0; i < N_REST_TABLES && n < fit; i++) {
		int needed = 1 + table_height(&context->tables[rest_tables[i].table]);

		if (!has_values(context_table(context, rest_tables[i].table)))
			continue;
		chosen[n++] = &rest_tables[i];
		*lines = needed > *lines ? needed : *lines;
	}
	return n;
}

/* What there is room for below the graph. */
static void draw_rest(const struct pane_context *context, const struct canvas *canvas)
{
	const struct rest_table *chosen[N_REST_TABLES];
	int lines, n = choose_rest(context, canvas, chosen, &lines), width;

	if (n == 0 || canvas->height < REST_LINES_MIN)
		return;
	width = canvas->width / n;
	for (int i = 0; i < n; i++) {
		struct canvas part =
			canvas_part(canvas, 0, i * width, canvas->height, i + 1 < n ? width - 1 : width);

		context_draw_titled(context, &part, chosen[i]->table, _(chosen[i]->title));
	}
}

static void draw_home(const struct pane_context *context, const struct canvas *canvas)
{
	int height = canvas->height, y = draw_verdict(context, canvas), below;
	const struct rest_table *chosen[N_REST_TABLES];
	struct canvas graph, rest;

	if (y < height)
		y = draw_bars(context, canvas, y, height >= 30 ? 8 : height >= 16 ? 4 : 1);
	if (y < height)
		y = draw_pieces(context, canvas, y, height >= 22 ? 2 : 1);
	graph = canvas_rows(canvas, y, height - y);
	(void)choose_rest(context, canvas, chosen, &below);
	y += power_graph_draw(context, &graph, below);
	rest = canvas_rows(canvas, y, height - y);
	draw_rest(context, &rest);
}

/* One line for a screen where nothing else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct remark numbers[] = {
		{ "watts", "{watts}", .level = STYLE_STRONG },
		{ "not watts", "- W", .level = STYLE_STRONG },
		{ "celsius", "{celsius:C}" },
		{ "hertz", "{hertz}" },
	};
	struct text_flow flow = text_flow_on(canvas, 0, canvas->height);
	struct buffer word = BUFFER_HERE;
	struct verdict_facts of = { .facts = { find_fact } };
	enum power_level level;

	find_facts(context, &of);
	level = power_word(&word, &of.facts);
	buffer_char(&word, '\0');
	if (*word.bytes)
		text_flow_add(&flow, level_style(context, level), word.bytes);
	buffer_free(&word);
	text_flow_say(&flow, REMARKS(numbers), &of.facts);
}

/* A mark stands before the sensors that are in the graph. */
void power_draw_sensors(const struct pane_context *context, struct canvas *canvas)
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

static void draw_bucket(const struct canvas *canvas, int y, const struct buckets *histogram,
			unsigned bucket, uint64_t most)
{
	struct graph_part part = { 'W', 0, "", 0, (double)histogram->counts[bucket] };
	double low = histogram->first + bucket * histogram->width;
	int digits = histogram->width >= 1 ? 0 : (int)ceil(-log10(histogram->width) - 1e-9);
	char text[TEXT_MAX];

	/* "5.2-5.4 W"; watts of the same value to the hundredth have one bucket */
	if (digits > DIGITS_MAX)
		snprintf(text, TEXT_MAX, "%.*f W", DIGITS_MAX, low);
	else
		snprintf(text, TEXT_MAX, "%.*f-%.*f W", digits, low, digits, low + histogram->width);
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

void power_draw_histogram(const struct pane_context *context, struct canvas *canvas)
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

static const struct remark headings[] = {
	{ "view == domains, run_seconds",
	  N_("{name}: watts of the last {step_seconds}, the rest over {run_seconds}") },
	{ "view == sensors|fans|voltages", N_("{name} now, min and max of the run") },
	{ "view == idle|throttling", N_("{name}, rates of the last {step_seconds}") },
	{ .text = N_("{name} now") },
};

void power_heading(const struct pane_context *context, char *text, size_t room)
{
	const struct pane_view *view = &context->pane->views[context->view];
	double run_seconds = frame_number(context->frame, "power", "total", "run_seconds");
	const struct made_fact made[] = {
		{ "view", { .text = view->name } },
		{ "name", { .text = _(view->title) } },
		{ "step_seconds", { .number = context_step_seconds(context), .unit = UNIT_SECONDS } },
		{ "run_seconds", number_fact(floor(run_seconds), UNIT_SECONDS) },
	};
	const struct row_facts facts = { .facts = { row_fact }, .made = made, .n_made = 4 };
	char title[TEXT_MAX];
	unsigned i = 0;

	while (!sentence_holds(headings[i].when, &facts.facts))
		i++;
	snprintf(text, room, "%s", sentence_text(title, _(headings[i].text), &facts.facts));
}

void power_draw(const struct pane_context *context, struct canvas *canvas)
{
	if (canvas->height < 3 || canvas->width < NARROW)
		draw_short(context, canvas);
	else
		draw_home(context, canvas);
}
