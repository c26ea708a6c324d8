/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration from the power pane: it goes on with every sample, also while another pane is shown. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/power_fit.h"
#include "model/units.h"
#include "pane/power/power.h"
#include "pane/power/power_sample.h"
#include "screen/graph.h"
#include "sys/cpu_load.h"

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

static const char *no_watts(void)
{
	return _("there are no watts to measure; panetop --probe tells why");
}

/* Watts come with the second sample, wherever something measures them. */
static bool measures_watts(const struct frame *frame)
{
	return !isnan(frame_number(frame, "power", "total", frame->interval_ns > 0 ? "watts" : "joules"));
}

static void ask_start(struct pane_context *context)
{
	char question[TEXT_MAX];

	if (!measures_watts(context->frame)) {
		screen_say(context->screen, "%s", no_watts());
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
	screen_tell(context->screen, "%s",
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
		screen_say(context->screen, "%s", no_watts());
}

static void draw_progress(const struct canvas *canvas, const struct calibration *calibration)
{
	struct graph_part part = { 'W', 0, "", 0, calibration_done(calibration) };
	char value[VALUE_TEXT_MAX];

	canvas_print(canvas, 0, 0, STYLE_STRONG, P_("step %u of %u: %u CPU at %.0f %%, %.0f s left",
			"step %u of %u: %u CPUs at %.0f %%, %.0f s left", calibration_cpus(calibration)),
		     calibration_done(calibration) + 1, calibration_total(calibration),
		     calibration_cpus(calibration), 100 * calibration_share(calibration),
		     calibration_seconds(calibration));
	graph_bar(canvas, 1, 0, canvas->width, &part, 1, calibration_total(calibration));
	canvas_print(canvas, 2, 0, STYLE_NORMAL, _("the step before drew %s; K stops"),
		     watts_text(value, calibration->last_watts));
}

/* The columns of the fits: as wide as their headings and what stands in them. */
enum { FIT_MEASURE, FIT_SLOPE, FIT_INTERCEPT, FIT_R_SQUARED, FIT_WORD, N_FIT_COLUMNS };

struct fit_columns {
	const char *titles[N_FIT_COLUMNS];
	int widths[N_FIT_COLUMNS];
};

static int max_int(int one, int other)
{
	return one > other ? one : other;
}

static void measure_fits(struct fit_columns *columns, bool ascii)
{
	*columns = (struct fit_columns){
		.titles = { _("slope is"), _("slope"), _("intercept W"), _("R squared"), _("fit") },
		.widths = { LABEL_CELLS, 12, 12, 9, 0 },
	};
	for (int i = 0; i < N_FIT_COLUMNS; i++)
		columns->widths[i] = max_int(columns->widths[i], utf8_cells(columns->titles[i], ascii));
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++)
		columns->widths[FIT_MEASURE] =
			max_int(columns->widths[FIT_MEASURE],
				utf8_cells(_(calibration_label((enum calibration_measure)i)), ascii));
}

static void draw_fit_line(const struct canvas *canvas, int y, enum style style,
			  const struct fit_columns *columns, const char *const *texts)
{
	int x = 0;

	for (int i = 0; i < N_FIT_COLUMNS; i++) {
		if (i == FIT_MEASURE || i == FIT_WORD)
			canvas_text(canvas, y, x, style, texts[i], -1);
		else
			canvas_right(canvas, y, x, columns->widths[i], style, texts[i]);
		x += columns->widths[i] + (i + 2 == N_FIT_COLUMNS ? 2 : 1);
	}
}

static void draw_fits(const struct canvas *canvas, const struct calibration *calibration)
{
	struct fit_columns columns;
	int y = 0;

	measure_fits(&columns, canvas->ascii);
	draw_fit_line(canvas, y++, STYLE_HEADING, &columns, columns.titles);
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct regression *line = &calibration->fits[0].lines[i];
		double r_squared = regression_r_squared(line);
		char slope[32], intercept[32], fit[32];
		const char *const texts[] = { _(calibration_label((enum calibration_measure)i)), slope,
					      intercept, fit, _(calibration_word(r_squared)) };

		if (isnan(regression_slope(line)))
			continue;
		snprintf(slope, sizeof(slope), "%.4g", regression_slope(line));
		snprintf(intercept, sizeof(intercept), "%.2f", regression_intercept(line));
		snprintf(fit, sizeof(fit), "%.4f", r_squared);
		draw_fit_line(canvas, y++, r_squared < CALIBRATION_FAIR ? STYLE_WARN : STYLE_NORMAL, &columns,
			      texts);
	}
	y += 1;
	y += canvas_wrapped(
		canvas, y, STYLE_DIM,
		span_text(_("watts = intercept + slope * measure. K begins anew; panetop --calibrate "
			    "writes it as text, JSON or YAML.")));
	if (regression_r_squared(&calibration->fits[0].lines[CALIBRATION_LOAD]) < CALIBRATION_FAIR)
		canvas_wrapped(
			canvas, y + 1, STYLE_WARN,
			span_text(_("The line fits poorly: calibrate again while nothing else runs.")));
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
		canvas_text(canvas, 0, 0, STYLE_WARN, no_watts(), -1);
}
