/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/loadavg, /proc/uptime and the totals of /proc/stat: the machine in a few numbers. */
#ifndef PANETOP_KERNEL_SYSTEM_H
#define PANETOP_KERNEL_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

struct loadavg {
	double load1, load5, load15;
	uint64_t threads;  /* all schedulable tasks of the machine */
	uint64_t last_pid; /* the most recent PID in our namespace; U64_UNKNOWN if missing */
};

bool loadavg_parse(struct span text, struct loadavg *loadavg);

/* Seconds since boot, suspend included. */
bool uptime_parse(struct span text, double *seconds);

/* U64_UNKNOWN for a missing line. */
struct stat_totals {
	uint64_t cpus;             /* lines "cpuN": CPUs that are online */
	uint64_t context_switches; /* since boot */
	uint64_t interrupts;       /* since boot */
	uint64_t forks;            /* processes and threads created since boot */
	uint64_t running, blocked; /* now */
};

void stat_totals_parse(struct span text, struct stat_totals *totals);

#endif
