/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --assert: conditions on one row of a pane that make the exit status of a batch run. */
#ifndef PANETOP_APP_ASSERTION_H
#define PANETOP_APP_ASSERTION_H

#include "app/options.h"
#include "model/frame.h"

#define GATE_CONDITIONS_MAX 16
#define GATE_BROKEN 3 /* the exit status then */

struct gate {
	const char *topic, *row; /* NULL: there is no condition */
	struct gate_condition {
		const struct column *column;
		bool less, or_equal; /* < or <=, else > or >= */
		double limit, seen;  /* seen: NaN as long as it is not known */
	} conditions[GATE_CONDITIONS_MAX];
	unsigned n_conditions;
};

/* 0, or 2 after an error message about the conditions of options. */
int gate_open(struct gate *gate, const struct options *options);

/* The last frame counts. */
void gate_take(struct gate *gate, const struct frame *frame);

/* 0, or GATE_BROKEN after an error message about each condition that does not hold or is not known. */
int gate_judge(const struct gate *gate);

#endif
