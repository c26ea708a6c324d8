/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key @: one scope for all panes. */
#ifndef PANETOP_SCREEN_SCOPING_H
#define PANETOP_SCREEN_SCOPING_H

#include "screen/state.h"

/* Asks what the selected row should stand for; with a scope, leaves it. */
void scoping_choose(struct pane_context *context);

#endif
