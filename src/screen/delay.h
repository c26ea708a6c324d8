/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time between two samples: what the user chose, and what they cost. */
#ifndef PANETOP_SCREEN_DELAY_H
#define PANETOP_SCREEN_DELAY_H

#include <stdint.h>

#include "screen/state.h"

/*
 * What the sample that is taken now is to have, by the CPU time of the process so far. Rates need two samples
 * in a row, so these come in pairs.
 */
enum kept_turn kept_pace_next(struct kept_pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t delay_ns);

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
