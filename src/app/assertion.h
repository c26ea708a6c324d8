/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --assert: conditions on the last sample of a batch run that decide its exit status. */
#ifndef PANETOP_APP_ASSERTION_H
#define PANETOP_APP_ASSERTION_H

#include "app/run_plan.h"
#include "model/rule.h"

#define ASSERTION_BROKEN 3 /* exit status */

struct assertion {
	struct assertion_part {
		struct condition condition;
		struct condition_result result; /* of the last sample; its row is gone */
		struct buffer found;            /* what it is instead; empty while it holds */
	} *parts;
	size_t n_parts, capacity;
};

/* 0, or 2 after an error message about the conditions of options; assertion_close() follows either. */
int assertion_open(struct assertion *assertion, const struct options *options, const struct run_plan *run);

/* The last frame counts. */
void assertion_take(struct assertion *assertion, const struct frame *frame);

/* 0, or ASSERTION_BROKEN after an error message for each condition that fails or is unknown. */
int assertion_judge(const struct assertion *assertion);
void assertion_close(struct assertion *assertion);

#endif
