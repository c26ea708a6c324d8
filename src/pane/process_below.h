/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A short list of processes below the home view of a pane, on screens of many lines. */
#ifndef PANETOP_PANE_PROCESS_BELOW_H
#define PANETOP_PANE_PROCESS_BELOW_H

#include "screen/context.h"

#define PROCESS_BELOW_LINES 8 /* kept for it, with its title and headings */

/* Lines that the rest of the pane leaves to this table of the view; 0: it is not shown. */
int process_below_lines(const struct pane_context *context, const struct canvas *canvas, unsigned table);

/* The cursor goes on from the end of the table above to this one, and back. */
bool process_below_key(struct pane_context *context, const struct input *input, unsigned above,
		       unsigned table);

/* For struct pane, refuses: why an action on a process has no effect while the cursor is elsewhere. */
const char *process_below_refuses(const struct pane_context *context, enum action action, unsigned table);

/* Opens the selected process, and sends it a signal in the pane cpu. */
extern const struct pane_action process_below_actions[];

#endif
