/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source samples, what the panes show or keep, and what scope and findings read; and when. */
#ifndef PANETOP_SCREEN_SUBSCRIPTIONS_H
#define PANETOP_SCREEN_SUBSCRIPTIONS_H

#include "screen/state.h"

/*
 * What the sample that is taken now is to have, by the CPU time of the process so far. Rates need two samples
 * in a row, so these come in pairs.
 */
enum kept_turn kept_pace_next(struct kept_pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t delay_ns);

/* At the start and for new tables the second sample follows this soon, so that rates are known early. */
#define DELAY_WARM_UP_NS UINT64_C(250000000)

/* The time between two samples, as the user chose it. */
void delay_set(struct screen *screen, double seconds);

/* Samples that did not wait for the delay were taken: now it holds again. */
void delay_go_on(struct screen *screen);

/* Samples that cost more than a tenth of the time, drawing included, are taken less often. */
void delay_keep_pace(struct screen *screen, uint64_t cost_ns);

/* Lets the source sample what panes and scope want now. */
void subscriptions_update(struct screen *screen);

/*
 * Call it before a sample: whether it has the tables of panes that are kept depends on those before, and on
 * what they cost. Requests their columns.
 */
void subscriptions_follow(struct screen *screen);

/* Does the shown frame lack tables of the current pane, since they rested in that sample? */
bool subscriptions_lack_resting(const struct screen *screen);

/* Of its lazy tables the pane wants those of the shown view; call subscriptions_update() then. */
void subscriptions_of_view(struct pane_context *context);

/* The terminal has another size: more or fewer tables have room. */
void subscriptions_of_size(struct screen *screen);

/* Of a recording or of the past: it reads only this topic, or with NULL again what the screen wants. */
void subscriptions_only(const struct screen *screen, const struct source *source, const char *topic);

/*
 * After others have read a recording or the past: it wants what the screen does, and stands behind this
 * sample again, as the screen reads on from there.
 */
void subscriptions_return(struct screen *screen, const struct source *source, size_t index);

/* The same sample as before, for another scope. */
void subscriptions_show_again(struct screen *screen);

#endif
