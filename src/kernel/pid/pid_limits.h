/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/limits: a line for each resource limit. */
#ifndef PANETOP_KERNEL_PID_LIMITS_H
#define PANETOP_KERNEL_PID_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define PID_UNLIMITED (UINT64_MAX - 1)

struct pid_limit {
	struct span name;    /* as the kernel spells it: "Max open files" */
	struct span unit;    /* "files"; empty: none */
	uint64_t soft, hard; /* PID_UNLIMITED */
};

/* The next limit of the text; skips the heading and lines that are none. False after the last. */
bool pid_limits_next(struct span *text, struct pid_limit *limit);

#endif
