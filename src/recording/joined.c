/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes seeks and reads on to the recording that has the frame, and opens it for that. */
#include <config.h>

#include "recording/joined.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/vector.h"
#include "recording/reader.h"

#define OPEN_MAX 2                        /* files: the shown sample and the one before it may be in two */
#define CLOCK_STEP_NS UINT64_C(2000000000) /* by which both clocks of one boot may differ */

struct part {
	int fd; /* owned; -1: it stays open */
	bool is_open;
	struct source source;
	size_t first, n_frames; /* first: frames of the parts before it */
	uint64_t first_ns, last_ns;
	unsigned boot;
	uint64_t used; /* when it was used last, as a number that grows */
};

struct joined {
	struct part *parts;
	size_t n_parts, capacity, n_frames;
	const struct schema *const *schemas;
	unsigned n_schemas;
	bool *wanted;
	size_t next; /* index of the frame that next() returns */
	const char *remark; /* of the first part that has one; they are constants */
	uint64_t n_uses;
};

static void note_remark(struct joined *joined, const struct part *part)
{
	if (part->is_open && part->source.remark && !joined->remark)
		joined->remark = part->source.remark(part->source.state);
}

static void close_part(struct joined *joined, struct part *part)
{
	note_remark(joined, part);
	if (part->is_open)
		part->source.close(part->source.state);
	part->is_open = false;
}

/* Of the files that are open the one that was not used for longest makes room. */
static void make_room(struct joined *joined)
{
	struct part *oldest = NULL;
	unsigned n_open = 0;

	for (size_t i = 0; i < joined->n_parts; i++) {
		struct part *part = &joined->parts[i];

		if (!part->is_open || part->fd < 0)
			continue;
		n_open++;
		if (!oldest || part->used < oldest->used)
			oldest = part;
	}
	if (n_open >= OPEN_MAX)
		close_part(joined, oldest);
}

static int open_part(struct joined *joined, struct part *part, const char **why)
{
	struct recording_input input = { .schemas = joined->schemas, .n_schemas = joined->n_schemas };
	int error;

	part->used = ++joined->n_uses;
	if (part->is_open)
		return 0;
	make_room(joined);
	input.fd = fcntl(part->fd, F_DUPFD_CLOEXEC, 0);
	if (input.fd < 0) {
		*why = strerror(errno);
		return -errno;
	}
	error = recording_open(&part->source, &input, why);
	if (error)
		return error;
	part->is_open = true;
	part->source.want(part->source.state, joined->wanted);
	return 0;
}

static void measure(struct part *part)
{
	part->n_frames = source_extent(&part->source, &part->first_ns, &part->last_ns);
}

static void count_frames(struct joined *joined)
{
	joined->n_frames = 0;
	for (size_t i = 0; i < joined->n_parts; i++) {
		joined->parts[i].first = joined->n_frames;
		joined->n_frames += joined->parts[i].n_frames;
	}
}

static struct part *add_part(struct joined *joined, int fd)
{
	struct part *part = VECTOR_ADD(joined->parts, joined->n_parts, joined->capacity);

	*part = (struct part){ .fd = fd };
	return part;
}

static void drop_last(struct joined *joined)
{
	struct part *part = &joined->parts[--joined->n_parts];

	close_part(joined, part);
	if (part->fd >= 0)
		close(part->fd);
}

int joined_add_file(struct joined *joined, int fd, const char **why)
{
	struct part *part = add_part(joined, fd);
	int error = open_part(joined, part, why);

	if (!error)
		measure(part);
	if (error || part->n_frames == 0)
		drop_last(joined);
	count_frames(joined);
	return error;
}

void joined_add_source(struct joined *joined, const struct source *recording)
{
	struct part *part = add_part(joined, -1);

	part->source = *recording;
	part->is_open = true;
	measure(part);
	count_frames(joined);
}

int joined_cut(struct joined *joined, uint64_t wall_ns)
{
	const char *why;

	while (joined->n_parts > 0 && joined->parts[joined->n_parts - 1].first_ns >= wall_ns)
		drop_last(joined);
	if (joined->n_parts > 0) {
		struct part *last = &joined->parts[joined->n_parts - 1];

		if (last->last_ns >= wall_ns && open_part(joined, last, &why) == 0) {
			last->n_frames = last->source.find(last->source.state, wall_ns - 1) + 1;
			last->last_ns = wall_ns - 1;
		}
	}
	count_frames(joined);
	return joined->n_frames > 0 ? 0 : -ENODATA;
}

/* open_part() does the same for others. */
static void want_of_open(struct joined *joined)
{
	for (size_t i = 0; i < joined->n_parts; i++)
		if (joined->parts[i].is_open)
			joined->parts[i].source.want(joined->parts[i].source.state, joined->wanted);
}

static bool read_part(struct joined *joined, struct part *part, size_t index, struct frame *frame)
{
	const char *why;

	return open_part(joined, part, &why) == 0 && source_read(&part->source, index, frame) == 1;
}

/* The clocks run together; not where the machine was suspended between, which leaves no rates either. */
static bool is_same_boot(const struct frame *before, const struct frame *now)
{
	uint64_t wall = now->wall_ns - before->wall_ns, mono = now->mono_ns - before->mono_ns;

	return now->mono_ns > before->mono_ns && now->wall_ns >= before->wall_ns &&
	       (wall > mono ? wall - mono : mono - wall) <= CLOCK_STEP_NS;
}

/* Without their tables, which are not needed, it is quick. */
void joined_number_boots(struct joined *joined)
{
	bool *all = joined->wanted, *none = alloc_zeroed(joined->n_schemas + 1, sizeof(*none));
	struct frame last, first;

	frame_open(&last, joined->schemas, joined->n_schemas);
	frame_open(&first, joined->schemas, joined->n_schemas);
	joined->wanted = none;
	want_of_open(joined);
	for (size_t i = joined->n_parts; i-- > 1;) {
		struct part *before = &joined->parts[i - 1], *now = &joined->parts[i];
		bool same = read_part(joined, now, 0, &first) &&
			    read_part(joined, before, before->n_frames - 1, &last) &&
			    is_same_boot(&last, &first);

		before->boot = now->boot + !same;
	}
	joined->wanted = all;
	want_of_open(joined);
	frame_close(&last);
	frame_close(&first);
	free(none);
}

static struct part *part_of(const struct joined *joined, size_t index)
{
	size_t at;

	VECTOR_BOUND(at, joined->n_parts, joined->parts[at].first + joined->parts[at].n_frames <= index);
	return &joined->parts[at];
}

/* Of the part with the next frame; 0: the rest of it cannot be read. */
static int next_of_part(struct joined *joined, struct part *part, struct frame *frame)
{
	struct source *source = &part->source;
	const char *why;
	int got = open_part(joined, part, &why);

	if (!got)
		got = source->seek(source->state, joined->next - part->first);
	if (!got)
		got = source->next(source->state, frame);
	if (got != 1 || source->position(source->state) >= part->n_frames)
		return got < 0 ? got : 0;
	joined->next = part->first + source->position(source->state) + 1;
	frame->boot = part->boot;
	return 1;
}

static int next(void *state, struct frame *frame)
{
	struct joined *joined = state;

	while (joined->next < joined->n_frames) {
		struct part *part = part_of(joined, joined->next);
		int got = next_of_part(joined, part, frame);

		if (got != 0)
			return got;
		frame_clear(frame);
		joined->next = part->first + part->n_frames;
	}
	return 0;
}

static void want(void *state, const bool *topics)
{
	struct joined *joined = state;

	memcpy(joined->wanted, topics, joined->n_schemas * sizeof(*topics));
	want_of_open(joined);
}

static int seek(void *state, size_t index)
{
	struct joined *joined = state;

	if (joined->n_frames == 0)
		return -ENODATA;
	joined->next = index < joined->n_frames ? index : joined->n_frames - 1;
	return 0;
}

static size_t position(void *state)
{
	const struct joined *joined = state;

	return joined->next > 0 ? joined->next - 1 : 0;
}

/* Where a clock was set back, it is the newest of several. */
static size_t find(void *state, uint64_t wall_ns)
{
	struct joined *joined = state;
	const char *why;

	for (size_t i = joined->n_parts; i-- > 0;) {
		struct part *part = &joined->parts[i];
		size_t found;

		if (part->first_ns > wall_ns)
			continue;
		if (wall_ns >= part->last_ns || open_part(joined, part, &why) != 0)
			return part->first + part->n_frames - 1;
		found = part->source.find(part->source.state, wall_ns);
		return part->first + (found < part->n_frames ? found : part->n_frames - 1);
	}
	return 0;
}

static bool extent(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct joined *joined = state;

	*n_frames = joined->n_frames;
	*first_ns = joined->n_parts > 0 ? joined->parts[0].first_ns : 0;
	*last_ns = joined->n_parts > 0 ? joined->parts[joined->n_parts - 1].last_ns : 0;
	return true;
}

static const char *remark(void *state)
{
	struct joined *joined = state;

	for (size_t i = 0; i < joined->n_parts; i++)
		note_remark(joined, &joined->parts[i]);
	return joined->remark;
}

static void close_joined(void *state)
{
	struct joined *joined = state;

	while (joined->n_parts > 0)
		drop_last(joined);
	free(joined->parts);
	free(joined->wanted);
	free(joined);
}

struct joined *joined_open(struct source *source, const struct schema *const *schemas, unsigned n_schemas)
{
	struct joined *joined = alloc_zeroed(1, sizeof(*joined));

	joined->schemas = schemas;
	joined->n_schemas = n_schemas;
	joined->wanted = alloc_zeroed(n_schemas + 1, sizeof(*joined->wanted));
	memset(joined->wanted, true, n_schemas);
	*source = (struct source){
		.next = next,
		.want = want,
		.seek = seek,
		.position = position,
		.find = find,
		.extent = extent,
		.poll_fd = -1,
		.remark = remark,
		.close = close_joined,
		.state = joined,
	};
	return joined;
}
