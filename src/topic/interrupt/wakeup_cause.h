/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU does when something is woken up or a timer is armed: programs that mark it, and what follows. */
#ifndef PANETOP_TOPIC_INTERRUPT_WAKEUP_CAUSE_H
#define PANETOP_TOPIC_INTERRUPT_WAKEUP_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/i18n.h"
#include "topic/trace/trace.h"

enum wakeup_cause { CAUSE_TIMER, CAUSE_DEVICE, CAUSE_NETWORK, CAUSE_TASK, CAUSE_KERNEL, N_CAUSES };

/* Bits of the marks: the soft interrupts have 0 to 9, in the kernel's order. */
enum { MARK_IRQ = 16, MARK_HRTIMER, MARK_CALL, MARK_WORK, MARK_IPI, MARK_TICK };

/* What ends comes first: a start without its end would stay marked. */
#define CAUSE_AROUND(ends, starts, bit, from, to, ...)                                                       \
	{ .name = ends, .tracepoint = to, .does = &bpf_unmark, .first_bit = bit, __VA_ARGS__ },              \
	{                                                                                                    \
		.name = starts, .tracepoint = from, .does = &bpf_mark, .first_bit = bit, __VA_ARGS__         \
	}

#define CAUSE_MARKS                                                                                          \
	CAUSE_AROUND(N_("end of a handler"), N_("start of a handler"), MARK_IRQ, "irq_handler_entry",        \
		     "irq_handler_exit", .optional = false),                                                 \
		CAUSE_AROUND(N_("end of a soft interrupt"), N_("start of a soft interrupt"), 0,              \
			     "softirq_entry", "softirq_exit",                                                \
			     .value = { .is = BPF_PART_ARGUMENT, .bytes = 4 }),                              \
		CAUSE_AROUND(N_("end of a precise timer"), N_("start of a precise timer"), MARK_HRTIMER,     \
			     "hrtimer_expire_entry", "hrtimer_expire_exit", .optional = false)

/* Calls from other CPUs, and of the kernel to itself, by names that only some architectures have. */
#define CAUSE_MARKS_OF_CALLS                                                                                 \
	CAUSE_AROUND(N_("end of a call"), N_("start of a call"), MARK_CALL, "call_function_single_entry",    \
		     "call_function_single_exit", .optional = true),                                         \
		CAUSE_AROUND(N_("end of interrupt work"), N_("start of interrupt work"), MARK_WORK,          \
			     "irq_work_entry", "irq_work_exit", .optional = true),                           \
		CAUSE_AROUND(N_("end of a CPU's interrupt"), N_("start of a CPU's interrupt"), MARK_IPI,     \
			     "ipi_entry", "ipi_exit", .optional = true)

/* Around precise timers, which it may arm again; where it is not a handler of a device. */
#define CAUSE_MARKS_OF_TICKS                                                                                 \
	CAUSE_AROUND(N_("end of a timer interrupt"), N_("start of a timer interrupt"), MARK_TICK,            \
		     "local_timer_entry", "local_timer_exit", .optional = true)

/* idle: no task runs. The innermost counts: interrupts interrupt soft interrupts. */
enum wakeup_cause wakeup_cause_of(uint64_t marks, bool idle);

#endif
