/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a key does now: in an overlay, a view, a pane, everywhere, or in a table. */
#ifndef PANETOP_SCREEN_KEYMAP_H
#define PANETOP_SCREEN_KEYMAP_H

#include "screen/state.h"

/* What the view or the pane makes of an action; NULL: nothing of its own. */
const struct pane_action *keymap_bound(const struct pane_context *context, enum action action);

/* Does the action do something now? */
bool keymap_works(const struct pane_context *context, enum action action);

/* Translated; NULL: not in the footer. */
const char *keymap_label(const struct pane_context *context, enum action action);
const char *keymap_help(const struct pane_context *context, enum action action);

/* Hands a key or mouse event to the overlay, an action, the pane or a table. */
void keymap_key(struct screen *screen, const struct input *input);

#endif
