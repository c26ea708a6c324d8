/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages of a frame, in their order. */
#include <config.h>

#include "model/pipeline.h"

#include <errno.h>

#include "core/alloc.h"
#include "model/derive.h"
#include "model/host.h"
#include "model/scope_frame.h"

#define FINDINGS_NS UINT64_C(300000000000) /* before a frame, by which its findings are judged */
#define FRAMES_NEAR 15
#define FRAMES_NEAR_FEW 6
#define FRAMES_FAR 8 /* for each e-fold of the distance */
#define FRAMES_FAR_FEW 2

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

/* Near it every frame counts: windows of rules are 10 to 30 s long. Others show since when a rule holds. */
static size_t step_at(size_t distance, bool few)
{
	size_t near = few ? FRAMES_NEAR_FEW : FRAMES_NEAR;

	if (distance <= near)
		return 1;
	return distance <= 4 * near ? near / 3 : distance / (few ? FRAMES_FAR_FEW : FRAMES_FAR) + 1;
}

void pipeline_judge_before(const struct pipeline *pipeline, size_t first, size_t index, bool few,
			   struct frame *const frames[2],
			   void (*each)(void *state, const struct frame *frame, const struct frame *before),
			   void *state)
{
	const struct frame *before = NULL;
	size_t step;

	findings_forget(pipeline->findings);
	for (size_t distance = index > first ? index - first : 0; distance > 0; distance -= step) {
		struct frame *frame = before == frames[0] ? frames[1] : frames[0];

		if (pipeline_derive(pipeline, index - distance, frame, before) != 1)
			break;
		if (each)
			each(state, frame, before);
		before = frame;
		step = step_at(distance, few);
		step = step < distance ? step : distance;
	}
}

size_t pipeline_first_before(size_t index, size_t n, uint64_t first_ns, uint64_t last_ns)
{
	uint64_t kept_ns = last_ns > first_ns ? last_ns - first_ns : 1;
	size_t before = n;

	if (kept_ns > FINDINGS_NS)
		before = (size_t)((double)n * (double)FINDINGS_NS / (double)kept_ns);
	return before < index ? index - before : 0;
}
