/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames come from: the live machine or a recording. */
#ifndef PANETOP_MODEL_SOURCE_H
#define PANETOP_MODEL_SOURCE_H

#include "model/frame.h"

struct source {
	/*
	 * Fills a cleared frame: 1. 0 at the end; -EAGAIN when there is none yet (see wait_fd); -EINTR when a
	 * signal waits that ends the run; or -errno. A topic that fails is a notice, not an error.
	 */
	int (*next)(void *state, struct frame *frame);

	bool judged; /* its frames have their rates and findings: they are of several machines */

	/* From now on only the topics whose flag is set, by index of the schema, are sampled. May be NULL. */
	void (*want)(void *state, const bool *topics);

	/*
	 * See struct topic. Without done it only checks whether it is possible. On failure *remedy, if not
	 * NULL, is what to do about it, or NULL. -ENOTSUP without a live machine. May be NULL.
	 */
	int (*act)(void *state, const char *topic, const char *action, void (*done)(void *context, int error),
		   void *context, const char **remedy);

	/*
	 * Of a live source with events (rows of SHAPE_EVENTS): a descriptor that becomes readable when there
	 * are some, at most ten times a second; -1 if no wanted topic has one. next_events fills a cleared
	 * frame with those tables only, which makes it unreadable: 1 or -errno. Both may be NULL.
	 */
	int (*event_fd)(void *state);
	int (*next_events)(void *state, struct frame *frame);

	/* Is the requested measurement complete, so that next() returned the last frame? May be NULL. */
	bool (*has_finished)(void *state);
	/* Resets what this topic (NULL: every topic) accumulates over the run: minima, means. May be NULL. */
	void (*restart)(void *state, const char *topic);

	/* Call it whenever poll_fd is readable, also between samples. May be NULL. See struct topic. */
	void (*poll)(void *state, uint32_t events);
	int poll_fd;
	size_t files_before; /* see struct env; 0: unknown */

	/* These are for recordings; NULL: it is live. */
	int (*seek)(void *state, size_t index); /* next() then returns this frame, or the last; 0 or
						 * -errno */
	/* Before a seek: no frame before this one is shown; they are for what leads to it. May be NULL. */
	void (*aim)(void *state, size_t index);
	size_t (*position)(void *state);               /* of the frame that next() returned last */
	size_t (*find)(void *state, uint64_t wall_ns); /* index of the last frame at or before wall_ns */
	size_t near_frames; /* each costs: no more than these and the shown one are read where no user
			     * chose one; 0: any */

	/* Frames found so far, reading on for a moment, and the clocks of the first and the last one; true:
	 * these are all. */
	bool (*extent)(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns);

	/* Of a pipe that was opened to go back in: from now on only its newest bytes are kept. NULL: live. */
	void (*keep_back)(void *state, uint64_t bytes);

	/* Of a recording that comes through a pipe; NULL or -1: next() never waits. */
	int (*wait_fd)(void *state); /* readable when there may be more */
	bool (*pull)(void *state);   /* reads what is available, for next(); false: no more will come */

	/* What was wrong with the end of the recording, such as a torn line; NULL: nothing. */
	const char *(*remark)(void *state);

	void (*close)(void *state);
	void *state;
};

static inline bool source_is_recording(const struct source *source)
{
	return source->seek != NULL;
}

/* As want() of one that has it. */
static inline void source_want(const struct source *source, const bool *topics)
{
	if (source->want)
		source->want(source->state, topics);
}

/* The frame of a recording at this index, or the last one: as next(). */
static inline int source_read(const struct source *source, size_t index, struct frame *frame)
{
	int error = source->seek(source->state, index);

	frame_clear(frame);
	return error ? error : source->next(source->state, frame);
}

/* Frames of a recording and the clocks of the first and the last one, as far as it can be read now. */
static inline size_t source_extent(const struct source *source, uint64_t *first_ns, uint64_t *last_ns)
{
	size_t n_frames, known = SIZE_MAX;

	while (!source->extent(source->state, &n_frames, first_ns, last_ns) && n_frames != known)
		known = n_frames;
	return n_frames;
}

#endif
