/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU load for calibration: threads that keep CPUs busy for a share of time. */
#ifndef PANETOP_SYS_CPU_LOAD_H
#define PANETOP_SYS_CPU_LOAD_H

#include <stdint.h>

struct cpu_load;

/* CPUs that this process may use; at least 1. */
unsigned cpu_load_cpus(void);

/* Starts an idle thread on each CPU that this process may use; NULL when a thread cannot be started. */
struct cpu_load *cpu_load_open(void);

/* Keeps the first cpus CPUs busy for this share (0 to 1) of each tenth of a second, the others idle. */
void cpu_load_set(struct cpu_load *load, unsigned cpus, double share);

/* Operations that all threads have completed. */
uint64_t cpu_load_operations(const struct cpu_load *load);

void cpu_load_close(struct cpu_load *load);

#endif
