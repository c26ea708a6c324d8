/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of a run that watches: samples only what some rule needs now, and only while one does. */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/privileges.h"
#include "app/rule_list.h"
#include "app/rule_watch.h"
#include "app/sampling.h"
#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/pipeline.h"
#include "model/settings.h"
#include "pane/panes.h"
#include "recording/past_file.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/machine.h"
#include "sys/process.h"
#include "sys/user_file.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define AGAIN_NS UINT64_C(60000000000) /* between messages */

/* Keeps the last minutes of the overview, and saves them when a rule fires. */
struct flight_recorder {
	const struct machine_clock *clock; /* borrowed */
	const char *directory;
	struct past_file *past; /* NULL: nothing is kept */
	uint64_t n_fired;
	unsigned n_saved;
	uint64_t reported_ns; /* that it could not be saved; 0: never */
};

/* It saves into this directory. 0, or an exit status after an error message. */
static int flight_recorder_open(struct flight_recorder *recorder, const struct machine_clock *clock,
				const char *directory, const struct settings *settings)
{
	*recorder = (struct flight_recorder){ .clock = clock, .directory = directory };
	errno = EINVAL;
	if (settings->past_seconds > 0)
		recorder->past = past_file_open(settings->past_seconds, settings->past_bytes,
						topic_schemas(), n_topics);
	if (recorder->past)
		return 0;
	error_message("--save-on-fire", settings->past_seconds > 0 ? "%s" : _("needs a past: not --past=0"),
		      strerror(errno));
	return 1;
}

static void want(const char *topic, bool *wanted)
{
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] |= strcmp(topics[i]->schema->name, topic) == 0;
}

/* Marks the topics, by index, that it keeps: true. */
static bool flight_recorder_want(bool *wanted)
{
	for (const struct pane_table *table = pane_find("overview")->tables; table->topic; table++)
		if (!table->scoped)
			want(table->topic, wanted);
	for (unsigned i = 0; headline_topics[i]; i++)
		want(headline_topics[i], wanted);
	return true;
}

static int write_past(void *past, int fd)
{
	return past_file_save(past, fd);
}

static void report(struct flight_recorder *recorder, const char *path, const struct user_file *file,
		   int error)
{
	uint64_t now_ns = clock_mono_ns(recorder->clock);
	char why[TEXT_MAX];

	if (recorder->reported_ns > 0 && now_ns - recorder->reported_ns < AGAIN_NS)
		return;
	recorder->reported_ns = now_ns;
	user_file_error_text(file, error, why, sizeof(why));
	error_message(path, "%s", why);
}

/* "panetop-2026-01-31T12:03:07Z-1.recording"; one of another panetop may have the name. */
static void save(struct flight_recorder *recorder)
{
	char path[PATH_MAX], time[CLOCK_TEXT_MAX];
	struct user_file file;
	int error;

	clock_utc(time, clock_wall_ns(recorder->clock));
	do {
		snprintf(path, sizeof(path), "%s/panetop-%.19sZ-%u.recording", recorder->directory, time,
			 ++recorder->n_saved);
		error = user_file_write_new(&file, path, write_past, recorder->past);
		if (error && error != -EEXIST)
			report(recorder, path, &file, error);
		user_file_close(&file);
	} while (error == -EEXIST);
}

struct watch {
	const struct machine_clock *clock; /* borrowed, as the next */
	const struct settings *settings;
	struct source *source;
	struct worker *worker; /* NULL: none */
	struct rule_watch *rules;
	struct firing_log *log;
	struct loop loop;
	struct frame frame;
	struct derive_base base;
	struct pipeline pipeline;
	struct notice_printer notices;
	struct rate_limit rate_limit;
	struct flight_recorder recorder;
	bool *wanted;
	bool ticks; /* a rule needs samples */
	bool based; /* the last one was a delay ago: it gives rates */
};

static uint64_t delay_ns(const struct watch *watch)
{
	return (uint64_t)(watch->settings->delay_seconds * 1e9);
}

/* Samples what is wanted, if anything is. */
static struct frame *sample(struct watch *watch)
{
	const char *why;
	bool any = false;
	int got;

	for (unsigned i = 0; i < n_topics; i++)
		any |= watch->wanted[i];
	if (!any)
		return NULL;
	watch->source->want(watch->source->state, watch->wanted);
	got = pipeline_next(&watch->pipeline, &watch->frame, watch->based ? &watch->base.frame : NULL);
	if (got != 1)
		return NULL;
	why = watch->recorder.past ? past_file_keep(watch->recorder.past, &watch->frame) : NULL;
	if (why)
		error_message(_("the past"), "%s", why);
	for (unsigned i = 0; i < watch->frame.n_notices; i++)
		notice_printer_print(&watch->notices, &watch->frame.notices[i]);
	return &watch->frame;
}

static void plan(struct watch *watch);

/* What fired is in no table. */
static void take_fired(struct watch *watch)
{
	struct flight_recorder *recorder = &watch->recorder;

	firing_log_clear(watch->log);
	if (recorder->past && rule_watch_fired(watch->rules) > recorder->n_fired) {
		save(recorder);
		recorder->n_fired = rule_watch_fired(watch->rules);
	}
}

static void step(struct watch *watch)
{
	struct frame *frame = sample(watch);

	rule_watch_take(watch->rules, frame);
	take_fired(watch);
	watch->based = frame != NULL;
	if (frame)
		derive_base_take(&watch->base, frame);
	plan(watch);
}

/* What the rules need from now on: samples, or nothing. */
static void plan(struct watch *watch)
{
	bool ticks;

	memset(watch->wanted, 0, n_topics * sizeof(*watch->wanted));
	ticks = rule_watch_want(watch->rules, watch->wanted);
	if (watch->recorder.past)
		ticks = flight_recorder_want(watch->wanted);
	if (ticks == watch->ticks)
		return;
	watch->ticks = ticks;
	watch->based = false;
	loop_set_tick(&watch->loop, ticks ? delay_ns(watch) : 0);
	if (ticks)
		step(watch);
}

static void on_tick(void *context)
{
	struct watch *watch = context;
	uint64_t cpu_ns = clock_self_cpu_ns(watch->clock), delay;
	bool changed;

	step(watch);
	cpu_ns = clock_self_cpu_ns(watch->clock) - cpu_ns;
	delay = rate_limit_delay(&watch->rate_limit, cpu_ns, delay_ns(watch), &changed);
	if (changed && watch->ticks)
		loop_set_tick(&watch->loop, delay);
}

static void on_rules(void *context)
{
	struct watch *watch = context;

	take_fired(watch);
	plan(watch);
}

static void on_signal(void *context, int number, bool of_terminal)
{
	struct watch *watch = context;

	(void)number;
	(void)of_terminal;
	loop_stop(&watch->loop);
}

static int open_loop(struct watch *watch)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };
	int status = source_loop_open(&watch->loop, signals, watch->source, watch->worker);

	watch->loop.tick = on_tick;
	watch->loop.signal = on_signal;
	watch->loop.context = watch;
	return status;
}

static void open_frames(struct watch *watch, struct scope *scope)
{
	watch->wanted = alloc_zeroed(n_topics, sizeof(*watch->wanted));
	frame_open(&watch->frame, topic_schemas(), n_topics);
	derive_base_open(&watch->base, topic_schemas(), n_topics);
	watch->pipeline = (struct pipeline){
		.source = watch->source,
		.scope = scope,
		.findings = findings_open(finding_rules, n_finding_rules, watch->settings),
	};
}

static void close_frames(struct watch *watch)
{
	findings_close(watch->pipeline.findings);
	notice_printer_free(&watch->notices);
	frame_close(&watch->frame);
	derive_base_close(&watch->base);
	free(watch->wanted);
}

/* What only opening needs is open now; topics are opened when a rule wakes up. */
static int drop(struct watch *watch, const struct options *options, struct sample_request *request)
{
	rule_watch_want_all(watch->rules, watch->wanted);
	findings_request(finding_rules, n_finding_rules, topic_schemas(), n_topics, watch->wanted, request);
	if (watch->recorder.past)
		flight_recorder_want(watch->wanted);
	return drop_privileges(options, watch->settings, request, watch->wanted);
}

int watch_run(const struct options *options, const struct settings *settings,
	      struct sample_request *request, struct source *source, struct env *env)
{
	struct firing_log log = { 0 };
	struct watch watch = { .clock = env->clock,
			       .settings = settings,
			       .source = source,
			       .worker = env->worker,
			       .log = &log };
	struct rule_list list = { 0 };
	struct rule_watch_plan rules = {
		.rules = &list,
		.env = env,
		.log = &log,
		.output = true,
		.files = source->files_before,
		.changed = on_rules,
		.context = &watch,
		.may_sleep = true,
	};
	int status = rule_options_read(options, &list);

	if (status == 0)
		status = open_loop(&watch);
	if (status == 0) {
		open_frames(&watch, request->scope);
		watch.rules = rule_watch_open(&rules);
		status = watch.rules ? 0 : 1;
		if (status == 0 && options->save_on_fire)
			status = flight_recorder_open(&watch.recorder, env->clock, options->save_on_fire,
						      settings);
		if (status == 0)
			status = drop(&watch, options, request);
		if (status == 0) {
			rule_watch_join(watch.rules, &watch.loop);
			plan(&watch);
			service_notify("READY=1");
			loop_run(&watch.loop);
			service_notify("STOPPING=1");
		}
		rule_watch_close(watch.rules);
		if (watch.recorder.past)
			past_file_close(watch.recorder.past);
		close_frames(&watch);
		loop_close(&watch.loop);
	}
	rule_list_free(&list);
	firing_log_free(&log);
	return status;
}
