/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What graphs, marks and ages need of the topic sleep: mono_ns of frames does not count the time asleep, and
 * wall_ns moves when the clock is set.
 */
#ifndef PANETOP_MODEL_SLEEP_H
#define PANETOP_MODEL_SLEEP_H

#include "model/frame.h"

#define SLEEP_TOPIC "sleep"     /* its rows have the columns kind, seconds, from_time and time */
#define SLEEP_SUSPEND "suspend" /* kinds: the machine slept … */
#define SLEEP_CLOCK "clock"     /* … or its clock was set */

/* Of a frame: what happened since the one before it. */
struct sleep_span {
	uint64_t mono_ns;  /* of the frame */
	uint64_t slept_ns; /* 0: it did not sleep, or that is not known */
	int64_t set_ns;    /* above 0: the clock was set forward */
};
struct sleep_span sleep_of_frame(const struct frame *frame);

#define SLEEP_SPANS_MAX 64

/* The latest; where there is no room, the sum of two is at the place of the later one. All zero: none. */
struct sleep_past {
	struct sleep_span spans[SLEEP_SPANS_MAX];
	unsigned n;
};

/* Adds those of a frame, unless it is not newer than the last one. */
void sleep_past_take(struct sleep_past *past, const struct frame *frame);

/* Drops those of frames after mono_ns. */
void sleep_past_rewind(struct sleep_past *past, uint64_t mono_ns);

/* Time from from_ns to to_ns, two mono_ns in their order, with the time asleep between. */
uint64_t sleep_past_between_ns(const struct sleep_past *past, uint64_t from_ns, uint64_t to_ns);

/* What the clock said this long before the frame, time asleep not counted. */
uint64_t sleep_past_wall_ns(const struct sleep_past *past, const struct frame *frame, uint64_t awake_ns);

#endif
