/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibration as a run of its own: loads in steps, progress on standard error, the table on standard output.
 */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/privileges.h"
#include "app/sampling.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "model/pipeline.h"
#include "output/sink.h"
#include "pane/power/power.h"
#include "sys/descriptor.h"
#include "topic/power/energy.h"
#include "topic/topic.h"

#define SAMPLE_SECONDS_MAX 1.0
#define LOOKS 5
#define LOOK_SECONDS 0.2

#define FILE_BYTES_MAX (1 << 20) /* that are read */

struct run {
	struct source *source;
	const struct settings *settings;
	struct notice_printer notices;
	struct frame frames[2];
	unsigned present;
	bool any; /* a frame was sampled */
	struct calibration_run calibrated;
};

static struct calibration_plan make_plan(const struct settings *settings)
{
	double seconds = settings->power.step_seconds;
	unsigned cpus = cpu_load_cpus();

	return (struct calibration_plan){
		.first_cpus = settings->power.per_count ? 1 : cpus,
		.last_cpus = cpus,
		.step_seconds = seconds,
		.settle_seconds = fmin(1, seconds / 2),
	};
}

static bool next_frame(struct run *run)
{
	const struct pipeline pipeline = { .source = run->source };
	struct frame *now = &run->frames[1 - run->present];

	if (pipeline_next(&pipeline, now, run->any ? &run->frames[run->present] : NULL) != 1)
		return false;
	run->any = true;
	for (unsigned i = 0; i < now->n_notices; i++)
		notice_printer_print(&run->notices, &now->notices[i]);
	run->present = 1 - run->present;
	return true;
}

static void print_progress(const struct calibration *calibration)
{
	if (calibration->state != CALIBRATION_RUNS)
		return;
	error_message("--calibrate",
		      P_("step %u of %u: %u CPU at %.0f %%, %.0f s left; the previous step drew %.2f W",
			 "step %u of %u: %u CPUs at %.0f %%, %.0f s left; the previous step drew %.2f W",
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

/* Does anything here measure power? Some meters take a moment. */
static bool is_measured(struct run *run)
{
	for (unsigned i = 0; i < LOOKS && next_frame(run); i++) {
		if (!isnan(frame_number(&run->frames[run->present], "power", "total", "joules")))
			return true;
		rest(LOOK_SECONDS);
	}
	return false;
}

static void measure(struct run *run, double sample_seconds)
{
	const struct calibration *calibration = &run->calibrated.calibration;

	while (calibration->state == CALIBRATION_RUNS && next_frame(run)) {
		if (calibration_run_feed(&run->calibrated, &run->frames[run->present], run->settings))
			print_progress(calibration);
		if (calibration->state == CALIBRATION_RUNS)
			rest(sample_seconds);
	}
}

static bool any_is_poor(const struct calibration *calibration)
{
	for (unsigned i = 0; i < calibration->n_fits; i++)
		if (regression_r_squared(&calibration->fits[i].lines[CALIBRATION_LOAD]) < CALIBRATION_FAIR)
			return true;
	return false;
}

/* A frame with only this table, at the time of the last sample. */
static const struct frame *make_result(struct run *run)
{
	const struct calibration *calibration = &run->calibrated.calibration;
	const struct frame *last = &run->frames[run->present];
	struct frame *frame = &run->frames[1 - run->present];
	struct table *table;

	frame_clear(frame);
	frame->host = last->host;
	frame->wall_ns = last->wall_ns;
	frame->mono_ns = last->mono_ns;
	table = frame_slot(frame, topic_calibration.schema->name);
	table->present = true;
	for (unsigned i = 0; i < calibration->n_fits; i++) {
		struct power_fit fit;

		power_fit_take(&fit, &calibration->fits[i]);
		calibration_add_rows(table, &fit);
	}
	return frame;
}

static int print(const struct options *options, struct run *run)
{
	static const char *const panes[] = { "power" };
	struct print_plan plan = {
		.views = alloc_zeroed(1, sizeof(*plan.views)),
		.n_views = 1,
		.panes = panes,
		.n_panes = 1,
		.unit = run->settings->unit,
		.ascii = options->ascii || !i18n_is_utf8(),
	};

	view_open(plan.views, topic_calibration.schema);
	if (options->format != &sink_text)
		view_choose_all(plan.views);
	return print_alone(&plan, options->format, make_result(run));
}

static int not_measured(void)
{
	error_message("--calibrate", _("no power measurement available; see panetop --probe power"));
	return 1;
}

static int report(const struct options *options, struct run *run)
{
	const struct calibration *calibration = &run->calibrated.calibration;
	int status;

	if (calibration->state != CALIBRATION_DONE)
		return not_measured();
	status = print(options, run);
	if (any_is_poor(calibration))
		error_message("--calibrate", _("poor fit: power depends on more than CPU load; "
					       "calibrate while nothing else runs, with longer steps"));
	return status;
}

static bool *choose_topics(void)
{
	static const char *const names[] = { "power", "cpu", "counter" };
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		schema_want(topic_schemas(), n_topics, names[i], wanted);
	return wanted;
}

/* --cycles and --instructions: libpfm4's events in place of the kernel's generic ones. */
static void choose_events(struct settings *settings)
{
	struct buffer names = { 0 };

	if (!settings->power.cycles && !settings->power.instructions)
		return;
	buffer_print(&names, "%s,%s", calibration_event(settings, CALIBRATION_CYCLES),
		     calibration_event(settings, CALIBRATION_INSTRUCTIONS));
	buffer_char(&names, '\0');
	settings_set(settings, "cpu.perf", names.bytes, 0);
	buffer_free(&names);
}

/* Runs all steps under load and prints the result. */
static int calibrate(const struct options *options, struct run *run)
{
	const struct calibration_plan plan = make_plan(run->settings);
	int status;

	if (!calibration_run_open(&run->calibrated, &plan)) {
		error_message("--calibrate", _("cannot start a thread per CPU; raise the limit: ulimit -u"));
		return 1;
	}
	measure(run, fmin(SAMPLE_SECONDS_MAX, plan.step_seconds / 2));
	status = report(options, run);
	calibration_run_close(&run->calibrated);
	return status;
}

static int calibrate_wanted(const struct options *options, struct run *run, const bool *wanted)
{
	int status;

	frame_open(&run->frames[0], topic_schemas(), n_topics);
	frame_open(&run->frames[1], topic_schemas(), n_topics);
	run->source->want(run->source->state, wanted);
	status = is_measured(run) ? calibrate(options, run) : not_measured();
	frame_close(&run->frames[0]);
	frame_close(&run->frames[1]);
	notice_printer_free(&run->notices);
	return status;
}

int calibrate_run(const struct options *options, struct settings *settings, struct source *source)
{
	struct run run = { .source = source, .settings = settings };
	bool *wanted = choose_topics();
	int status = 1;

	if (drop_privileges(options, settings, NULL, wanted) == 0) {
		choose_events(settings);
		status = calibrate_wanted(options, &run, wanted);
	}
	free(wanted);
	return status;
}

int calibration_file_take(struct settings *settings, const char *path)
{
	struct buffer text = { 0 };
	struct power_fit fit;
	int fd, error, status = 2;

	if (!path)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	error = fd < 0 ? -errno : buffer_read(&text, fd, FILE_BYTES_MAX);
	if (fd >= 0)
		close(fd);
	if (error) {
		error_message("--calibration", "%s: %s", path, strerror(-error));
	} else if (!power_fit_parse(&fit, span_of(text.bytes, text.length))) {
		error_message("--calibration",
			      _("%s: no calibration found; create one: panetop --calibrate -o json power"),
			      path);
	} else {
		buffer_empty(&text);
		power_fit_write(&fit, &text);
		buffer_char(&text, '\0');
		settings_set(settings, POWER_FIT_SETTING, text.bytes, 0);
		status = -1;
	}
	buffer_free(&text);
	return status;
}
