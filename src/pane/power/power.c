/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The power pane: its tables, options, keys and views; power_draw.c and power_graph.c draw them. */
#include <config.h>

#include "pane/power/power.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "model/statistics.h"
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
	[POWER_TABLE_PROGRAM] = { .topic = "program_power",
				  .lazy = true,
				  .on_request = true,
				  .recorded = true,
				  .sort = "watts" },
	{ 0 },
};

static const struct series series[] = {
	[POWER_SERIES_LOAD] = { "cpu", "all", "idle_ratio" },
	[POWER_SERIES_WATTS] = { "power", "total", "watts" },
	[POWER_SERIES_HERTZ] = { "cpu", "all", "frequency_hertz" },
	[POWER_SERIES_CELSIUS] = { "temperature", NULL, "celsius" },
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

#define BATTERY_SECONDS 180 /* until its measurement covers an interval */

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
	if (!isnan(settings->power.settle_seconds))
		return settings->power.settle_seconds;
	return is_of_battery(frame) ? BATTERY_SECONDS : 0;
}

/* panetop itself starts no process. */
static const char *rejects(const struct settings *settings, const struct frame *frame)
{
	if (100 * frame_number(frame, "cpu", "all", "idle_ratio") < settings->power.least_idle)
		return _("the CPUs were not idle enough");
	if (settings->power.no_forks &&
	    frame_number(frame, "system", NULL, "forks_per_second") > 0)
		return _("processes were started");
	return NULL;
}

static const char *refuses_option(const struct settings *settings, const char *name)
{
	static const char *const of_calibration[] = { "per-count", "step-seconds", "cycles",
						       "instructions" };

	for (size_t i = 0; i < sizeof(of_calibration) / sizeof(of_calibration[0]); i++)
		if (strcmp(name, of_calibration[i]) == 0 && !settings->power.calibrate)
			return _("only valid with --calibrate");
	return NULL;
}

static void restart(struct pane_context *context)
{
	static const unsigned kept[] = { POWER_TABLE_POWER, POWER_TABLE_TEMPERATURE, POWER_TABLE_FAN,
					 POWER_TABLE_VOLTAGE };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		screen_restart(context, tables[kept[i]].topic);
	screen_message(context->screen, MESSAGE_PANE, "%s", _("reset means, minima and maxima"));
}

/* Of the sensor under the cursor, else of the first one. */
static void toggle_sensor(struct pane_context *context)
{
	const struct table *table = context_table(context, POWER_TABLE_TEMPERATURE);
	const struct column *column;
	const void *row = table_cell(&context->tables[POWER_TABLE_TEMPERATURE], &column);
	const struct graph_series *found =
		table && row ? graph_series_find(context->state, table_text(table, row, "sensor")) : NULL;

	if (found)
		graph_series_toggle(context, found);
	else
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("select a temperature with the arrows"));
}

static const struct pane_action sensor_actions[] = {
	{ ACTION_TAG, toggle_sensor, N_("In graph"),
	  N_("show or hide the selected temperature in the graph") },
	{ 0 },
};

static void act(struct pane_context *context, unsigned index)
{
	if (index == 0)
		power_calibrate(context);
	else
		restart(context);
}

static void show_actions(struct pane_context *context)
{
	const struct power_state *power = context->state;
	const struct menu_item items[] = {
		power->calibration
			? (struct menu_item){ _("Stop the calibration"), _("its result is dropped") }
			: (struct menu_item){ _("Calibrate"),
					      _("load all CPUs in steps, and see what load costs in watts") },
		{ _("Reset means"), _("forget means, minima and maxima of this run") },
	};

	screen_menu(context, _("Actions"), items, sizeof(items) / sizeof(items[0]), 0, act);
}

#define TABLE_VIEW(name, title, help, table)                                                                 \
	{                                                                                                    \
		name, title, help, table, .heading = power_heading                                           \
	}

#define MORE_VIEW(name, title, help, table)                                                                  \
	{                                                                                                    \
		name, title, help, table, .more = true, .heading = power_heading                             \
	}

static const struct pane_view views[] = {
	[POWER_GRAPH] = { "graph", N_("Graph"), N_("power, temperature, clock, and what drives what"),
			  POWER_TABLE_POWER, .no_table = true, .draw = power_draw },
	[POWER_DOMAINS] =
		TABLE_VIEW("domains", N_("Domains"), N_("power by domain, in numbers"), POWER_TABLE_POWER),
	[POWER_SENSORS] = { "sensors", N_("Sensors"), N_("temperatures, and which of them are in the graph"),
			    POWER_TABLE_TEMPERATURE, .actions = sensor_actions, .draw = power_draw },
	[POWER_CLOCK] = TABLE_VIEW("clock", N_("Clock"), N_("clock of each CPU, and of graphics processors"),
				   POWER_TABLE_FREQUENCY),
	[POWER_IDLE] =
		TABLE_VIEW("idle", N_("Idle"), N_("idle states: how deep the CPUs sleep, and how often"),
			   POWER_TABLE_IDLE),
	[POWER_BATTERY] = TABLE_VIEW("battery", N_("Battery"), N_("batteries"), POWER_TABLE_BATTERY),
	[POWER_PROGRAMS] = TABLE_VIEW("programs", N_("Programs"),
				      N_("what each program draws, an estimate from when it runs"),
				      POWER_TABLE_PROGRAM),
	[POWER_FANS] = MORE_VIEW("fans", N_("Fans"), N_("fans"), POWER_TABLE_FAN),
	[POWER_VOLTAGES] = MORE_VIEW("voltages", N_("Voltages"), N_("voltages"), POWER_TABLE_VOLTAGE),
	[POWER_TRIPS] = MORE_VIEW("trip-points", N_("Trip points"), N_("trip points of the thermal zones"),
				   POWER_TABLE_TRIP),
	[POWER_COOLING] = MORE_VIEW("cooling", N_("Cooling"), N_("cooling devices and their states"),
				     POWER_TABLE_COOLING),
	[POWER_THROTTLING] = MORE_VIEW("throttling", N_("Throttling"), N_("CPUs throttled for heat"),
					POWER_TABLE_THROTTLE),
	[POWER_HISTOGRAM] = { "histogram", N_("Histogram"), N_("how often the machine drew how much"),
			      POWER_TABLE_POWER, .more = true, .no_table = true,
			      .draw = power_draw },
	[POWER_CALIBRATION] = { "calibration", N_("Calibration"), N_("what CPU load costs in watts"),
				POWER_TABLE_CALIBRATION, 1UL << POWER_TABLE_COUNTER, .more = true,
				.draw = power_draw },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("calibrate, or reset means, minima and maxima") },
	{ 0 },
};

/* The verdict says that nothing measures it. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	return context->view == POWER_GRAPH && strcmp(notice->topic, "power") == 0 &&
	       power_source_is(context, POWER_NO_SOURCE);
}

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_ACT && screen_replays(context)
		       ? _("a recording is neither calibrated nor reset")
		       : NULL;
}

static const char *const span_labels[] = { N_("5 min"), N_("1 h"), N_("a sample per cell") };
static const char *const line_labels[] = { N_("in the graph"), N_("not in the graph") };

static const struct pane_setting choices[] = {
	{ "span", N_("Span of the graph"), span_labels },
	{ "line.load", N_("Load"), line_labels },
	{ "line.watts", N_("Watts"), line_labels },
	{ "line.frequency", N_("Clock"), line_labels },
	{ 0 },
};

double power_span(const struct pane_context *context)
{
	return graph_span_seconds(context->settings->power.span);
}

static void open_power(struct pane_context *context)
{
	graph_series_open(context);
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	history_set(&context->history, POWER_SERIES_LOAD, frame,
		    cpu_busy_ratio(frame_number(frame, "cpu", "all", "idle_ratio"),
				   frame_number(frame, "cpu", "all", "iowait_ratio")));
	graph_series_follow(context, frame);
	power_calibration_feed(context, frame);
}

const struct pane pane_power = {
	.name = "power",
	.digit = '8',
	.title = N_("Power"),
	.question = N_("Power, temperature, clock: what drives what?"),
	.unscoped = N_("power is that of the machine: only it is measured; the pane cpu estimates watts of "
		       "processes, the view Programs those of programs"),
	.tables = tables,
	.summary = summary,
	.series = series,
	.n_series = N_POWER_SERIES,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.tells = tells,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct power_state),
	.open = open_power,
	.settle_seconds = settle_seconds,
	.rejects = rejects,
	.sampled = sampled,
	.close = power_calibration_close,
};
