/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch samples that have to wait, or to be taken again, because a pane wants the machine quiet. */
#ifndef PANETOP_APP_SETTLE_H
#define PANETOP_APP_SETTLE_H

#include "app/run_plan.h"
#include "model/source.h"

/* All zero before the first frame. */
struct settle {
	bool asked; /* the panes, how long to wait */
	bool waiting;
	unsigned long refused; /* samples that a pane did not take */
};

/* Seconds to wait before the first sample, asked once of the panes with the first frame: 0 for none. */
double settle_wait(struct settle *settle, const struct run_plan *run, const struct frame *frame);

/* When the wait is over: what topics kept meanwhile is forgotten. False when there was none. */
bool settle_begins(struct settle *settle, const struct source *source);

/* Does some pane not take this sample? It says why, the first time. */
bool settle_refuses(struct settle *settle, const struct run_plan *run, const struct frame *frame);

/* At the end: how many were taken again. */
void settle_report(const struct settle *settle);

#endif
