/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --assert: conditions on one row of a pane that decide the exit status of a batch run. */
#ifndef PANETOP_APP_ASSERTION_H
#define PANETOP_APP_ASSERTION_H

#include "app/options.h"
#include "model/frame.h"

#define ASSERTION_CONDITIONS_MAX 16
#define ASSERTION_BROKEN 3 /* exit status */

struct assertion {
	const char *topic, *row; /* NULL: no conditions */
	struct assertion_condition {
		const struct column *column;
		bool less, or_equal; /* < or <=, else > or >= */
		double limit, seen;  /* seen: NaN while unknown */
	} conditions[ASSERTION_CONDITIONS_MAX];
	unsigned n_conditions;
};

/* 0, or 2 after an error message about the conditions of options. */
int assertion_open(struct assertion *assertion, const struct options *options);

/* The last frame counts. */
void assertion_take(struct assertion *assertion, const struct frame *frame);

/* 0, or ASSERTION_BROKEN after an error message for each condition that fails or is unknown. */
int assertion_judge(const struct assertion *assertion);

#endif
