/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What interrupts and backlogs mean, in sentences that hold only where their rule does. */
#ifndef PANETOP_PANE_KERNEL_KERNEL_HINTS_H
#define PANETOP_PANE_KERNEL_KERNEL_HINTS_H

#include "core/i18n.h"
#include "model/frame.h"

#define KERNEL_HINTS_MAX 4

struct kernel_hint {
	bool alarming; /* something is lost */
	char text[TEXT_MAX];
};

/* The hints that this frame gives reason for, the worst first: their number. */
unsigned kernel_hints(const struct frame *frame, struct kernel_hint *hints);

#endif
