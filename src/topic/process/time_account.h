/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule by which time accounts recognize processes of which the kernel shows only some switches. */
#ifndef PANETOP_TOPIC_PROCESS_TIME_ACCOUNT_H
#define PANETOP_TOPIC_PROCESS_TIME_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_ACCOUNT_SLACK_NS UINT64_C(100000000) /* clocks leave out interrupts and what the host took */

/* Has it run for longer than its CPU clock can explain? */
static inline bool time_account_is_broken(uint64_t run_ns, uint64_t clock_ns)
{
	return run_ns > 2 * clock_ns + TIME_ACCOUNT_SLACK_NS;
}

#endif
