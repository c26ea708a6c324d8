/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the frames of a recording, part by part, and seeks among them: half of a source, for both formats. */
#ifndef PANETOP_RECORDING_FINDER_H
#define PANETOP_RECORDING_FINDER_H

#include <sys/types.h>

#include "model/source.h"

/* A block, or a line. */
struct recording_part {
	off_t offset;
	uint64_t number;         /* of its first frame in the recording, or of the line in the file */
	uint64_t min_ns, max_ns; /* wall clocks of its frames */
	uint32_t in_chain;       /* number of the block in its chain */
	uint32_t n_frames;
	bool bad;     /* it cannot be read */
	size_t first; /* frames in the parts before it */
};

/* The state of a source begins with it. */
struct finder {
	int fd; /* borrowed */
	bool pipe;
	bool (*interrupted)(void); /* may be NULL */

	/* Passes one more part, or something else: 1, 0 at the end, -EAGAIN or -errno. */
	int (*pass_next)(void *state);

	/* The last frame at or before wall_ns in a part of several, counted in it. May be NULL. */
	size_t (*find_in)(void *state, const struct recording_part *part, uint64_t wall_ns);

	struct recording_part *parts; /* found so far */
	size_t n_parts, capacity, n_frames;
	off_t end;          /* after the last one found */
	bool whole;         /* all were found */
	const char *remark; /* what was wrong with the end; NULL: nothing */
	size_t next;        /* index of the frame that is read next */
};

/* Makes a source of what it does itself: not next() and close(). */
void finder_give(struct finder *finder, struct source *source);
void finder_close(struct finder *finder);

/* Counts its frames. */
void finder_add(struct finder *finder, struct recording_part part);

/* The first n_dropped parts are no longer there: indexes of frames decrease. */
void finder_drop(struct finder *finder, size_t n_dropped);

/* No more parts are looked for. */
void finder_end(struct finder *finder, const char *remark);

bool finder_is_interrupted(const struct finder *finder);

/* Until the frame that is read next is found: 1, 0 at the end, -EAGAIN, -EINTR or -errno. */
int finder_reach_next(struct finder *finder);

/* Index of the part with this frame, which was found. */
size_t finder_part_of(const struct finder *finder, size_t frame);

#endif
