/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source samples: what the panes show or keep, and what scope and findings read. */
#ifndef PANETOP_SCREEN_SUBSCRIPTIONS_H
#define PANETOP_SCREEN_SUBSCRIPTIONS_H

#include "screen/state.h"

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

#endif
