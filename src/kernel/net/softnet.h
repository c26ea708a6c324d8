/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/softnet_stat: received packets on their way from drivers to protocols, a line per CPU. */
#ifndef PANETOP_KERNEL_SOFTNET_H
#define PANETOP_KERNEL_SOFTNET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* Counters are of 32 bits and wrap. */
struct softnet_line {
	uint32_t processed; /* packets */
	uint32_t dropped;   /* … because the backlog was full */
	uint32_t squeezed;  /* polls that ended with packets left, for lack of budget or time */
	uint64_t steered;   /* interrupts sent by other CPUs (RPS); U64_UNKNOWN before Linux 2.6.35 */
	uint64_t limited;   /* packets dropped by the flow limit; U64_UNKNOWN before 3.11 */
	uint64_t waiting;   /* packets in the backlog; U64_UNKNOWN before 5.10 */
	uint64_t cpu;       /* U64_UNKNOWN before 5.10: lines are in the order of online CPUs */
};

/* The next CPU; skips malformed lines. */
bool softnet_next(struct span *text, struct softnet_line *line);

#endif
