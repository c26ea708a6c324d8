/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process grew most in the last minute: sizes are kept every 30 s, and compared with the present. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_GROWTH_H
#define PANETOP_PANE_MEMORY_MEMORY_GROWTH_H

#include "model/frame.h"

struct memory_sizes; /* of all processes, at one moment */

/* All zero: nothing is known yet. */
struct memory_growth {
	struct memory_sizes *older, *newer;
};

/* Takes the sizes of the processes of a frame, if they are due. */
void memory_growth_add(struct memory_growth *growth, const struct frame *frame);
void memory_growth_free(struct memory_growth *growth);

/* A process that grew, and since when. */
struct memory_grower {
	uint64_t since_ns;      /* 0: no sizes are old enough */
	const void *row;        /* of the table process; NULL: none grew */
	double bytes;
};
struct memory_grower memory_growth_most(const struct memory_growth *growth, const struct frame *frame);

#endif
