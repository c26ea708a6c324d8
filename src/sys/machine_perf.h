/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events of a machine: the kernel's in the program, a script's in a test. */
#ifndef PANETOP_SYS_MACHINE_PERF_H
#define PANETOP_SYS_MACHINE_PERF_H

#include <linux/perf_event.h>

/* Events are descriptors, which are read, mapped and closed as those of files; see perf_ring.h. */
struct machine_perf {
	/* perf_event_open(2): the descriptor, or -errno */
	int (*open)(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		    int leader);

	/* A request of ioctl(2) for an event, with a number, a descriptor or an address. 0 or -errno. */
	int (*control)(const struct machine_perf *perf, int event, unsigned long request,
		       unsigned long argument);
};

extern const struct machine_perf real_perf;

#endif
