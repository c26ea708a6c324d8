/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines "cpu" and "cpuN" of /proc/stat: times of each CPU; and the speeds in /proc/cpuinfo. */
#ifndef PANETOP_KERNEL_CPU_TIMES_H
#define PANETOP_KERNEL_CPU_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define CPU_ALL U64_UNKNOWN /* the line "cpu": the sum of all, including offline CPUs */

/*
 * In USER_HZ; U64_UNKNOWN where the line is shorter. The kernel adds guest to user, and guest_nice to nice.
 */
struct cpu_times {
	uint64_t cpu; /* its number, or CPU_ALL */
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice;
};

/* The next such line of text; false when there is none. */
bool cpu_times_next(struct span *text, struct cpu_times *times);

/* Time of a CPU that was not idle, including steal; unknown parts count as 0. */
double cpu_times_busy(const struct cpu_times *times);

/*
 * Whether the kernel measures interrupts, and takes them off the clocks of the tasks that they interrupt
 * (CONFIG_IRQ_TIME_ACCOUNTING). Otherwise it counts ticks, and irq stays 0, because a tick is an interrupt
 * itself, and interrupts do not nest. POWER and s390 measure them, but leave them in the clocks.
 */
bool cpu_times_measures_interrupts(const struct cpu_times *times);

/* The next CPU of /proc/cpuinfo with a speed ("cpu MHz"); false when there is none. */
bool cpuinfo_next_speed(struct span *text, uint64_t *cpu, double *hertz);

/* Does /proc/cpuinfo say that a hypervisor runs below this kernel? Only x86 does. */
bool cpuinfo_is_virtual(struct span text);

#endif
