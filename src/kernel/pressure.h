/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/pressure/{cpu,memory,io} and cgroup *.pressure: how long tasks waited for a resource. */
#ifndef PANETOP_KERNEL_PRESSURE_H
#define PANETOP_KERNEL_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct pressure_line {
	struct span kind;                 /* "some" or "full" */
	double avg10, avg60, avg300;      /* percentage of time, 0 to 100 */
	uint64_t total_us;                /* stall time since boot in microseconds */
};

/* The next well-formed line; skips others. */
bool pressure_next(struct span *text, struct pressure_line *line);

#endif
