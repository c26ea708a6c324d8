/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of all online CPUs, and their sums. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H
#define PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H

#include "sys/privilege.h"
#include "topic/counter/counter_set.h"

#define COUNTER_ONLINE "sys/devices/system/cpu/online"

/* Privileges of the topics that count events. */
#define COUNTER_USES PRIVILEGE_BIT(PRIVILEGE_PERF)
#define COUNTER_OPENING_USES PRIVILEGE_BIT(PRIVILEGE_TRACING) /* tracepoints by name */

enum counter_choice { COUNTER_HARDWARE, COUNTER_SOFTWARE, COUNTER_NAMED };

/* One event on all CPUs. */
struct counter_sum {
	uint64_t total;  /* since the first read, CPUs that are offline now included */
	bool known;      /* complete in this tick */
	unsigned n_open; /* number of CPUs that count it */
	int error;       /* -errno of the first CPU that does not count it; 0: all do */
	struct perf_times times;
};

struct counter_machine {
	struct env *env; /* borrowed */
	enum counter_choice choice;
	int no_hardware; /* -errno: why software events were chosen */
	struct counter_events events;
	struct counter_pmus pmus;
	struct counter_set **cpus; /* owned: the online CPUs by number */
	size_t n_cpus, capacity;
	struct counter_sum sums[COUNTER_EVENTS_MAX];
};

/* Whether one of these events can be opened on the first online CPU: 0 or -errno. */
int counter_machine_test(struct env *env, void (*fill)(struct counter_events *events));

/* names as for counter_events_named(); NULL: hardware events, or software events where there are none. */
void counter_machine_open(struct counter_machine *machine, struct env *env, const char *names);
void counter_machine_close(struct counter_machine *machine);

/*
 * Counts on these CPUs from now on, and reads. 0, or -errno of the first event when none of the built-in sets
 * can be opened on any CPU; errors of named events are in the sums.
 */
int counter_machine_read(struct counter_machine *machine, struct span online);

#endif
