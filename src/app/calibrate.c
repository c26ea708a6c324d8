/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration as a run of its own: loads in steps, progress on standard error, the lines on standard output.
 */
#include <config.h>

#include "app/calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/notice_printer.h"
#include "app/privileges.h"
#include "core/alloc.h"
#include "core/error_message.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/calibration.h"
#include "model/derive.h"
#include "output/json_writer.h"
#include "output/sink.h"
#include "pane/power/power_sample.h"
#include "sys/cpu_load.h"
#include "topic/topic.h"

#define SAMPLE_SECONDS_MAX 1.0

struct run {
	struct source *source;
	const struct settings *settings;
	struct told told;
	struct load *load;
	struct frame frames[2];
	unsigned present;
	bool any; /* a frame was sampled */
	struct calibration calibration;
};

static double number_setting(const struct settings *settings, const char *name, double usual)
{
	const char *value = settings_get(settings, name);
	struct span span = span_text(value ? value : "");
	double number;

	return span_f64(&span, &number) && number > 0 ? number : usual;
}

static struct calibration_plan make_plan(const struct settings *settings)
{
	double seconds = number_setting(settings, "power.step-seconds", 5);
	unsigned cpus = load_cpus();

	return (struct calibration_plan){
		.first_cpus = settings_get(settings, "power.per-count") ? 1 : cpus,
		.last_cpus = cpus,
		.step_seconds = seconds,
		.settle_seconds = fmin(1, seconds / 2),
	};
}

static bool next_frame(struct run *run)
{
	struct frame *now = &run->frames[1 - run->present];

	frame_clear(now);
	if (run->source->next(run->source->state, now) != 1)
		return false;
	frame_derive(now, run->any ? &run->frames[run->present] : NULL);
	run->any = true;
	told_notices(&run->told, now);
	run->present = 1 - run->present;
	return true;
}

static void tell_progress(const struct calibration *calibration)
{
	if (calibration->state != CALIBRATION_RUNS)
		return;
	complain("--calibrate",
		 P_("step %u of %u: %u CPU at %.0f %%, %.0f s left; the step before drew %.2f W",
		    "step %u of %u: %u CPUs at %.0f %%, %.0f s left; the step before drew %.2f W",
		    calibration_cpus(calibration)),
		 calibration_done(calibration) + 1, calibration_total(calibration), calibration->cpus,
		 100 * calibration_share(calibration), calibration_seconds(calibration),
		 calibration->last_watts);
}

static void rest(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds,
				 .tv_nsec = (long)((seconds - floor(seconds)) * 1e9) };

	nanosleep(&left, NULL);
}

/* Samples until it is done, changing the load as it says. */
static void measure(struct run *run, double sample_seconds)
{
	struct calibration *calibration = &run->calibration;
	uint64_t before = 0;

	while (calibration->state == CALIBRATION_RUNS && next_frame(run)) {
		uint64_t now = load_operations(run->load);
		struct calibration_sample sample =
			power_sample(&run->frames[run->present], run->settings, now - before);

		before = now;
		if (calibration_feed(calibration, &sample))
			tell_progress(calibration);
		load_set(run->load, calibration_cpus(calibration), calibration_share(calibration));
		if (calibration->state == CALIBRATION_RUNS)
			rest(sample_seconds);
	}
}

enum { FIT_CPUS, FIT_MEASURE, FIT_SLOPE, FIT_INTERCEPT, FIT_R_SQUARED, FIT_WORD, N_FIT_COLUMNS };

/* Words stand at the left of their columns, numbers at the right. */
static void add_line(struct buffer *out, const char *const *texts, const int *widths)
{
	for (int i = 0; i < N_FIT_COLUMNS; i++) {
		if (i == FIT_MEASURE || i == FIT_WORD)
			utf8_padded(out, texts[i], i == FIT_WORD ? 0 : widths[i], false);
		else
			utf8_padded_left(out, texts[i], widths[i], false);
		buffer_text(out, i == FIT_WORD ? "\n" : i == FIT_CPUS || i == FIT_R_SQUARED ? "  " : " ");
	}
}

static void add_fit(struct buffer *out, unsigned cpus, int measure, const struct regression *line,
		    const int *widths)
{
	char numbers[N_FIT_COLUMNS][32];
	const char *const texts[N_FIT_COLUMNS] = {
		[FIT_CPUS] = numbers[FIT_CPUS],
		[FIT_MEASURE] = _(calibration_label((enum calibration_measure)measure)),
		[FIT_SLOPE] = numbers[FIT_SLOPE],
		[FIT_INTERCEPT] = numbers[FIT_INTERCEPT],
		[FIT_R_SQUARED] = numbers[FIT_R_SQUARED],
		[FIT_WORD] = _(calibration_word(regression_r_squared(line))),
	};

	snprintf(numbers[FIT_CPUS], sizeof(numbers[0]), "%u", cpus);
	snprintf(numbers[FIT_SLOPE], sizeof(numbers[0]), "%.4g", regression_slope(line));
	snprintf(numbers[FIT_INTERCEPT], sizeof(numbers[0]), "%.3f", regression_intercept(line));
	snprintf(numbers[FIT_R_SQUARED], sizeof(numbers[0]), "%.4f", regression_r_squared(line));
	add_line(out, texts, widths);
}

static void print_text(struct buffer *out, const struct calibration *calibration)
{
	const char *const titles[N_FIT_COLUMNS] = { _("CPUs"),	      _("slope is"),  _("slope"),
						    _("intercept W"), _("R squared"), _("fit") };
	int widths[N_FIT_COLUMNS] = { 4, 24, 12, 12, 9, 0 };

	for (int i = 0; i < N_FIT_COLUMNS; i++)
		widths[i] = (int)fmax(widths[i], utf8_cells(titles[i], false));
	for (int k = 0; k < N_CALIBRATION_MEASURES; k++)
		widths[FIT_MEASURE] =
			(int)fmax(widths[FIT_MEASURE],
				  utf8_cells(_(calibration_label((enum calibration_measure)k)), false));
	add_line(out, titles, widths);
	for (unsigned i = 0; i < calibration->n_fits; i++)
		for (int k = 0; k < N_CALIBRATION_MEASURES; k++)
			if (!isnan(regression_slope(&calibration->fits[i].lines[k])))
				add_fit(out, calibration->fits[i].cpus, k, &calibration->fits[i].lines[k],
					widths);
}

static void print_json(struct buffer *out, const struct calibration *calibration)
{
	struct json_writer json = { .out = out };

	jsonw_open(&json, '{');
	jsonw_key(&json, "fits");
	jsonw_open(&json, '[');
	for (unsigned i = 0; i < calibration->n_fits; i++) {
		for (int k = 0; k < N_CALIBRATION_MEASURES; k++) {
			const struct regression *line = &calibration->fits[i].lines[k];

			jsonw_open(&json, '{');
			jsonw_key(&json, "cpus");
			jsonw_u64(&json, calibration->fits[i].cpus);
			jsonw_key(&json, "measure");
			jsonw_text(&json, calibration_name((enum calibration_measure)k));
			jsonw_key(&json, "slope");
			jsonw_f64(&json, regression_slope(line));
			jsonw_key(&json, "intercept_watts");
			jsonw_f64(&json, regression_intercept(line));
			jsonw_key(&json, "r_squared");
			jsonw_f64(&json, regression_r_squared(line));
			jsonw_key(&json, "fit");
			jsonw_text(&json, calibration_word(regression_r_squared(line)));
			jsonw_key(&json, "points");
			jsonw_u64(&json, line->count);
			jsonw_close(&json, '}');
		}
	}
	jsonw_close(&json, ']');
	jsonw_close(&json, '}');
	buffer_char(out, '\n');
}

static void yaml_number(struct buffer *out, const char *key, double number)
{
	buffer_print(out, "    %s: ", key);
	if (isfinite(number))
		buffer_f64(out, number);
	else
		buffer_text(out, "null");
	buffer_char(out, '\n');
}

static void print_yaml(struct buffer *out, const struct calibration *calibration)
{
	buffer_text(out, "fits:\n");
	for (unsigned i = 0; i < calibration->n_fits; i++) {
		for (int k = 0; k < N_CALIBRATION_MEASURES; k++) {
			const struct regression *line = &calibration->fits[i].lines[k];

			buffer_print(out, "  - cpus: %u\n    measure: %s\n", calibration->fits[i].cpus,
				     calibration_name((enum calibration_measure)k));
			yaml_number(out, "slope", regression_slope(line));
			yaml_number(out, "intercept_watts", regression_intercept(line));
			yaml_number(out, "r_squared", regression_r_squared(line));
			buffer_print(out, "    fit: %s\n    points: %llu\n",
				     calibration_word(regression_r_squared(line)),
				     (unsigned long long)line->count);
		}
	}
}

static bool any_is_poor(const struct calibration *calibration)
{
	for (unsigned i = 0; i < calibration->n_fits; i++)
		if (regression_r_squared(&calibration->fits[i].lines[CALIBRATION_LOAD]) < CALIBRATION_FAIR)
			return true;
	return false;
}

static int report(const struct options *options, const struct run *run)
{
	const struct calibration *calibration = &run->calibration;
	struct buffer out = { 0 };
	int error;

	if (calibration->state != CALIBRATION_DONE) {
		complain("--calibrate", _("there are no watts to measure"));
		return 1;
	}
	if (settings_get(run->settings, "power.yaml"))
		print_yaml(&out, calibration);
	else if (options->format == &sink_json)
		print_json(&out, calibration);
	else
		print_text(&out, calibration);
	error = buffer_write(&out, STDOUT_FILENO, -1);
	buffer_free(&out);
	if (any_is_poor(calibration))
		complain("--calibrate",
			 _("the line fits poorly: what the machine draws depends on more than its load; "
			   "calibrate it while nothing else runs, with longer steps"));
	if (error && error != -EPIPE)
		complain(_("standard output"), "%s", strerror(-error));
	return error && error != -EPIPE ? 1 : 0;
}

static void choose_topics(bool wanted[TOPICS_MAX])
{
	static const char *const names[] = { "power", "cpu", "counter" };

	for (unsigned t = 0; t < n_topics; t++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			wanted[t] |= strcmp(topics[t]->schema->name, names[i]) == 0;
}

/* Events by their names, which libpfm4 knows, in place of those that the kernel calls so. */
static void choose_events(struct settings *settings)
{
	struct buffer names = { 0 };

	if (!settings_get(settings, "power.cycles") && !settings_get(settings, "power.instructions"))
		return;
	buffer_print(&names, "%s,%s", power_event(settings, CALIBRATION_CYCLES),
		     power_event(settings, CALIBRATION_INSTRUCTIONS));
	buffer_char(&names, '\0');
	settings_set(settings, "cpu.perf", names.bytes);
	buffer_free(&names);
}

int calibrate_run(const struct options *options, struct settings *settings, struct source *source)
{
	const struct calibration_plan plan = make_plan(settings);
	const struct schema *schemas[TOPICS_MAX];
	struct run run = { .source = source, .settings = settings };
	bool wanted[TOPICS_MAX] = { false };
	int status;

	choose_topics(wanted);
	if (privileges_settle(options, settings, wanted) != 0)
		return 1;
	run.load = load_open();
	if (!run.load) {
		complain("--calibrate", _("there can be no thread for each CPU; raise the limit: ulimit -u"));
		return 1;
	}
	topic_schemas(schemas);
	frame_open(&run.frames[0], schemas, n_topics);
	frame_open(&run.frames[1], schemas, n_topics);
	choose_events(settings);
	source->want(source->state, wanted);
	calibration_open(&run.calibration, &plan);
	measure(&run, fmin(SAMPLE_SECONDS_MAX, plan.step_seconds / 2));
	status = report(options, &run);
	calibration_close(&run.calibration);
	load_close(run.load);
	frame_close(&run.frames[0]);
	frame_close(&run.frames[1]);
	told_free(&run.told);
	return status;
}
