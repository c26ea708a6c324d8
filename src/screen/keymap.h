/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which binding, pane or table handles a key. */
#ifndef PANETOP_SCREEN_KEYMAP_H
#define PANETOP_SCREEN_KEYMAP_H

#include "screen/state.h"

/* Lists of bindings; an earlier list gets a key first. */
enum {
	KEYMAP_VIEW,      /* of what the pane shows now; NULL: none */
	KEYMAP_SOURCE,
	KEYMAP_PANE,      /* NULL: none */
	KEYMAP_SECONDARY, /* of the pane; NULL: none */
	KEYMAP_COMMON,
	N_KEYMAP_LISTS,
};
void keymap_bindings(const struct pane_context *context, const struct binding *lists[N_KEYMAP_LISTS]);

/*
 * The keys that currently trigger a binding of list index and that no earlier list takes; returns how many.
 */
unsigned keymap_keys(const struct pane_context *context, const struct binding *const *lists, unsigned index,
		     const struct binding *binding, int keys[2]);

/* Hands a key or mouse event to the overlay, a binding, the pane or a table; false when none handles it. */
bool keymap_key(struct screen *screen, const struct input *input);

#endif
