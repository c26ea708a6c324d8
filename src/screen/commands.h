/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that work in every pane. */
#ifndef PANETOP_SCREEN_COMMANDS_H
#define PANETOP_SCREEN_COMMANDS_H

#include "screen/state.h"

/* NULL: panes alone have this action. */
void (*commands_act(enum action action))(struct pane_context *context);

/* Why it has no effect now, translated; NULL: it has one. */
const char *commands_refuse(const struct pane_context *context, enum action action);

#endif
