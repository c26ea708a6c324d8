/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames come from: the live machine or a recording. */
#ifndef PANETOP_MODEL_SOURCE_H
#define PANETOP_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

/* Where a replay stands. */
struct source_place {
	size_t index; /* of the frame that next() gave last, from 0 */
	size_t known; /* frames found so far */
	bool whole;   /* known is all there are */
};

struct source {
	/* Fills a cleared frame. 1, 0 at the end, or -errno; a sampler that fails is a notice, no error. */
	int (*next)(void *state, struct frame *frame);

	/* Only the topics whose bit is set, by index of the schema, are wanted from now on. May be NULL. */
	void (*want)(void *state, const bool *topics);

	/* See struct topic; -ENOTSUP from a recording. May be NULL. */
	int (*act)(void *state, const char *topic, const char *action,
		   void (*done)(void *context, int error), void *context);

	/* The next call of next() gives frame index, or the last one there is. NULL: it is live. */
	int (*seek)(void *state, size_t index);
	struct source_place (*place)(void *state);

	/* Index of the last frame not after wall_ns, reading on as far as needed. */
	size_t (*find)(void *state, uint64_t wall_ns);
	void (*close)(void *state);
	void *state;
};

#endif
