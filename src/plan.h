/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options and panes to what a batch run samples and prints. */
#ifndef PANETOP_PLAN_H
#define PANETOP_PLAN_H

#include <regex.h>
#include <stdbool.h>

#include "options.h"
#include "output/sink.h"

struct batch_plan {
	struct plan plan;
	const char *pane_names[OPTIONS_PANES_MAX];
	bool *wanted;    /* by index of topic; owned */
	bool covers_delay; /* the first sample comes after one whole delay, so that it has rates */
	regex_t filter;
	bool has_filter;
};

/* 0, or the exit status after a complaint. batch_plan_close() gives all back in either case. */
int batch_plan_open(struct batch_plan *batch, const struct options *options, const struct settings *settings);
void batch_plan_close(struct batch_plan *batch);

#endif
