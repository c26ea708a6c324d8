/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration in the power pane: goes on with every sample, even while another pane is shown. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/power_fit.h"
#include "model/units.h"
#include "pane/power/calibration_run.h"
#include "pane/power/power.h"
#include "screen/graph.h"

#define STEP_SECONDS 5
#define SETTLE_SECONDS 1

void power_calibration_close(void *state)
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

static void show(struct pane_context *context)
{
	screen_show_view(context, POWER_CALIBRATION);
}

static void leave(struct pane_context *context)
{
	screen_show_view(context, POWER_GRAPH);
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
	show(context);
	screen_request(context, POWER_TABLE_COUNTER, true);
}

static const char *no_watts(void)
{
	return _("no power measurement available; see panetop --probe power");
}

/* Watts need two samples; before that joules show that they are measured. */
static bool measures_watts(const struct frame *frame)
{
	return !isnan(frame_number(frame, "power", "total", frame->interval_ns > 0 ? "watts" : "joules"));
}

static void ask_start(struct pane_context *context)
{
	char question[TEXT_MAX];

	if (!measures_watts(context->frame)) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", no_watts());
		return;
	}
	snprintf(question, sizeof(question),
		 _("Load all CPUs in steps for %d s, to see what load costs in watts?"),
		 (CALIBRATION_STEPS + 1) * (STEP_SECONDS + SETTLE_SECONDS));
	screen_ask(context, question, start);
}

void power_calibrate(struct pane_context *context)
{
	struct power_state *power = context_state(context);

	if (!power->calibration) {
		ask_start(context);
		return;
	}
	stop(context);
	leave(context);
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

void power_calibration_feed(struct pane_context *context, const struct frame *frame)
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
		leave(context);
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

static bool has_calibration(const struct pane_context *context)
{
	const struct table *table = context_table(context, POWER_TABLE_CALIBRATION);

	return table && table->n_rows > 0;
}

/* The calibration in use, and below it how to read it. */
static void draw_fits(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, POWER_TABLE_CALIBRATION);
	int rows = has_calibration(context) ? (int)table->n_rows : 0, wanted = rows > 3 ? rows + 2 : 5;
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
			&below, y, STYLE_WARN,
			span_text(_("The line fits poorly: calibrate again while nothing else runs.")));
}

void power_calibration_draw(const struct pane_context *context, const struct canvas *canvas)
{
	const struct power_state *power = context->state;

	if (power->calibration)
		draw_progress(canvas, &power->calibration->calibration);
	else
		draw_fits(context, canvas);
}
