/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the time that the host takes from this machine also in the clocks of tasks? */
#ifndef PANETOP_TOPIC_CPU_STOLEN_TIME_H
#define PANETOP_TOPIC_CPU_STOLEN_TIME_H

#include "topic/cpu/proc_stat.h"

enum stolen_verdict {
	STOLEN_UNDECIDED, /* too little was stolen so far, or the kernel does not show it */
	STOLEN_APART,
	STOLEN_IN_CLOCKS,
};

/* All zero at first. */
struct stolen_time {
	enum stolen_verdict verdict;
	struct stolen_look *looks; /* owned: the last one on each CPU */
	size_t n_looks, capacity;
	uint64_t next_ticks; /* steal of all CPUs from which on the next look is worthwhile */
};

/* Once per tick; mono_ns: CLOCK_MONOTONIC of the tick. */
enum stolen_verdict stolen_time_update(struct stolen_time *stolen, struct env *env, uint64_t mono_ns,
				       const struct proc_stat *stat);
void stolen_time_free(struct stolen_time *stolen);

#endif
