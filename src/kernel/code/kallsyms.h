/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/kallsyms: which function of the kernel is at which address. */
#ifndef PANETOP_KERNEL_KALLSYMS_H
#define PANETOP_KERNEL_KALLSYMS_H

#include "core/span.h"

struct kallsyms_line {
	uint64_t address; /* 0: not shown to this user */
	struct span name; /* without its module */
};

/* The next function; false at the end. */
bool kallsyms_next(struct span *text, struct kallsyms_line *line);

#endif
