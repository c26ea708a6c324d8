/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From other panes to the memory of a process. */
#ifndef PANETOP_PANE_PAGES_PAGES_OPEN_H
#define PANETOP_PANE_PAGES_PAGES_OPEN_H

#include "screen/context.h"

/* The process of a row of the table process, by PID, start time and name, so that an exit is reported. */
void pages_open(struct pane_context *context, const struct table *processes, const void *row);

#endif
