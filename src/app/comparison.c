/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two samples of recordings, and their difference. */
#include <config.h>

#include "app/comparison.h"

#include <errno.h>
#include <string.h>

#include "app/moment.h"
#include "core/i18n.h"
#include "model/difference.h"
#include "sys/error_message.h"
#include "topic/topic.h"

void comparison_open(struct comparison *comparison, const struct run_plan *run)
{
	const struct schema *const *schemas = topic_schemas();

	frame_open(&comparison->base, schemas, n_topics);
	frame_open(&comparison->before, schemas, n_topics);
	frame_open(&comparison->now, schemas, n_topics);
	frame_open(&comparison->difference, differences_schemas(run->differences), n_topics);
}

void comparison_close(struct comparison *comparison)
{
	frame_close(&comparison->base);
	frame_close(&comparison->before);
	frame_close(&comparison->now);
	frame_close(&comparison->difference);
}

/* Judged by itself. */
static int read_sample(struct comparison *comparison, const struct pipeline *pipeline, const char *name,
		       size_t index, struct frame *frame)
{
	int got;

	findings_forget(pipeline->findings);
	got = pipeline_read(pipeline, index, frame, &comparison->base);
	if (got == 1)
		return 0;
	if (got != -EINTR)
		error_message(name, "%s", got < 0 ? strerror(-got) : _("this sample cannot be read"));
	return 1;
}

int comparison_take(struct comparison *comparison, const struct options *options, const struct run_plan *run,
		    const struct source *against, const struct pipeline *pipeline)
{
	const struct source *source = pipeline->source, *later = against ? against : source;
	struct pipeline second = *pipeline;
	const char *later_name = against ? options->against : options->replay;
	const char *at = options->at ? options->at : "-0";
	size_t index[2];
	int status;

	if (against)
		status = moment_find(source, options->replay, at, &index[0]) ||
			 moment_find(against, later_name, at, &index[1]);
	else
		status = moment_find_both(source, options->replay, options->between, index);
	if (status != 0)
		return status;
	if (source->want)
		source->want(source->state, run->wanted);
	if (later->want)
		later->want(later->state, run->wanted);
	second.source = later;
	if (read_sample(comparison, pipeline, options->replay, index[0], &comparison->before) ||
	    read_sample(comparison, &second, later_name, index[1], &comparison->now))
		return 1;
	frame_difference(run->differences, &comparison->difference, &comparison->before, &comparison->now,
			 !against);
	return 0;
}
