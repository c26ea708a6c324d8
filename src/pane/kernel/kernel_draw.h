/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints above the table of a view. */
#ifndef PANETOP_PANE_KERNEL_KERNEL_DRAW_H
#define PANETOP_PANE_KERNEL_KERNEL_DRAW_H

#include "screen/canvas.h"
#include "screen/context.h"

void kernel_draw(const struct pane_context *context, struct canvas *canvas);

#endif
