/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows tables show, by the key @: one scope for all panes; and in which order. */
#ifndef PANETOP_SCREEN_SCOPING_H
#define PANETOP_SCREEN_SCOPING_H

#include "screen/context.h"
#include "screen/state.h"

void sorting_menu(struct pane_context *context);
void sorting_step(struct pane_context *context, int step);
void sorting_reverse(struct pane_context *context);
void sorting_by(struct pane_context *context, int what);
enum { SORTING_MEMORY, SORTING_CPU, SORTING_TIME };

/* Is the view about one process, which has ended? */
bool scoping_has_ended(const struct pane_context *context);

/* Asks what the selected row should stand for; with a scope, leaves it. */
void scoping_choose(struct pane_context *context);

#endif
