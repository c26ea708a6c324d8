/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: samples from one source into one or two sinks until the count, the end or a signal. */
#ifndef PANETOP_APP_BATCH_H
#define PANETOP_APP_BATCH_H

#include "app/options.h"
#include "app/run_plan.h"
#include "model/frame.h"
#include "sys/machine_thread.h"

/*
 * Returns the exit status. All arguments are borrowed; against, the recording of --against, worker and
 * rules may be NULL. Samples a live source once per delay; reads a recording as fast as possible.
 */
int batch_run(const struct options *options, struct run_plan *run, struct source *source,
	      struct source *against, struct worker *worker, struct rule_watch *rules);

#endif
