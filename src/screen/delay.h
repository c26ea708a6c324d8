/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time between two samples: what the user chose, and what they cost. */
#ifndef PANETOP_SCREEN_DELAY_H
#define PANETOP_SCREEN_DELAY_H

#include "screen/state.h"

/* At the start and for new tables the second sample follows this soon, so that rates are known early. */
#define DELAY_WARM_UP_NS UINT64_C(250000000)

void delay_set(struct screen *screen, double seconds);

/* Takes the next two samples without waiting for the delay. */
void delay_skip(struct screen *screen);

/* Samples that did not wait for the delay were taken: now it holds again. */
void delay_go_on(struct screen *screen);

/* Samples that cost more than a tenth of the time, drawing included, are taken less often. */
void delay_keep_pace(struct screen *screen, uint64_t cost_ns);

#endif
