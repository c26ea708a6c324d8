/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of the whole machine: of all CPUs that are online, and their sums. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H
#define PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H

#include "sys/privilege.h"
#include "topic/counter/counter_set.h"

#define COUNTER_ONLINE "sys/devices/system/cpu/online"

/* The rights that the topics over counters make use of. */
#define COUNTER_USES (PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_FILES))

enum counter_choice { COUNTER_HARDWARE, COUNTER_SOFTWARE, COUNTER_NAMED };

/* One event on all CPUs. */
struct counter_sum {
	uint64_t total;  /* of all that was ever counted, on CPUs that are offline now, too */
	bool known;      /* nothing of this tick is missing */
	unsigned n_open; /* CPUs that count it */
	int error;       /* -errno: why the first that does not count it does not; 0 */
	struct perf_times times;
};

struct counter_machine {
	struct env *env; /* borrowed */
	enum counter_choice choice;
	int no_hardware; /* -errno: why it fell on software */
	struct counter_events events;
	struct counter_pmus pmus;
	struct counter_set **cpus; /* owned: those that are online, in the order of their numbers */
	size_t n_cpus, capacity;
	struct counter_sum sums[COUNTER_EVENTS_MAX];
};

/* What a set of events gives on the first CPU that is online: 0 when one can be opened, or -errno. */
int counter_machine_test(struct env *env, void (*fill)(struct counter_events *events));

/* names as for counter_events_named(); without any the hardware is counted, or else what the kernel can. */
void counter_machine_open(struct counter_machine *machine, struct env *env, const char *names);
void counter_machine_close(struct counter_machine *machine);

/*
 * Counts on these CPUs from now on, and reads. 0, or -errno of the first event when none of our own choice
 * can be opened anywhere; of named events each sum tells.
 */
int counter_machine_read(struct counter_machine *machine, struct span online);

#endif
