/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays or repeats batch samples until the machine is as quiet as a pane requires. */
#ifndef PANETOP_APP_SETTLE_H
#define PANETOP_APP_SETTLE_H

#include "app/run_plan.h"
#include "model/frame.h"

/* All zero before the first frame. */
struct settle {
	bool asked; /* the panes were asked how long to wait */
	bool waiting;
	unsigned long refused; /* samples that a pane rejected */
};

/* Seconds to wait before the first sample; asks the panes once, with the first frame. */
double settle_wait(struct settle *settle, const struct run_plan *run, const struct frame *frame);

/* After the wait: resets what topics have accumulated. False if there was no wait. */
bool settle_begins(struct settle *settle, const struct source *source);

/* Does a pane reject this sample? Prints the reason the first time. */
bool settle_refuses(struct settle *settle, const struct run_plan *run, const struct frame *frame);

/* At the end: reports how many samples were repeated. */
void settle_report(const struct settle *settle);

#endif
