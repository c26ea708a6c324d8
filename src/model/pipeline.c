/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages of a frame, in their order. */
#include <config.h>

#include "model/pipeline.h"

#include <errno.h>

#include "core/alloc.h"
#include "model/derive.h"
#include "model/host.h"
#include "model/scope_frame.h"

static void judge(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	bool recorded = source_is_recording(pipeline->source);

	if (pipeline->source->judged)
		return;
	frame_derive(frame, before);
	if (pipeline->findings && before && before->boot != frame->boot)
		findings_forget(pipeline->findings);
	if (pipeline->findings)
		findings_derive(pipeline->findings, frame,
				recorded	       ? FINDINGS_EVERYWHERE
				: pipeline->judges_all ? FINDINGS_WHERE_KNOWN
						       : FINDINGS_WHERE_ASKED);
	host_derive(frame, recorded);
}

/* Of a frame as the source gave it. */
static void pass(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	bool recorded = source_is_recording(pipeline->source);

	if (!pipeline->scope_is_live)
		scope_read_frame(pipeline->scope, frame, recorded);
	judge(pipeline, frame, before);
	if (pipeline->judge)
		pipeline->judge(pipeline->judge_state, frame);
	if (pipeline->keep)
		pipeline->keep(pipeline->keep_state, frame);
	scope_split_frame(pipeline->scope, frame, recorded);
}

int pipeline_next(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	const struct source *source = pipeline->source;
	int got;

	frame_clear(frame);
	got = source->next(source->state, frame);
	if (got != 1)
		return got;
	if (frame->cut)
		return -EINTR;
	if (!before && source_is_recording(source) && pipeline->scope && !pipeline->scope_is_live)
		scope_forget(pipeline->scope);
	pass(pipeline, frame, before);
	alloc_tidy();
	return 1;
}

int pipeline_read(const struct pipeline *pipeline, size_t index, struct frame *frame, struct frame *base)
{
	bool based = index > 0 && source_read(pipeline->source, index - 1, base) == 1;
	int got = source_read(pipeline->source, index, frame);

	if (got == 1)
		pass(pipeline, frame, based ? base : NULL);
	return got;
}

int pipeline_derive(const struct pipeline *pipeline, size_t index, struct frame *frame,
		   const struct frame *before)
{
	int got = source_read(pipeline->source, index, frame);

	if (got == 1)
		judge(pipeline, frame, before);
	return got;
}
