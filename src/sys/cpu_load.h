/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Load on purpose: threads that keep CPUs busy for a share of the time, for measuring what it costs. */
#ifndef PANETOP_SYS_CPU_LOAD_H
#define PANETOP_SYS_CPU_LOAD_H

#include <stdint.h>

struct cpu_load;

/* CPUs that this process may use; at least 1. */
unsigned cpu_load_cpus(void);

/* Threads that do nothing yet, one for each CPU that may be used and bound to it; NULL when none can be
 * started. */
struct cpu_load *cpu_load_open(void);

/* The first cpus of them are busy for this share (0 to 1) of every tenth of a second, the others idle. */
void cpu_load_set(struct cpu_load *load, unsigned cpus, double share);

/* Units of work that all threads have done so far. */
uint64_t cpu_load_operations(const struct cpu_load *load);

/* Ends and gives back everything. */
void cpu_load_close(struct cpu_load *load);

#endif
