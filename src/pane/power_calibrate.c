/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration from the power pane: it goes on with every sample, also while another pane is shown. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/load.h"
#include "model/power_fit.h"
#include "model/units.h"
#include "pane/power.h"
#include "pane/power_sample.h"
#include "screen/graph.h"

#define STEP_SECONDS 5
#define SETTLE_SECONDS 1
#define LABEL_CELLS 26

struct power_calibration {
	struct load *load; /* NULL when it is over */
	uint64_t operations; /* of the load, at the sample before */
	struct calibration calibration;
};

static void stop(struct power_calibration *running)
{
	if (running->load)
		load_close(running->load);
	running->load = NULL;
}

/* Cycles and instructions are counted while it runs. */
static void finish(struct pane_context *context)
{
	stop(((struct power_state *)context->state)->calibration);
	screen_request(context, POWER_COUNTER_TABLE, false);
}

void power_calibration_close(void *state)
{
	struct power_state *power = state;

	if (!power->calibration)
		return;
	stop(power->calibration);
	calibration_close(&power->calibration->calibration);
	free(power->calibration);
	power->calibration = NULL;
}

static void start(struct pane_context *context)
{
	struct power_state *power = context->state;
	const unsigned cpus = load_cpus();
	const struct calibration_plan plan = { cpus, cpus, STEP_SECONDS, SETTLE_SECONDS };
	struct load *load = load_open();

	if (!load) {
		screen_say(context->screen, "%s", _("there can be no thread for each CPU"));
		return;
	}
	power_calibration_close(context->state);
	power->calibration = alloc_zeroed(1, sizeof(*power->calibration));
	power->calibration->load = load;
	calibration_open(&power->calibration->calibration, &plan);
	power->view = POWER_CALIBRATION;
	screen_request(context, POWER_COUNTER_TABLE, true);
}

static void ask_start(struct pane_context *context)
{
	char question[200];

	if (!screen_restart(context, "power")) {
		screen_say(context->screen, "%s", _("a recording cannot be calibrated"));
		return;
	}
	snprintf(question, sizeof(question),
		 _("Load all CPUs in steps for %d s, to see what load costs in watts?"),
		 (CALIBRATION_STEPS + 1) * (STEP_SECONDS + SETTLE_SECONDS));
	screen_ask(context, question, start);
}

/* The key: it shows what there is; pressed there again it stops, or begins anew. */
void power_calibrate(struct pane_context *context)
{
	struct power_state *power = context->state;

	if (power->calibration && power->view != POWER_CALIBRATION) {
		power->view = POWER_CALIBRATION;
	} else if (power->calibration && power->calibration->load) {
		finish(context);
		power_calibration_close(context->state);
		power->view = POWER_SUMMARY;
		screen_say(context->screen, "%s", _("the calibration was stopped"));
	} else {
		ask_start(context);
	}
}

/* What was found is a setting, which the topics that tell watts of processes look at. */
static void keep(struct pane_context *context, const struct calibration *calibration)
{
	struct buffer text = { 0 };
	struct power_fit fit;

	power_fit_take(&fit, calibration);
	power_fit_write(&fit, &text);
	buffer_char(&text, '\0');
	settings_set(context->settings, POWER_FIT_SETTING, text.bytes);
	buffer_free(&text);
	screen_say(context->screen, "%s",
		   _("the calibration is done (K): the pane cpu shows watts of processes; w keeps it"));
}

void power_calibration_feed(struct pane_context *context, const struct frame *frame)
{
	struct power_calibration *running = ((struct power_state *)context->state)->calibration;
	struct calibration *calibration = running ? &running->calibration : NULL;
	struct calibration_sample sample;
	uint64_t now;

	if (!running || !running->load)
		return;
	now = load_operations(running->load);
	sample = power_sample(frame, context->settings, now - running->operations);
	running->operations = now;
	calibration_feed(calibration, &sample);
	load_set(running->load, calibration_cpus(calibration), calibration_share(calibration));
	if (calibration->state == CALIBRATION_RUNS)
		return;
	finish(context);
	if (calibration->state == CALIBRATION_DONE)
		keep(context, calibration);
	else
		screen_say(context->screen, "%s", _("there are no watts to measure"));
}

static void draw_progress(const struct canvas *canvas, const struct calibration *calibration)
{
	struct graph_part part = { 'W', 0, "", 0, calibration_done(calibration) };
	char value[VALUE_TEXT_MAX];

	canvas_print(canvas, 0, 0, STYLE_STRONG, _("step %u of %u: %u CPUs at %.0f %%, %.0f s left"),
		     calibration_done(calibration) + 1, calibration_total(calibration),
		     calibration_cpus(calibration), 100 * calibration_share(calibration),
		     calibration_seconds(calibration));
	graph_bar(canvas, 1, 0, canvas->width, &part, 1, calibration_total(calibration));
	canvas_print(canvas, 2, 0, STYLE_NORMAL, _("the step before drew %s; K stops"),
		     watts_text(value, calibration->last_watts));
}

static void draw_fits(const struct canvas *canvas, const struct calibration *calibration)
{
	int y = 0;

	canvas_print(canvas, y++, 0, STYLE_HEADING, "%-*s %12s %12s %9s  %s", LABEL_CELLS, _("slope is"),
		     _("slope"), _("intercept W"), _("R squared"), _("fit"));
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct regression *line = &calibration->fits[0].lines[i];
		double r_squared = regression_r_squared(line);

		if (isnan(regression_slope(line)))
			continue;
		canvas_print(canvas, y++, 0, r_squared < CALIBRATION_FAIR ? STYLE_WARN : STYLE_NORMAL,
			     "%-*s %12.4g %12.2f %9.4f  %s", LABEL_CELLS,
			     _(calibration_label((enum calibration_measure)i)), regression_slope(line),
			     regression_intercept(line), r_squared, _(calibration_word(r_squared)));
	}
	canvas_text(canvas, y + 1, 0, STYLE_DIM,
		    _("watts = intercept + slope * measure. K begins anew; panetop --calibrate writes it as "
		      "text, JSON or YAML."),
		    -1);
}

void power_calibration_draw(const struct pane_context *context, const struct canvas *canvas)
{
	const struct power_calibration *running = ((struct power_state *)context->state)->calibration;

	if (!running)
		return;
	if (running->calibration.state == CALIBRATION_RUNS)
		draw_progress(canvas, &running->calibration);
	else if (running->calibration.state == CALIBRATION_DONE)
		draw_fits(canvas, &running->calibration);
	else
		canvas_text(canvas, 0, 0, STYLE_WARN,
			    _("there are no watts to measure; panetop --probe tells why"), -1);
}
