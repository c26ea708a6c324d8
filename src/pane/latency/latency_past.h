/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last minutes of wake-up latency. */
#ifndef PANETOP_PANE_LATENCY_LATENCY_PAST_H
#define PANETOP_PANE_LATENCY_LATENCY_PAST_H

#include "pane/bucket_past.h"

extern const struct past_table latency_buckets;

/* The CPU of a row: its number, an unused number for "any", PAST_ALL for "all". */
uint16_t past_cpu(const char *name);

/* Width of the linear buckets in this frame; 0: log-linear. */
uint64_t past_width_ns(const struct frame *frame);

void latency_past_add(struct bucket_past *past, const struct frame *frame);

#endif
