/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What interrupts and backlogs mean, in sentences that hold only where their condition does. */
#ifndef PANETOP_PANE_KERNEL_KERNEL_HINTS_H
#define PANETOP_PANE_KERNEL_KERNEL_HINTS_H

#include "core/buffer.h"
#include "model/frame.h"

/*
 * Adds the hints that this frame gives reason for, one per line, the worst first. Returns how many report
 * that something is lost.
 */
unsigned kernel_hints(struct buffer *out, const struct frame *frame);

#endif
