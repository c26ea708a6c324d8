/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that sort the table that has the focus. */
#ifndef PANETOP_SCREEN_SORTING_H
#define PANETOP_SCREEN_SORTING_H

#include "screen/context.h"

void sorting_menu(struct pane_context *context);
void sorting_left(struct pane_context *context);
void sorting_right(struct pane_context *context);
void sorting_reverse(struct pane_context *context);
void sorting_by_memory(struct pane_context *context);
void sorting_by_cpu(struct pane_context *context);
void sorting_by_time(struct pane_context *context);

#endif
