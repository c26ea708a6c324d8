/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: samples from one source into one or two sinks until the count, the end or a signal. */
#ifndef PANETOP_BATCH_H
#define PANETOP_BATCH_H

#include "model/source.h"
#include "options.h"
#include "plan.h"

/* The exit status. source is borrowed; live tells that it has to be asked once per delay. */
int batch_run(const struct options *options, struct batch_plan *batch, struct source *source, bool live);

#endif
