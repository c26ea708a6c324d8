/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of processes below the table of a view, on screens of many lines. */
#ifndef PANETOP_PANE_PROCESS_BELOW_H
#define PANETOP_PANE_PROCESS_BELOW_H

#include "screen/context.h"

#define PROCESS_BELOW_LINES 8 /* kept for it, with its title and headings */

/* The table of the view that is this list (struct pane_view, below); -1: it is not shown. */
int process_below_table(const struct pane_context *context);

/* Lines that the rest of the pane leaves to it; 0: it is not shown. */
int process_below_lines(const struct pane_context *context, const struct canvas *canvas);

/*
 * The cursor goes on from the end of the table of the view to this one, and back. of_selected: the list is
 * about the row that is selected above it, which stays so.
 */
bool process_below_key(struct pane_context *context, const struct input *input, bool of_selected);

/* For struct pane, refuses: why an action on a process has no effect while the cursor is elsewhere. */
const char *process_below_refuses(const struct pane_context *context, enum action action);

/* As the key of ACTION_ACT in the pane cpu, for the selected process. */
void process_below_signal(struct pane_context *context);

/* Opens the selected process, and sends it a signal in the pane cpu. */
extern const struct pane_action process_below_actions[];

#endif
