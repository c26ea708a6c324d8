/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one way of a frame, live or recorded: from its source through rates, findings and the scope. */
#ifndef PANETOP_MODEL_PIPELINE_H
#define PANETOP_MODEL_PIPELINE_H

#include "model/finding.h"
#include "model/frame.h"

/*
 * A rate above its ceiling is unknown: the counter was read while its file was rewritten, or it was set. This
 * long the counter may be read later than the time says, as on a busy machine.
 */
#define DERIVE_LATE_SECONDS 1.0

/* CPUs of the largest kernel: the ceiling of the columns of_cpu. */
#define DERIVE_CPUS_MAX 8192

/* Of a schema: more are not looked at. */
#define DERIVE_RATES_MAX 32
#define DERIVE_KEYS_MAX 8

/*
 * Fills the RATE columns of now and its interval_ns. Rows are joined on their KEY columns. A rate stays
 * unknown when before is NULL or lacks the row (but see from_zero of struct schema), when a value is unknown,
 * when the counter decreased, when it grew by more than its ceiling and when no time passed.
 *
 * A counter that decreased is unknown in that frame, since many are 0 for a moment; now notes then
 * what it was (struct doubt), and the next rate is over both intervals. It changes nothing else and depends
 * only on the two frames.
 */
void frame_derive(struct frame *now, const struct frame *before);

/*
 * What the rates of the next frame need of an earlier one: the keys, and the columns that rates are of. The
 * rows of the earlier frame can be filled again meanwhile, and large tables are there once.
 */
struct derive_base {
	struct frame frame; /* for frame_derive(); its rows have these columns only */
	struct base_schema *schemas;
};

void derive_base_open(struct derive_base *base, const struct schema *const *schemas, unsigned n_schemas);
void derive_base_close(struct derive_base *base);

/*
 * From a frame of these schemas, in place of what it had. The texts of the frame become those of base: the
 * frame can still be read until it is cleared, and then they stay with base.
 */
void derive_base_take(struct derive_base *base, struct frame *frame);

/* All borrowed. */
struct pipeline {
	const struct source *source;
	struct scope *scope;       /* NULL: every process is in it */
	bool scope_is_live;        /* a live source feeds it, not these recorded frames */
	struct findings *findings; /* NULL: none are judged */
	bool has_findings;         /* frames of the source have theirs, if they have the table */
	bool judges_all;           /* also frames in which they were not sampled, as far as is known there */
	/* Gets each live frame with its findings, to which it may add. May be NULL. */
	void (*judge)(void *state, struct frame *frame);
	void *judge_state;
	/* Gets each frame before sums of a recording are split by the scope: for later, whatever the scope is
	 * then. May be NULL. */
	void (*keep)(void *state, const struct frame *frame);
	void *keep_state;
};

/*
 * The next frame of the source with its rates over before (NULL: none), findings and sums of the scope: 1.
 * Without before it is the first one, or a recording was left for another place in it. Else as struct
 * source's next; -EINTR also where a signal has cut the frame.
 */
int pipeline_next(const struct pipeline *pipeline, struct frame *frame, const struct frame *before);

/* Of a recording: the frame at this index, with its rates over the one before, which is read into base. */
int pipeline_read(const struct pipeline *pipeline, size_t index, struct frame *frame, struct frame *base);

/* Lets the findings know the frame at this index, on the way to a later one. */
int pipeline_derive(const struct pipeline *pipeline, size_t index, struct frame *frame,
		   const struct frame *before);

/* The first of at most n_most frames before this index, fewer where reading that many takes over a second. */
size_t pipeline_first_before(size_t index, size_t n_most, const struct frame *last);

/*
 * What findings are at a frame depends on the minutes before: lets them know these frames, so that those at
 * this index are as if all had been read from the first one on, but for what goes on for longer than an
 * hour. Returns the frame before it, one of frames, with its rates; NULL: there is none, it cannot be read,
 * or findings keep what they are at this index. each (NULL: nothing) gets every frame, with the one before;
 * some of them again.
 */
const struct frame *pipeline_judge_before(const struct pipeline *pipeline, size_t index,
					  struct frame *const frames[2],
					  void (*each)(void *state, const struct frame *frame,
						       const struct frame *before),
					  void *state);

#endif
