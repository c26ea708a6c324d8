/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last minutes of wake-up latency. */
#ifndef PANETOP_PANE_LATENCY_LATENCY_H
#define PANETOP_PANE_LATENCY_LATENCY_H

#include "pane/time_chart.h"

/* The CPU of a row: its number, an unused number for "any", PAST_ALL for "all". */
uint16_t past_cpu(const char *name);

void latency_past_add(struct bucket_past *past, const struct frame *frame);

#endif
