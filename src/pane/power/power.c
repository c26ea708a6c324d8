/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The power pane: its tables, options, keys and views; power_draw.c and power_graph.c draw them. */
#include <config.h>

#include "pane/power/power.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "screen/keys.h"

static const struct pane_table tables[] = {
	[POWER_TABLE_POWER] = { .topic = "power", .headline = true },
	[POWER_TABLE_BATTERY] = { .topic = "battery", .headline = true },
	[POWER_TABLE_TEMPERATURE] = { .topic = "temperature", .headline = true },
	[POWER_TABLE_FAN] = { .topic = "fan", .headline = true },
	[POWER_TABLE_VOLTAGE] = { .topic = "voltage" },
	[POWER_TABLE_FREQUENCY] = { .topic = "frequency", .headline = true },
	[POWER_TABLE_IDLE] = { .topic = "idle_state" },
	[POWER_TABLE_TRIP] = { .topic = "trip_point" },
	[POWER_TABLE_COOLING] = { .topic = "cooling" },
	[POWER_TABLE_THROTTLE] = { .topic = "throttle" },
	[POWER_TABLE_CPU] = { .topic = "cpu" },
	[POWER_TABLE_SYSTEM] = { .topic = "system" },
	[POWER_TABLE_COUNTER] = { .topic = "counter", .lazy = true },
	[POWER_TABLE_CALIBRATION] = { .topic = "calibration" },
	{ 0 },
};

const struct series power_series[] = {
	[POWER_SERIES_WATTS] = { "power", "total", "watts" },
	[POWER_SERIES_IDLE] = { "cpu", "all", "idle_ratio" },
	[POWER_SERIES_WAITING] = { "cpu", "all", "iowait_ratio" },
	[POWER_SERIES_HERTZ] = { "cpu", "all", "frequency_hertz" },
	[POWER_SERIES_CELSIUS] = { "temperature", NULL, "celsius" },
};

static const struct series explained[] = {
	{ "power", "total", "watts" },
	{ "power", "total", "mean_watts" },
	{ "battery", NULL, "watts" },
	{ "battery", NULL, "remaining_seconds" },
	{ "temperature", NULL, "celsius" },
	{ "temperature", NULL, "critical_celsius" },
	{ "fan", NULL, "rpm" },
	{ "frequency", "all", "hertz" },
	{ "idle_state", "all", "residency_ratio" },
	{ "cpu", "all", "idle_ratio" },
	{ 0 },
};

#define LINE_TEMPERATURES 3 /* the first of them, which is always that of the CPU */

/* The columns of batch text, after powerstat. */
static const struct summary_column summary[] = {
	{ { "cpu", "all", "user_ratio" }, NULL, 5, 0 },
	{ { "cpu", "all", "nice_ratio" }, NULL, 5, 0 },
	{ { "cpu", "all", "system_ratio" }, NULL, 5, 0 },
	{ { "cpu", "all", "idle_ratio" }, NULL, 5, 0 },
	{ { "cpu", "all", "iowait_ratio" }, NULL, 5, 0 },
	{ { "system", NULL, "running" }, N_("run"), 4, 0 },
	{ { "system", NULL, "context_switches_per_second" }, N_("ctxt/s"), 6, 0 },
	{ { "system", NULL, "interrupts_per_second" }, N_("irq/s"), 6, 0 },
	{ { "system", NULL, "forks_per_second" }, N_("fork/s"), 6, 0 },
	{ { "event_total", "all", "execs_per_second" }, N_("exec/s"), 6, 0 },
	{ { "event_total", "all", "exits_per_second" }, N_("exit/s"), 6, 0 },
	{ { "power", "total", "watts" }, NULL, 7, 0 },
	{ { "temperature", NULL, "celsius" }, N_("temp"), 6, LINE_TEMPERATURES },
	{ { "frequency", "all", "hertz" }, N_("speed"), 8, 0 },
	{ { 0 }, NULL, 0, 0 },
};

static bool valid_number(const char *value, double least, double most)
{
	struct span span = span_text(value);
	double number;

	return *value != ' ' && span_f64(&span, &number) && span.at == span.end && number >= least &&
	       number <= most;
}

static bool valid_settle(const char *value)
{
	double seconds;

	return strcmp(value, "auto") == 0 || span_whole_seconds(value, 0, 86400, &seconds);
}

static bool valid_percent(const char *value)
{
	return valid_number(value, 0, 100);
}

static bool valid_step(const char *value)
{
	double seconds;

	return span_whole_seconds(value, 0.2, 3600, &seconds);
}

static bool valid_event(const char *value)
{
	return *value != '\0' && !strchr(value, ',');
}

static const struct pane_option options[] = {
	{ "settle", "auto|SECONDS",
	  N_("wait before the first sample; auto: 180 s if a battery is measured, else none"), valid_settle,
	  N_("use seconds, or a unit, as in 3m, or auto") },
	{ "idle-least", N_("PERCENT"), N_("repeat samples in which the CPUs were less idle than this"),
	  valid_percent, N_("use a number of percent") },
	{ "calibrate", NULL, N_("measure what CPU load costs in watts, print the result, and exit"), NULL,
	  NULL },
	{ "per-count", NULL, N_("calibrate with 1, 2 ... all CPUs loaded"), NULL, NULL },
	{ "step-seconds", N_("SECONDS"), N_("duration of each calibration step (default 5)"), valid_step,
	  N_("use 0.2 to 3600 seconds, or a unit, as in 1m") },
	{ "cycles", N_("EVENT"), N_("libpfm4 event that a calibration counts as cycles"), valid_event,
	  N_("use the name of one event") },
	{ "instructions", N_("EVENT"), N_("libpfm4 event that a calibration counts as instructions"),
	  valid_event, N_("use the name of one event") },
	{ "no-forks", NULL, N_("repeat samples in which processes were started"), NULL, NULL },
	{ 0 },
};

#define BATTERY_SECONDS 180 /* until its measurement covers an interval */

static double setting(const struct settings *settings, const char *name)
{
	const char *value = settings_get(settings, name);
	struct span span = span_text(value ? value : "");
	double number;

	return span_f64(&span, &number) ? number : NAN;
}

static bool is_of_battery(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "power");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (strncmp(table_text(table, row, "domain"), "battery/", 8) == 0 &&
		    strcmp(table_text(table, row, "counted_in"), "total") == 0)
			return true;
	}
	return false;
}

static double settle_seconds(const struct settings *settings, const struct frame *frame)
{
	const char *value = settings_get(settings, "power.settle");
	double seconds;

	if (value && strcmp(value, "auto") == 0)
		return is_of_battery(frame) ? BATTERY_SECONDS : 0;
	return value && span_whole_seconds(value, 0, 86400, &seconds) ? seconds : 0;
}

/* panetop itself starts no process. */
static const char *refuses(const struct settings *settings, const struct frame *frame)
{
	double least = setting(settings, "power.idle-least");

	if (100 * frame_number(frame, "cpu", "all", "idle_ratio") < least)
		return _("the CPUs were not idle enough");
	if (settings_get(settings, "power.no-forks") &&
	    frame_number(frame, "system", NULL, "forks_per_second") > 0)
		return _("processes were started");
	return NULL;
}

static const char *refuses_option(const struct settings *settings, const char *name)
{
	static const char *const of_calibration[] = { "per-count", "step-seconds", "cycles",
						       "instructions" };

	for (size_t i = 0; i < sizeof(of_calibration) / sizeof(of_calibration[0]); i++)
		if (strcmp(name, of_calibration[i]) == 0 && !settings_get(settings, "power.calibrate"))
			return _("only valid with --calibrate");
	return NULL;
}

static void show_view(struct pane_context *context, enum power_view view, unsigned focus)
{
	struct power_state *power = context->state;
	bool back = power->view == view && context->focus == focus;

	power->view = back ? POWER_SUMMARY : view;
	context->focus = back ? POWER_TABLE_POWER : focus;
}

static void show_graph(struct pane_context *context)
{
	show_view(context, POWER_GRAPH, POWER_TABLE_POWER);
}

static void show_histogram(struct pane_context *context)
{
	show_view(context, POWER_HISTOGRAM, POWER_TABLE_POWER);
}

static void show_sensors(struct pane_context *context)
{
	show_view(context, POWER_SENSORS, POWER_TABLE_TEMPERATURE);
}

#define SHOW_TABLE(name, table)                                                                              \
	static void show_##name(struct pane_context *context)                                                \
	{                                                                                                    \
		show_view(context, POWER_ONE_TABLE, table);                                                  \
	}

SHOW_TABLE(domains, POWER_TABLE_POWER)
SHOW_TABLE(batteries, POWER_TABLE_BATTERY)
SHOW_TABLE(fans, POWER_TABLE_FAN)
SHOW_TABLE(voltages, POWER_TABLE_VOLTAGE)
SHOW_TABLE(frequencies, POWER_TABLE_FREQUENCY)
SHOW_TABLE(idle_states, POWER_TABLE_IDLE)
SHOW_TABLE(trip_points, POWER_TABLE_TRIP)
SHOW_TABLE(cooling, POWER_TABLE_COOLING)
SHOW_TABLE(throttles, POWER_TABLE_THROTTLE)

static void toggle_fixed(struct pane_context *context, unsigned index)
{
	struct power_state *power = context->state;

	graph_series_toggle(context, &power->graph_series[index]);
}

static void toggle_load(struct pane_context *context)
{
	toggle_fixed(context, GRAPH_SERIES_LOAD);
}

static void toggle_watts(struct pane_context *context)
{
	toggle_fixed(context, GRAPH_SERIES_WATTS);
}

static void toggle_frequency(struct pane_context *context)
{
	toggle_fixed(context, GRAPH_SERIES_FREQUENCY);
}

static void next_span(struct pane_context *context)
{
	struct power_state *power = context->state;

	power->span_seconds = power->span_seconds == 300 ? 3600 : power->span_seconds == 3600 ? 0 : 300;
}

static void restart(struct pane_context *context)
{
	static const unsigned kept[] = { POWER_TABLE_POWER, POWER_TABLE_TEMPERATURE, POWER_TABLE_FAN,
					 POWER_TABLE_VOLTAGE };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		screen_restart(context, tables[kept[i]].topic);
	screen_message(context->screen, MESSAGE_PANE, "%s", _("reset means, minima and maxima"));
}

/* The series of the sensor under the cursor, else of the first one. */
static struct graph_series *chosen_line(struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[POWER_TABLE_TEMPERATURE];
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	const struct column *column;
	const void *row = table_cell(widget, &column);
	struct graph_series *found =
		table && row ? graph_series_find(context->state, table_text(table, row, "sensor")) : NULL;

	if (!found)
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("select a temperature with the arrows"));
	return found;
}

static void toggle_sensor(struct pane_context *context)
{
	struct graph_series *found = chosen_line(context);

	if (found)
		graph_series_toggle(context, found);
}

static void next_color(struct pane_context *context)
{
	struct graph_series *found = chosen_line(context);

	if (found)
		graph_series_next_color(context, found);
}

static void next_letter(struct pane_context *context)
{
	struct graph_series *found = chosen_line(context);

	if (found)
		graph_series_next_letter(context, found);
}

/* Only in the list of temperatures. */
static const struct binding sensor_bindings[] = {
	{ ' ', 0, N_("Show"), N_("show or hide the selected temperature in the graph"), toggle_sensor },
	{ 'k', 0, N_("Colour"), N_("the next colour for it"), next_color },
	{ 'y', 0, N_("Glyph"), N_("the next letter for it"), next_letter },
	{ 0 },
};

static const struct binding *view_bindings(const struct pane_context *context)
{
	const struct power_state *power = context->state;

	return power->view == POWER_SENSORS ? sensor_bindings : NULL;
}

static const struct binding bindings[] = {
	{ 'g', 'v', N_("Graph"), N_("what depends on what: load, watts, heat and speed over time"),
	  show_graph },
	{ 's', 0, N_("Sensors"),
	  N_("temperatures; there Space shows or hides one in the graph, k is its colour, "
	     "y its letter"),
	  show_sensors },
	{ 'H', 0, N_("Histogram"), N_("histogram of the power draw"), show_histogram },
	{ 'p', 0, N_("Domains"), N_("power by domain, in numbers"), show_domains },
	{ 'f', 0, N_("Speed"), N_("speed of each CPU, and of graphics processors"), show_frequencies },
	{ 'd', 0, N_("Idle"), N_("idle states: how deep the CPUs sleep, and how often"), show_idle_states },
	{ 'b', 0, N_("Battery"), N_("batteries"), show_batteries },
	{ 'o', 0, N_("Fans"), N_("fans"), show_fans },
	{ 0 },
};

static const struct binding secondary_bindings[] = {
	{ 'V', 0, N_("Voltages"), N_("voltages"), show_voltages },
	{ 't', 0, N_("Trip points"), N_("trip points of the thermal zones"), show_trip_points },
	{ 'C', 0, N_("Cooling"), N_("cooling devices and their states"), show_cooling },
	{ 'T', 0, N_("Throttling"), N_("CPUs throttled for heat"), show_throttles },
	{ 'K', 0, N_("Calibrate"), N_("calibrate: load all CPUs in steps, and see what load costs in watts"),
	  power_calibrate },
	{ 'R', 0, N_("Restart"), N_("reset means, minima and maxima"), restart },
	{ 'z', 0, N_("Span"), N_("span of the graph: 5 min, 1 h, a sample per cell"), next_span },
	{ 'L', 0, N_("Lines"), N_("load in the graph, or not"), toggle_load },
	{ 'W', 0, N_("Lines"), N_("watts in the graph, or not"), toggle_watts },
	{ 'F', 0, N_("Lines"), N_("speed in the graph, or not"), toggle_frequency },
	{ 0 },
};

static const char *refuses_key(const struct pane_context *context, const struct binding *binding)
{
	if (binding->act == power_calibrate)
		return power_calibrate_refused(context);
	if (binding->act == restart && screen_replays(context))
		return _("the means, minima and maxima of a recording are fixed");
	return NULL;
}

static void open_power(struct pane_context *context)
{
	struct power_state *power = context->state;

	power->span_seconds = 300;
	graph_series_open(context);
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	graph_series_follow(context, frame);
	power_calibration_feed(context, frame);
}

static void save(const void *state, struct settings *settings)
{
	graph_series_save(state, settings);
}

static const char *const settings[] = { "line.", NULL };

const struct pane pane_power = {
	.name = "power",
	.title = N_("Power"),
	.question = N_("What does the machine draw, what heats it, and what follows what?"),
	.tables = tables,
	.summary = summary,
	.options = options,
	.settings = settings,
	.series = power_series,
	.n_series = N_POWER_SERIES,
	.explained = explained,
	.bindings = bindings,
	.secondary_bindings = secondary_bindings,
	.view_bindings = view_bindings,
	.refuses_key = refuses_key,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct power_state),
	.open = open_power,
	.save = save,
	.settle_seconds = settle_seconds,
	.refuses = refuses,
	.sampled = sampled,
	.close = power_calibration_close,
	.draw = power_draw,
};
