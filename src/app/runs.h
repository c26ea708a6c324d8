/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of a run, each with a file of its own. Arguments are borrowed; worker, rules and against, the
 * recording of --against, may be NULL. Each returns the exit status.
 */
#ifndef PANETOP_APP_RUNS_H
#define PANETOP_APP_RUNS_H

#include "app/run_plan.h"
#include "model/frame.h"
#include "sys/machine_thread.h"

/*
 * Samples from one source into one or two sinks until the count, the end or a signal. Samples a live source
 * once per delay; reads a recording as fast as possible.
 */
int batch_run(const struct options *options, struct run_plan *run, struct source *source,
	      struct source *against, struct worker *worker, struct rule_watch *rules);

/* The screen. settings holds the pane options of the command line; the configuration is added to it. */
int interactive_run(const struct options *options, struct settings *settings, struct sample_request *request,
		    struct source *source, struct worker *worker, struct rule_watch *rules);

/*
 * --listen: the live machine over HTTP, for Prometheus and for programs that read JSON. Answers until a
 * signal ends it, and samples only when a client wants a sample and the last one is older than --delay.
 */
int serve_run(const struct options *options, const struct settings *settings, struct sample_request *request,
	      struct source *source, struct worker *worker);

/* Prints nothing: watches its rules until it is stopped. The source is of the live machine env. */
int watch_run(const struct options *options, const struct settings *settings,
	      struct sample_request *request, struct source *source, struct env *env);

/* --report: a page about the recording of --replay, or about what --between names of it, in a new file. */
int report_run(const struct options *options, const struct settings *settings,
	       const struct sample_request *request, const struct source *source);

/*
 * The key S: of all samples of an open recording or of the past, whatever the scope is now: 0, or -errno and
 * what went wrong. The source is left at another place, and wants other topics.
 */
int report_save(const struct settings *settings, const struct source *source, bool names, const char *name,
		char *error, size_t room);

/* --calibrate: what CPU load costs in watts, measured with loads of its own. */
int calibrate_run(const struct options *options, struct settings *settings, struct source *source);

/* Sets the calibration that this file of JSON (NULL: none) holds. Returns -1 to go on, else 2. */
int calibration_file_take(struct settings *settings, const char *path);

/* --probe: which sources work here, why the others do not, and the remedy. */
int probe_run(const struct options *options, const struct settings *settings, struct env *env);

/* --describe: the topic of --table, those of the named panes, or all, in the selected format. */
int describe_run(const struct options *options);

/* Adds them as JSON or as text. */
void describe_topics(const struct options *options, bool json, struct buffer *out);

#endif
