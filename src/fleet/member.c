/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the recordings of a member, one after the other, and judges each sample. */
#include <config.h>

#include "fleet/member.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define READ_ON_MOST 64 /* samples; what is further away is jumped to */

void member_open(struct member *member, const char *name, const struct member_kind *kind, void *state,
		 const struct member_plan *plan)
{
	*member = (struct member){
		.name = alloc_text(name),
		.kind = kind,
		.state = state,
		.plan = plan,
		.findings = findings_open(plan->rules, plan->n_rules, plan->settings),
		.wanted = alloc_zeroed(plan->n_schemas + 1, sizeof(*member->wanted)),
		.wants = 1,
	};
	for (unsigned i = 0; i < 2; i++)
		frame_open(&member->frames[i], plan->schemas, plan->n_schemas);
}

void member_close(struct member *member)
{
	member->kind->close(member->state);
	findings_close(member->findings);
	for (unsigned i = 0; i < 2; i++)
		frame_close(&member->frames[i]);
	free(member->wanted);
	free(member->name);
}

void member_want(struct member *member, const bool *wanted)
{
	size_t bytes = member->plan->n_schemas * sizeof(*wanted);

	if (memcmp(member->wanted, wanted, bytes) == 0)
		return;
	memcpy(member->wanted, wanted, bytes);
	member->wants++;
}

const struct frame *member_frame(const struct member *member)
{
	return member->has_frame ? &member->frames[member->latest] : NULL;
}

int64_t member_clock_offset_ns(const struct member *member)
{
	struct member_report report = { .clock_offset_seconds = NAN };

	member->kind->report(member->state, &report);
	return isnan(report.clock_offset_seconds) ? 0 : (int64_t)(report.clock_offset_seconds * 1e9);
}

/* The next sample of a part, with rates over the one before: 1, 0, or -errno. */
static int read_next(struct member *member, struct member_part *part, bool based)
{
	struct pipeline pipeline = { .source = &part->source, .findings = member->findings };
	unsigned other = 1 - member->latest;
	int got = pipeline_next(&pipeline, &member->frames[other],
				based ? &member->frames[member->latest] : NULL);

	if (got != 1)
		return got;
	member->latest = other;
	member->has_frame = true;
	return 1;
}

/* Up to this index of the part, from behind the last frame that was read of it. */
static int read_on(struct member *member, struct member_part *part, size_t index,
		   void (*take)(void *context, const struct frame *frame), void *context)
{
	int any = 0;

	while (part->source.position(part->source.state) < index) {
		int got = read_next(member, part, true);

		if (got != 1)
			return got == 0 || got == -EAGAIN ? any : got;
		any = 1;
		if (take)
			take(context, member_frame(member));
	}
	return any;
}

/* From an earlier one, which only serves for rates, to this index. */
static int jump_to(struct member *member, struct member_part *part, size_t from, size_t index,
		   void (*take)(void *context, const struct frame *frame), void *context)
{
	int got = part->source.seek(part->source.state, from);

	if (got == 0)
		got = read_next(member, part, false);
	if (got != 1)
		return got == -EAGAIN ? 0 : got;
	member->serial = part->serial;
	member->is_in_part = true;
	if (from == index && take)
		take(context, member_frame(member));
	got = read_on(member, part, index, take, context);
	return got < 0 ? got : 1;
}

static size_t before(size_t index)
{
	return index > 0 ? index - 1 : 0;
}

/* The last one that begins at or before this time; NULL: there is none. */
static struct member_part *find_part(struct member_part *parts, size_t n_parts, uint64_t wall_ns)
{
	for (size_t i = n_parts; i-- > 0;)
		if (parts[i].n_frames > 0 && parts[i].first_ns <= wall_ns)
			return &parts[i];
	return NULL;
}

/* What was not read yet of the part before it, which has ended. */
static void finish_part(struct member *member, struct member_part *parts, size_t n_parts,
			const struct member_part *next,
			void (*take)(void *context, const struct frame *frame), void *context)
{
	for (size_t i = 0; i < n_parts && member->is_in_part; i++)
		if (parts[i].serial == member->serial && &parts[i] + 1 == next && parts[i].n_frames > 0)
			read_on(member, &parts[i], parts[i].n_frames - 1, take, context);
}

int member_go_to(struct member *member, uint64_t wall_ns,
		 void (*take)(void *context, const struct frame *frame), void *context)
{
	size_t n_parts, index, position;
	struct member_part *parts = member->kind->parts(member->state, &n_parts);
	struct member_part *part = find_part(parts, n_parts, wall_ns);
	bool same = part && member->is_in_part && member->serial == part->serial, near;

	if (!part) {
		member->has_frame = member->is_in_part = false;
		return 0;
	}
	if (!same)
		finish_part(member, parts, n_parts, part, take, context);
	index = part->source.find(part->source.state, wall_ns);
	position = same ? part->source.position(part->source.state) : 0;
	near = same && position <= index && index - position <= READ_ON_MOST;
	if (!same || member->part_wants != member->wants) {
		source_want(&part->source, member->wanted);
		member->part_wants = member->wants;
		if (near && position == index) /* it was taken before */
			return jump_to(member, part, before(index), index, NULL, NULL);
		return jump_to(member, part, near ? position : before(index), index, take, context);
	}
	if (near)
		return read_on(member, part, index, take, context);
	return jump_to(member, part, before(index), index, take, context);
}

static struct member_part *only_part(void *state, size_t *n_parts)
{
	*n_parts = 1;
	return state;
}

static void report_end(void *state, struct member_report *report)
{
	(void)state;
	*report = (struct member_report){ .ended = true, .clock_offset_seconds = NAN };
}

void member_part_close(void *state)
{
	struct member_part *part = state;

	part->source.close(part->source.state);
	free(part);
}

static const struct member_kind recording_kind = {
	.parts = only_part, .report = report_end, .close = member_part_close
};

void recording_member_open(struct member *member, const char *name, const struct source *recording,
			   unsigned serial, const struct member_plan *plan)
{
	struct member_part *part = alloc_zeroed(1, sizeof(*part));

	part->source = *recording;
	part->serial = serial;
	part->n_frames = source_extent(recording, &part->first_ns, &part->last_ns);
	member_open(member, name, &recording_kind, part, plan);
}
