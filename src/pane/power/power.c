/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The power pane: its tables, options, keys and views, and calibration; power_draw.c draws the others. */
#include <config.h>

#include "pane/power/power.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/statistics.h"
#include "model/units.h"
#include "screen/graph.h"
#include "screen/keys.h"

#define SHOWN_SENSORS 2 /* shown by default */

/* Names in the configuration file have only some characters. */
static void setting_name(char *text, size_t room, const struct graph_series *series)
{
	snprintf(text, room, "power.line.%s", series->name);
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._@:/#-", *text))
			*text = '_';
}

/* The first sensors; of those with the same name, such as that of the processor, one. */
static bool shown_by_default(const struct pane_context *context, const struct graph_series *series)
{
	const struct power_state *power = context->state;
	unsigned sensors = 0;

	for (const struct graph_series *before = power->graph_series; before < series; before++) {
		if (strcmp(before->label, series->label) == 0)
			return false;
		sensors += before - power->graph_series >= N_FIXED_GRAPH_SERIES &&
			   shown_by_default(context, before);
	}
	return sensors < SHOWN_SENSORS;
}

/* Earlier versions wrote a letter and a colour before the word. */
bool graph_series_shown(const struct pane_context *context, const struct graph_series *series)
{
	char name[GRAPH_SERIES_NAME_MAX + 16];
	const char *value, *word;

	setting_name(name, sizeof(name), series);
	value = settings_text(context->settings, name);
	word = value ? strrchr(value, ' ') : NULL;
	word = word ? word + 1 : value;
	if (word && (strcmp(word, "shown") == 0 || strcmp(word, "hidden") == 0))
		return *word == 's';
	return shown_by_default(context, series);
}

static void graph_series_toggle(struct pane_context *context, const struct graph_series *series)
{
	bool shown = !graph_series_shown(context, series);
	char name[GRAPH_SERIES_NAME_MAX + 16];

	setting_name(name, sizeof(name), series);
	settings_set(context_settings(context), name,
		     shown == shown_by_default(context, series) ? NULL
		     : shown                                    ? "shown"
								: "hidden",
		     0);
	screen_message(context->screen, MESSAGE_PANE,
		       shown ? _("%s is in the graph; w keeps this")
			     : _("%s is no longer in the graph; w keeps this"),
		       series->label);
}

static void add_series(struct pane_context *context, const char *name, const char *label, unsigned index)
{
	struct power_state *power = context_state(context);
	struct graph_series *series = &power->graph_series[power->n_graph_series++];

	*series = (struct graph_series){ .index = index };
	snprintf(series->name, sizeof(series->name), "%s", name);
	snprintf(series->label, sizeof(series->label), "%s", label);
}

/* The lines of the graph. */
static void graph_series_open(struct pane_context *context)
{
	static const struct {
		const char *name, *label;
		unsigned series;
	} fixed[N_FIXED_GRAPH_SERIES] = {
		[GRAPH_SERIES_LOAD] = { "load", N_("load"), POWER_SERIES_LOAD },
		[GRAPH_SERIES_WATTS] = { "watts", N_("watts"), POWER_SERIES_WATTS },
		[GRAPH_SERIES_FREQUENCY] = { "frequency", N_("clock"), POWER_SERIES_HERTZ },
	};

	for (unsigned i = 0; i < N_FIXED_GRAPH_SERIES; i++)
		add_series(context, fixed[i].name, _(fixed[i].label), fixed[i].series);
}

const struct graph_series *graph_series_find(const struct power_state *power, const char *name)
{
	for (unsigned i = 0; i < power->n_graph_series; i++)
		if (strcmp(power->graph_series[i].name, name) == 0)
			return &power->graph_series[i];
	return NULL;
}

/* The sensors of a whole processor have many names. */
static const char *friendly(const char *label)
{
	return strcmp(label, "x86_pkg_temp") == 0 || strncmp(label, "Package id 0", 12) == 0 ? _("package")
											     : label;
}

/* Adds series for new sensors, as long as there is room. */
static void graph_series_follow(struct pane_context *context, const struct frame *frame)
{
	struct power_state *power = context_state(context);
	const struct table *table = frame_table(frame, "temperature");

	for (size_t i = 0; table && i < table->n_rows && power->n_graph_series < GRAPH_SERIES_MAX; i++) {
		const void *row = table_row(table, i);
		const char *name = table_text(table, row, "sensor");
		const char *label = table_text(table, row, "label");
		if (strlen(name) >= GRAPH_SERIES_NAME_MAX || graph_series_find(power, name))
			continue;
		add_series(context, name, friendly(*label ? label : name),
			   history_follow(&context->history,
					  &(struct series){ "temperature", name, "celsius" }, frame));
	}
}

const char *calibration_event(const struct settings *settings, enum calibration_measure measure)
{
	const char *name =
		measure == CALIBRATION_CYCLES ? settings->power.cycles : settings->power.instructions;

	return name ? name : calibration_name(measure);
}

/* Of all CPUs; that table has a row for each CPU and event. */
static double counted(const struct frame *frame, const struct settings *settings,
		      enum calibration_measure measure)
{
	const struct table *table = frame_table(frame, "counter");

	return table_number(table, table_find(table, "all", calibration_event(settings, measure)),
			    "per_second");
}

static struct calibration_sample sample_of(const struct frame *frame, const struct settings *settings,
					   uint64_t operations)
{
	double seconds = (double)frame->interval_ns / 1e9;
	const struct table *table = frame_table(frame, "cpu");
	double busy = cpu_busy_ratio(frame_number(frame, "cpu", "all", "idle_ratio"),
				     frame_number(frame, "cpu", "all", "iowait_ratio"));
	size_t n_cpus = table && table->n_rows > 1 ? table->n_rows - 1 : 0;

	return (struct calibration_sample){
		.end_ns = frame->mono_ns,
		.interval_ns = frame->interval_ns,
		.watts = frame_number(frame, "power", "total", "watts"),
		.measures = {
			[CALIBRATION_LOAD] = busy * (double)n_cpus,
			[CALIBRATION_OPERATIONS] = seconds > 0 ? (double)operations / seconds : NAN,
			[CALIBRATION_CYCLES] = counted(frame, settings, CALIBRATION_CYCLES),
			[CALIBRATION_INSTRUCTIONS] = counted(frame, settings, CALIBRATION_INSTRUCTIONS),
		},
	};
}

bool calibration_run_open(struct calibration_run *run, const struct calibration_plan *plan)
{
	*run = (struct calibration_run){ .load = cpu_load_open() };
	if (!run->load)
		return false;
	calibration_open(&run->calibration, plan);
	return true;
}

void calibration_run_close(struct calibration_run *run)
{
	cpu_load_close(run->load);
	calibration_close(&run->calibration);
}

bool calibration_run_feed(struct calibration_run *run, const struct frame *frame,
			  const struct settings *settings)
{
	struct calibration *calibration = &run->calibration;
	uint64_t operations = cpu_load_operations(run->load);
	struct calibration_sample sample = sample_of(frame, settings, operations - run->operations);
	bool changed = calibration_feed(calibration, &sample);

	run->operations = operations;
	cpu_load_set(run->load, calibration_cpus(calibration), calibration_share(calibration));
	return changed;
}

#define STEP_SECONDS 5
#define SETTLE_SECONDS 1

static void power_calibration_close(void *state)
{
	struct power_state *power = state;

	if (!power->calibration)
		return;
	calibration_run_close(power->calibration);
	free(power->calibration);
	power->calibration = NULL;
}

/* Cycles and instructions are only counted while it runs. */
static void stop(struct pane_context *context)
{
	power_calibration_close(context_state(context));
	screen_request(context, POWER_TABLE_COUNTER, false);
}

static void start(struct pane_context *context)
{
	struct power_state *power = context_state(context);
	const unsigned cpus = cpu_load_cpus();
	const struct calibration_plan plan = { cpus, cpus, STEP_SECONDS, SETTLE_SECONDS };
	struct calibration_run *run = alloc_zeroed(1, sizeof(*run));

	if (!calibration_run_open(run, &plan)) {
		free(run);
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("cannot start a thread per CPU"));
		return;
	}
	power->calibration = run;
	screen_show_view(context, POWER_CALIBRATION);
	screen_request(context, POWER_TABLE_COUNTER, true);
}

static const char *no_watts(void)
{
	return _("no power measurement available; see panetop --probe power");
}

static void ask_start(struct pane_context *context)
{
	const struct frame *frame = context->frame;
	char question[TEXT_MAX];

	/* watts need two samples; before that joules show that they are measured */
	if (isnan(frame_number(frame, "power", "total", frame->interval_ns > 0 ? "watts" : "joules"))) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", no_watts());
		return;
	}
	snprintf(question, sizeof(question),
		 _("Load all CPUs in steps for %d s, to see what load costs in watts?"),
		 (CALIBRATION_STEPS + 1) * (STEP_SECONDS + SETTLE_SECONDS));
	screen_ask(context, question, start);
}

static void power_calibrate(struct pane_context *context)
{
	struct power_state *power = context_state(context);

	if (!power->calibration) {
		ask_start(context);
		return;
	}
	stop(context);
	screen_show_view(context, POWER_GRAPH);
	screen_message(context->screen, MESSAGE_PANE, "%s", _("calibration stopped"));
}

/* The result is a setting, from which topics compute the watts of processes. */
static void keep(struct pane_context *context, const struct calibration *calibration)
{
	struct buffer text = BUFFER_HERE;
	struct power_fit fit;

	power_fit_take(&fit, &calibration->fits[0]);
	power_fit_write(&fit, &text);
	buffer_char(&text, '\0');
	settings_set(context_settings(context), POWER_FIT_SETTING, text.bytes, 0);
	buffer_free(&text);
	screen_message(context->screen, MESSAGE_SCREEN, "%s",
		       _("calibration done: the pane cpu shows watts of processes; w saves it"));
}

static void power_calibration_feed(struct pane_context *context, const struct frame *frame)
{
	struct power_state *power = context_state(context);
	struct calibration_run *run = power->calibration;

	if (!run)
		return;
	calibration_run_feed(run, frame, context->settings);
	if (run->calibration.state == CALIBRATION_RUNS)
		return;
	if (run->calibration.state == CALIBRATION_DONE) {
		keep(context, &run->calibration);
	} else {
		screen_show_view(context, POWER_GRAPH);
		screen_warn(context->screen, MESSAGE_PANE, "%s", no_watts());
	}
	stop(context);
}

static void draw_progress(const struct canvas *canvas, const struct calibration *calibration)
{
	struct graph_part part = { 'W', 0, "", 0, calibration_done(calibration) };
	char value[VALUE_TEXT_MAX];

	canvas_print(canvas, 0, 0, STYLE_STRONG,
		     P_("step %u of %u: %u CPU at %.0f %%, %.0f s left",
			"step %u of %u: %u CPUs at %.0f %%, %.0f s left", calibration_cpus(calibration)),
		     calibration_done(calibration) + 1, calibration_total(calibration),
		     calibration_cpus(calibration), 100 * calibration_share(calibration),
		     calibration_seconds(calibration));
	graph_bar(canvas, 1, 0, canvas->width, &part, 1, calibration_total(calibration));
	canvas_print(canvas, 2, 0, STYLE_NORMAL, _("the step before drew %s"),
		     watts_text(value, calibration->last_watts));
}

/* The calibration in use, and below it how to read it. */
static void draw_fits(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, POWER_TABLE_CALIBRATION);
	int rows = table ? (int)table->n_rows : 0, wanted = rows > 3 ? rows + 2 : 5;
	int height = wanted < canvas->height ? wanted : canvas->height;
	struct canvas part = canvas_part(canvas, 0, 0, height, canvas->width);
	struct canvas below = canvas_part(canvas, height, 0, canvas->height - height, canvas->width);
	int y = 1;

	context_draw_titled(context, &part, POWER_TABLE_CALIBRATION, _("Calibration in use"));
	y += canvas_wrapped(&below, y, STYLE_DIM,
			    span_text(_("watts = intercept + slope * measure. panetop "
					"--calibrate prints it in every output format.")));
	if (rows > 0 && frame_number(context->frame, "calibration", NULL, "r_squared") < CALIBRATION_FAIR)
		canvas_wrapped(
			&below, y, STYLE_NOTICE,
			span_text(_("The line fits poorly: calibrate again while nothing else runs.")));
}

static void draw_calibration(const struct pane_context *context, struct canvas *canvas)
{
	const struct power_state *power = context->state;

	if (power->calibration)
		draw_progress(canvas, &power->calibration->calibration);
	else
		draw_fits(context, canvas);
}

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
	[POWER_TABLE_PROGRAM] = { .topic = "program_power", .lazy = true, .on_request = true,
				  .recorded = true, .sort = "watts" },
	{ 0 },
};

static const struct series power_series[] = {
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
	if (settings->power.no_forks && frame_number(frame, "system", NULL, "forks_per_second") > 0)
		return _("processes were started");
	return NULL;
}

static const char *refuses_option(const struct settings *settings, const char *name)
{
	static const char *const of_calibration[] = { "per-count", "step-seconds", "cycles", "instructions" };

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

#define TABLE_VIEW(name, title, help, table) { name, title, help, table, .heading = power_heading }

#define MORE_VIEW(name, title, help, table)                                                                  \
	{ name, title, help, table, .more = true, .heading = power_heading }

static const struct pane_view views[] = {
	[POWER_GRAPH] = { "graph", N_("Graph"), N_("power, temperature, clock, and what drives what"),
			  POWER_TABLE_POWER, .no_table = true, .draw = power_draw },
	[POWER_DOMAINS] =
		TABLE_VIEW("domains", N_("Domains"), N_("power by domain, in numbers"), POWER_TABLE_POWER),
	[POWER_SENSORS] = { "sensors", N_("Sensors"), N_("temperatures, and which of them are in the graph"),
			    POWER_TABLE_TEMPERATURE, .actions = sensor_actions, .draw = power_draw_sensors },
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
			      .draw = power_draw_histogram },
	[POWER_CALIBRATION] = { "calibration", N_("Calibration"), N_("what CPU load costs in watts"),
				POWER_TABLE_CALIBRATION, 1UL << POWER_TABLE_COUNTER, .more = true,
				.draw = draw_calibration },
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
	.series = power_series,
	.n_series = N_POWER_SERIES,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.tells = tells,
	.refuses_option = refuses_option,
	.state_size = sizeof(struct power_state),
	.open = graph_series_open,
	.settle_seconds = settle_seconds,
	.rejects = rejects,
	.sampled = sampled,
	.close = power_calibration_close,
};
