/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the samples that options name, has the page made of them, and writes it for its owner alone. */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/privileges.h"
#include "app/recordings.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "output/report/report.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/user_file.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define SCREEN_READ_MAX 1000 /* samples: the screen waits for them */

static struct report_plan plan_of(const struct source *source, const struct settings *settings)
{
	return (struct report_plan){
		.source = source,
		.last = REPORT_TO_END,
		.moment = REPORT_WORST,
		.schemas = topic_schemas(),
		.n_schemas = n_topics,
		.rules = finding_rules,
		.n_rules = n_finding_rules,
		.settings = settings,
		.explained = explained_series,
		.reported = &reported_overview,
	};
}

static int write_page(void *page, int fd)
{
	return buffer_write(page, fd, -1);
}

/* Before the work: can the file be made? */
static int check_file(const char *name)
{
	struct user_file file;
	char why[TEXT_MAX];
	int error = user_file_open(&file, name, USER_FILE_NEW);

	if (!error)
		error = user_file_check(&file);
	if (error) {
		user_file_error_text(&file, error, why, sizeof(why));
		error_message("--report", "'%s': %s", name, why);
	}
	user_file_close(&file);
	return error ? 1 : 0;
}

/* Nothing is sampled: the file is made with the rights of the user. */
static int drop_all(const struct options *options, const struct settings *settings,
		    const struct sample_request *request)
{
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));
	int status = drop_privileges(options, settings, request, wanted);

	free(wanted);
	return status;
}

/* Of a long past only what is about this sample, and three times as much before it as after. */
static void choose_near(struct report_plan *plan, size_t index)
{
	size_t most = plan->source->near_frames, n_frames;
	uint64_t first_ns, last_ns;

	if (most == 0)
		return;
	n_frames = source_extent(plan->source, &first_ns, &last_ns);
	plan->last = index + most / 4 < n_frames ? index + most / 4 : n_frames - 1;
	plan->first = plan->last > most ? plan->last - most : 0;
}

static int find_samples(const struct options *options, struct report_plan *plan)
{
	uint64_t first_ns, last_ns;
	size_t index[2];
	int status;

	if (options->at) {
		status = moment_find(plan->source, options->replay, options->at, &plan->moment);
		if (status == 0)
			choose_near(plan, plan->moment);
		return status;
	}
	if (!options->between) {
		moment_read_all(plan->source, &first_ns, &last_ns);
		choose_near(plan, source_extent(plan->source, &first_ns, &last_ns));
		return 0;
	}
	status = moment_find_both(plan->source, options->replay, options->between, index);
	if (status == 0) {
		plan->first = index[0];
		plan->last = index[1];
	}
	return status;
}

static int make_and_write(const struct options *options, const struct report_plan *plan)
{
	struct buffer page = { 0 };
	enum report_fault fault = report_make(plan, &page);
	char why[TEXT_MAX];
	int status = 0;

	if (fault != REPORT_FAULTLESS) {
		if (fault != REPORT_INTERRUPTED)
			error_message(options->replay, "%s", report_fault_text(fault));
		status = 1;
	} else if (user_file_save_new(options->report, write_page, &page, why, sizeof(why)) != 0) {
		error_message("--report", "'%s': %s", options->report, why);
		status = 1;
	}
	buffer_free(&page);
	return status;
}

int report_run(const struct options *options, const struct settings *settings,
	       const struct sample_request *request, const struct source *source)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };
	struct report_plan plan = plan_of(source, settings);
	struct loop loop;
	int status = drop_all(options, settings, request), error;

	plan.scope = request->scope;
	plan.names = options->report_names;
	plan.interrupted = loop_signal_waits;
	if (status == 0)
		status = check_file(options->report);
	if (status != 0)
		return status;
	error = loop_open(&loop, signals);
	if (error) {
		error_message("epoll", "%s", strerror(-error));
		return 1;
	}
	status = find_samples(options, &plan);
	if (status == 0)
		status = make_and_write(options, &plan);
	loop_close(&loop);
	return status;
}

int report_save(const struct settings *settings, const struct source *source, bool names, const char *name,
		char *error, size_t room)
{
	struct report_plan plan = plan_of(source, settings);
	struct buffer page = { 0 };
	enum report_fault fault;
	int failed = -ENODATA;

	plan.names = names;
	plan.n_read = SCREEN_READ_MAX;
	if (source->position)
		choose_near(&plan, source->position(source->state));
	fault = report_make(&plan, &page);
	if (fault == REPORT_FAULTLESS)
		failed = user_file_save_new(name, write_page, &page, error, room);
	else
		snprintf(error, room, "%s", report_fault_text(fault));
	buffer_free(&page);
	return failed;
}
