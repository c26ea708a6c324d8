/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames come from: the live machine or a recording. */
#ifndef PANETOP_MODEL_SOURCE_H
#define PANETOP_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

struct source {
	/*
	 * Fills a cleared frame: 1. 0 at the end; -EAGAIN when there is none yet (see wait_fd); or -errno.
	 * A sampler that fails is a notice, no error.
	 */
	int (*next)(void *state, struct frame *frame);

	/* Only the topics whose flag is set, by index of the schema, are wanted from now on. May be NULL. */
	void (*want)(void *state, const bool *topics);

	/*
	 * See struct topic. Without done it only tells whether it could be done. On failure *remedy, if not
	 * NULL, is what to do about it, or NULL. -ENOTSUP where there is no live machine. May be NULL.
	 */
	int (*act)(void *state, const char *topic, const char *action,
		   void (*done)(void *context, int error), void *context, const char **remedy);

	/*
	 * Of a live source that can tell when there are events (rows of SHAPE_EVENTS): a descriptor that is
	 * readable then, at most ten times a second; -1 while no wanted topic has one. next_events fills a
	 * cleared frame with those tables alone, which makes it unreadable: 1 or -errno. Both may be NULL.
	 */
	int (*event_fd)(void *state);
	int (*next_events)(void *state, struct frame *frame);

	/* Has it measured all that it was asked to, so that next() gave the last frame? May be NULL. */
	bool (*has_finished)(void *state);
	/* Forgets what this topic (NULL: every one) keeps over the run: minima, means. May be NULL. */
	void (*restart)(void *state, const char *topic);

	/* To be called whenever poll_fd is readable, between samples, too. May be NULL. See struct topic. */
	void (*poll)(void *state, uint32_t events);
	int poll_fd;
	size_t files_before; /* see struct env; 0: not known */

	/* These are of recordings; NULL: it is live. */
	int (*seek)(void *state, size_t index);        /* next() gives it, or the last; 0 or -errno */
	size_t (*position)(void *state);               /* of the frame that next() gave last */
	size_t (*find)(void *state, uint64_t wall_ns); /* index of the last frame not after it */

	/* Of a recording that comes through a pipe; NULL or -1: next() never has to wait. */
	int (*wait_fd)(void *state); /* readable when there may be more */
	bool (*pull)(void *state); /* takes in what is there, for next() to give; false: no more will come */

	void (*close)(void *state);
	void *state;
};

#endif
