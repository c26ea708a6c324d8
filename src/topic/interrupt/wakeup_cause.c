/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of several marks the innermost decides: a timer within an interrupt is a timer. */
#include <config.h>

#include "topic/interrupt/wakeup_cause.h"

#define BIT(mark) (UINT64_C(1) << (mark))
#define TIMER_SOFTIRQS (BIT(1) | BIT(8))                    /* TIMER, HRTIMER */
#define NETWORK_SOFTIRQS (BIT(2) | BIT(3))                  /* NET_TX, NET_RX */
#define DEVICE_SOFTIRQS (BIT(0) | BIT(4) | BIT(5) | BIT(6)) /* HI, BLOCK, IRQ_POLL, TASKLET */

enum wakeup_cause wakeup_cause_of(uint64_t marks, bool idle)
{
	if (marks & BIT(MARK_HRTIMER))
		return CAUSE_TIMER;
	if (marks & BIT(MARK_IRQ))
		return CAUSE_DEVICE;
	if (marks & (BIT(MARK_CALL) | BIT(MARK_WORK) | BIT(MARK_IPI)))
		return CAUSE_KERNEL;
	if (marks & TIMER_SOFTIRQS)
		return CAUSE_TIMER;
	if (marks & NETWORK_SOFTIRQS)
		return CAUSE_NETWORK;
	if (marks & DEVICE_SOFTIRQS)
		return CAUSE_DEVICE;
	return marks || idle ? CAUSE_KERNEL : CAUSE_TASK;
}
