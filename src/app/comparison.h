/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two samples of a recording (--between), or of one of each of two (--against). */
#ifndef PANETOP_APP_COMPARISON_H
#define PANETOP_APP_COMPARISON_H

#include "app/options.h"
#include "app/run_plan.h"
#include "model/pipeline.h"

struct comparison {
	struct frame base;          /* of the rates of a sample */
	struct frame before, now;   /* A and B */
	struct frame difference;    /* borrows their texts */
};

void comparison_open(struct comparison *comparison, const struct run_plan *run);
void comparison_close(struct comparison *comparison);

/*
 * Takes both samples, the first one of the pipeline's source: 0, or the exit status after an error message.
 * against: NULL with --between.
 */
int comparison_take(struct comparison *comparison, const struct options *options, const struct run_plan *run,
		    const struct source *against, const struct pipeline *pipeline);

#endif
