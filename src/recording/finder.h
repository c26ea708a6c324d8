/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the frames of a recording of either format, seeks among them, and limits the memory they take. */
#ifndef PANETOP_RECORDING_FINDER_H
#define PANETOP_RECORDING_FINDER_H

#include <sys/types.h>

#include "model/frame.h"

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

/* Half of a source: its state begins with it. */
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

/*
 * How much memory a recording may take when it is read. It grows with the recording's own size, since a few
 * bytes can stand for millions of rows.
 */
struct allowed_use;

struct allowance {
	uint64_t most, held;      /* bytes */
	struct allowed_use *uses; /* a table each, then what the owner adds */
	unsigned n_uses;
};

void allowance_open(struct allowance *allowance, unsigned n_uses);
void allowance_close(struct allowance *allowance);

/* The recording has this many bytes, or a pipe gave as many so far. */
void allowance_set_size(struct allowance *allowance, uint64_t recorded_bytes);

/* The most bytes that this use may hold: what it has, and what is left. */
uint64_t allowance_room(const struct allowance *allowance, unsigned use);

/* This use holds that many bytes now. */
void allowance_hold(struct allowance *allowance, unsigned use, uint64_t bytes);

/* Frames were cleared for the next sample, which gives back what an earlier peak took. */
void allowance_next_sample(struct allowance *allowance);

/* What a row of this many numbers and texts takes wherever it lies. */
uint64_t allowance_row_bytes(size_t cells);

/* The same of texts. */
uint64_t allowance_text_bytes(size_t bytes);

/* The sentence about what was skipped since it would take more than that; translated. */
const char *allowance_exceeded(void);

#endif
