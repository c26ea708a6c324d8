/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Its one part is there from the start. */
#include <config.h>

#include "fleet/recording_member.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"

static struct member_part *parts(void *state, size_t *n_parts)
{
	*n_parts = 1;
	return state;
}

static void report(void *state, struct member_report *report)
{
	(void)state;
	*report = (struct member_report){ .ended = true, .clock_offset_seconds = NAN };
}

static void close_recording(void *state)
{
	struct member_part *part = state;

	part->source.close(part->source.state);
	free(part);
}

static const struct member_kind kind = { .parts = parts, .report = report, .close = close_recording };

void recording_member_open(struct member *member, const char *name, const struct source *recording,
			   unsigned serial, const struct member_plan *plan)
{
	struct member_part *part = alloc_zeroed(1, sizeof(*part));

	part->source = *recording;
	part->serial = serial;
	part->n_frames = source_extent(recording, &part->first_ns, &part->last_ns);
	member_open(member, name, &kind, part, plan);
}
