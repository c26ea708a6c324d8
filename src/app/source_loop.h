/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of a run without a screen: it watches what its source and its worker have to say. */
#ifndef PANETOP_APP_SOURCE_LOOP_H
#define PANETOP_APP_SOURCE_LOOP_H

#include "model/frame.h"
#include "sys/loop.h"
#include "sys/machine_thread.h"

/* Signals as for loop_open(); worker may be NULL. 0, or 1 after an error message. */
int source_loop_open(struct loop *loop, const int *signals, struct source *source, struct worker *worker);

#endif
