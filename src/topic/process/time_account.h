/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule by which time accounts recognize processes of which the kernel shows only some switches. */
#ifndef PANETOP_TOPIC_PROCESS_TIME_ACCOUNT_H
#define PANETOP_TOPIC_PROCESS_TIME_ACCOUNT_H

#include <stdint.h>

#define TIME_ACCOUNT_SLACK_NS UINT64_C(500000000) /* clocks leave out interrupts and what the host took */

/* The time that it ran beyond what its CPU clock can explain, after both grew. */
static inline uint64_t time_account_excess(uint64_t before_ns, uint64_t run_ns, uint64_t clock_ns)
{
	return before_ns + run_ns > 2 * clock_ns ? before_ns + run_ns - 2 * clock_ns : 0;
}

#endif
