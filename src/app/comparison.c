/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two samples of recordings, and their difference. */
#include <config.h>

#include "app/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/moment.h"
#include "core/alloc.h"
#include "core/error_message.h"
#include "core/i18n.h"
#include "model/derive.h"
#include "model/difference.h"
#include "pane/scope_frame.h"
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

static int read_frame(const struct source *source, const char *name, struct frame *frame)
{
	int got;

	frame_clear(frame);
	got = source->next(source->state, frame);
	if (got == 1)
		return 0;
	if (got != -EINTR)
		error_message(name, "%s", got < 0 ? strerror(-got) : _("this sample cannot be read"));
	return 1;
}

/* With the one before it, for its rates, and with what follows from its tables. */
static int read_sample(struct comparison *comparison, struct run_plan *run, const struct source *source,
		       const char *name, size_t index, struct findings *findings, struct frame *frame)
{
	struct scope *scope = run->request->scope;

	if (source->seek(source->state, index > 0 ? index - 1 : 0) < 0 ||
	    (index > 0 && read_frame(source, name, &comparison->base) != 0) ||
	    read_frame(source, name, frame) != 0)
		return 1;
	findings_forget(findings);
	scope_read_frame(scope, frame, true);
	frame_derive(frame, index > 0 ? &comparison->base : NULL);
	findings_derive(findings, frame, true);
	scope_split_frame(scope, frame, true);
	return 0;
}

/* Of one recording, at two times. */
static int find_both(const struct options *options, struct source *source, size_t index[2])
{
	const char *comma = strchr(options->between, ',');
	char *first = alloc_text(options->between);
	const char *second = comma + 1;
	int status;

	first[comma - options->between] = '\0';
	status = moment_find(source, options->replay, first, &index[0]);
	if (status == 0)
		status = moment_find(source, options->replay, second, &index[1]);
	if (status == 0 && index[1] < index[0])
		error_message("--between", _("%s is before %s: name the earlier time first"), second, first);
	else if (status == 0 && index[1] == index[0])
		error_message("--between", _("%s and %s are the same sample, the last one until then"), first,
			      second);
	free(first);
	return status == 0 && index[1] <= index[0] ? 1 : status;
}

int comparison_take(struct comparison *comparison, const struct options *options, struct run_plan *run,
		    struct source *source, struct source *against, struct findings *findings)
{
	struct source *later = against ? against : source;
	const char *later_name = against ? options->against : options->replay;
	const char *at = options->at ? options->at : "-0";
	size_t index[2];
	int status;

	if (against)
		status = moment_find(source, options->replay, at, &index[0]) ||
			 moment_find(against, later_name, at, &index[1]);
	else
		status = find_both(options, source, index);
	if (status != 0)
		return status;
	if (source->want)
		source->want(source->state, run->wanted);
	if (later->want)
		later->want(later->state, run->wanted);
	if (read_sample(comparison, run, source, options->replay, index[0], findings, &comparison->before) ||
	    read_sample(comparison, run, later, later_name, index[1], findings, &comparison->now))
		return 1;
	frame_difference(run->differences, &comparison->difference, &comparison->before, &comparison->now,
			 !against);
	return 0;
}
