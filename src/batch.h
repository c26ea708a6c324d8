/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: samples from one source into one or two sinks until the count, the end or a signal. */
#ifndef PANETOP_BATCH_H
#define PANETOP_BATCH_H

#include "core/worker.h"
#include "model/source.h"
#include "options.h"
#include "run_plan.h"

/*
 * The exit status. All borrowed, worker may be NULL; a live source is asked once per delay, a recording as
 * fast as it reads.
 */
int batch_run(const struct options *options, struct run_plan *run, struct source *source,
	      struct worker *worker);

#endif
