/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeking by index and by time over the parts found so far. */
#include <config.h>

#include "recording/finder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"

#define EXTENT_BYTES ((off_t)16 << 20) /* passed at most at a time, to know how long a recording is */
#define TURN_BYTES ((off_t)1 << 20)    /* of a pipe, taken at a time */

void finder_close(struct finder *finder)
{
	free(finder->parts);
}

void finder_add(struct finder *finder, struct recording_part part)
{
	part.first = finder->n_frames;
	*VECTOR_ADD(finder->parts, finder->n_parts, finder->capacity) = part;
	finder->n_frames += part.n_frames;
}

void finder_drop(struct finder *finder, size_t n_dropped)
{
	size_t n_frames = n_dropped < finder->n_parts ? finder->parts[n_dropped].first : finder->n_frames;

	finder->n_parts -= n_dropped;
	memmove(finder->parts, finder->parts + n_dropped, finder->n_parts * sizeof(*finder->parts));
	for (size_t i = 0; i < finder->n_parts; i++)
		finder->parts[i].first -= n_frames;
	finder->n_frames -= n_frames;
	finder->next -= finder->next < n_frames ? finder->next : n_frames;
}

void finder_end(struct finder *finder, const char *remark)
{
	finder->whole = true;
	finder->remark = remark;
}

bool finder_is_interrupted(const struct finder *finder)
{
	return finder->interrupted && finder->interrupted();
}

static int pass_next(struct finder *finder)
{
	if (finder->whole)
		return 0;
	return finder_is_interrupted(finder) ? -EINTR : finder->pass_next(finder);
}

static int reach(struct finder *finder, size_t index)
{
	int got = 1;

	while (index >= finder->n_frames && got == 1)
		got = pass_next(finder);
	return got;
}

int finder_reach_next(struct finder *finder)
{
	return reach(finder, finder->next);
}

size_t finder_part_of(const struct finder *finder, size_t frame)
{
	size_t at;

	VECTOR_BOUND(at, finder->n_parts, finder->parts[at].first + finder->parts[at].n_frames <= frame);
	return at;
}

static int seek(void *state, size_t index)
{
	struct finder *finder = state;
	int got = reach(finder, index);

	if (finder->n_frames == 0)
		return got < 0 ? got : -ENODATA;
	finder->next = index < finder->n_frames ? index : finder->n_frames - 1;
	return 0;
}

static size_t position(void *state)
{
	const struct finder *finder = state;

	return finder->next > 0 ? finder->next - 1 : 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	struct finder *finder = state;

	while (finder->n_parts == 0 || finder->parts[finder->n_parts - 1].min_ns <= wall_ns)
		if (pass_next(finder) != 1)
			break;
	for (size_t i = finder->n_parts; i-- > 0;) {
		const struct recording_part *part = &finder->parts[i];

		if (part->min_ns <= wall_ns && !part->bad)
			return part->first + (finder->find_in ? finder->find_in(finder, part, wall_ns) : 0);
	}
	return 0;
}

static bool extent(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	struct finder *finder = state;
	off_t most = finder->end + EXTENT_BYTES;

	while (finder->end < most && pass_next(finder) == 1)
		;
	*n_frames = finder->n_frames;
	*first_ns = finder->n_parts > 0 ? finder->parts[0].min_ns : 0;
	*last_ns = finder->n_parts > 0 ? finder->parts[finder->n_parts - 1].max_ns : 0;
	return finder->whole;
}

static int wait_fd(void *state)
{
	const struct finder *finder = state;

	return finder->pipe && !finder->whole ? finder->fd : -1;
}

static bool pull(void *state)
{
	struct finder *finder = state;
	off_t most = finder->end + TURN_BYTES;
	int got;

	while ((got = pass_next(finder)) == 1 && finder->end < most)
		;
	return got == 1 || got == -EAGAIN;
}

static const char *remark(void *state)
{
	return ((const struct finder *)state)->remark;
}

void finder_give(struct finder *finder, struct source *source)
{
	*source = (struct source){
		.seek = seek,
		.position = position,
		.find = find,
		.extent = extent,
		.wait_fd = wait_fd,
		.pull = pull,
		.remark = remark,
		.state = finder,
	};
}

#define LEAST ((uint64_t)128 << 20)
#define TIMES_SIZE 256
#define MOST ((uint64_t)2 << 30)

#define FRAMES 4          /* two in batch, up to four on the screen */
#define DECODED_SAMPLES 2 /* a row lies in two samples of its decoder */
#define ROW_CELLS 32      /* what a row costs beside its cells, mostly time: joins, sorting, output */

/* Frames keep the memory of a peak until recent_use_is_outgrown(); so does this. */
struct allowed_use {
	struct recent_use recent;
	uint64_t used, held; /* bytes */
};

void allowance_open(struct allowance *allowance, unsigned n_uses)
{
	*allowance = (struct allowance){ .most = LEAST, .n_uses = n_uses };
	allowance->uses = alloc_zeroed(n_uses, sizeof(*allowance->uses));
}

void allowance_close(struct allowance *allowance)
{
	free(allowance->uses);
}

void allowance_set_size(struct allowance *allowance, uint64_t recorded_bytes)
{
	uint64_t more = recorded_bytes < MOST / TIMES_SIZE ? recorded_bytes * TIMES_SIZE : MOST;

	allowance->most = LEAST + more < MOST ? LEAST + more : MOST;
}

uint64_t allowance_room(const struct allowance *allowance, unsigned use)
{
	uint64_t others = allowance->held - allowance->uses[use].held;

	return allowance->most > others ? allowance->most - others : 0;
}

static void set_held(struct allowance *allowance, struct allowed_use *use, uint64_t bytes)
{
	allowance->held += bytes - use->held;
	use->held = bytes;
}

void allowance_hold(struct allowance *allowance, unsigned use, uint64_t bytes)
{
	struct allowed_use *held = &allowance->uses[use];

	held->used = bytes;
	if (bytes > held->held)
		set_held(allowance, held, bytes);
}

void allowance_next_sample(struct allowance *allowance)
{
	for (unsigned i = 0; i < allowance->n_uses; i++) {
		struct allowed_use *use = &allowance->uses[i];

		if (recent_use_is_outgrown(&use->recent, use->used, use->held))
			set_held(allowance, use, use->used);
	}
}

uint64_t allowance_row_bytes(size_t cells)
{
	return (cells + ROW_CELLS) * (FRAMES + DECODED_SAMPLES) * sizeof(uint64_t);
}

uint64_t allowance_text_bytes(size_t bytes)
{
	return (uint64_t)bytes * (FRAMES + 1);
}

const char *allowance_exceeded(void)
{
	return _("a part of the recording was skipped: it would take far more memory than a recording "
		 "of this size does");
}
