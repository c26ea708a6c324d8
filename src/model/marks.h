/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marked moments: those of the user, and those in which findings begin, rules of the user fire, the machine
 * sleeps or its clock is set.
 */
#ifndef PANETOP_MODEL_MARKS_H
#define PANETOP_MODEL_MARKS_H

#include "model/sleep.h"

#define MARKS_MAX 64

enum mark_kind { MARK_USER, MARK_FINDING, MARK_SLEEP, MARK_CLOCK };

struct mark {
	uint64_t wall_ns;
	enum mark_kind kind;
	uint64_t finding; /* which one begins, or which rule fires; else 0 */
};

/* In the order in which they were made; the oldest ones make room, those of the user last. */
struct marks {
	struct mark list[MARKS_MAX];
	unsigned n;
	uint64_t first_ns; /* mono_ns of frames with findings and rates, without a gap; 0: none yet … */
	uint64_t last_ns;  /* … and the last one of them */
	struct sleep_past slept;
};

void marks_add(struct marks *marks, uint64_t wall_ns);

/*
 * Marks the moments in which the findings of this frame began to hold, its rules fired, and a sleep began,
 * each once. What held in the first frame, or in the first one after a gap, began at a moment that is not
 * known.
 */
void marks_take(struct marks *marks, const struct frame *frame);

#endif
