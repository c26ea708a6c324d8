/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a row of a process, in any pane, to its page and its map. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_OPEN_H
#define PANETOP_PANE_PROCESS_PROCESS_OPEN_H

#include "screen/context.h"

/* The process of a row of the table process, by PID, start time and name, so that an exit is reported. */
void process_open(struct pane_context *context, const struct table *processes, const void *row);

/* The process of the selected row of the focused table; a message where none is selected or known. */
void process_open_selected(struct pane_context *context);

/* The message where an action needs a selected process. */
void process_warn_unselected(const struct pane_context *context);

/* The process of a row of a table of events, by PID and time; false if it names none. */
bool process_open_of_event(struct pane_context *context, const struct table *events, const void *row);

/* The same in the pane pages. */
void process_open_map(struct pane_context *context, const struct table *processes, const void *row);

#endif
