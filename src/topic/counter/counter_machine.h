/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of one CPU or one thread; of all online CPUs, and their sums. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H
#define PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H

#include "kernel/perf_read.h"
#include "sys/privilege.h"
#include "topic/counter/counter_events.h"

/* Where events are counted: on a CPU, or in a thread. */
struct counter_place {
	uint32_t cpu;
	uint32_t tid;   /* 0: on the CPU */
	bool inherited; /* threads (not processes) that it starts from now on are included */
	bool user_only; /* without kernel mode */
};

/* One event in one place. */
struct counter_cell {
	int fd;         /* -errno: why it is not counted here */
	bool known;     /* it ran since the previous read */
	uint64_t last;  /* as read when it was last known */
	uint64_t grown; /* since the previous read; scaled on a CPU where it ran less than it was enabled */
	uint64_t total; /* sum of these */
	struct perf_times seen, grown_times; /* of its group */
};

struct counter_set {
	struct env *env;           /* borrowed; set along with the place */
	struct counter_place place;
	size_t files;              /* open descriptors */
	struct counter_cell cells[COUNTER_EVENTS_MAX];
};

/* As perf_open(), but -ENODEV for all errors that mean that nothing here can count it. */
int counter_open(const struct machine_perf *perf, const struct counter_event *event,
		 const struct counter_pmus *pmus, const struct counter_place *place, int leader);

/* Is the event not counted here for another reason than a missing counter? */
bool counter_is_lost(int fd);

/* Opens all events within the limit of descriptors, unless some are open; totals start at 0. */
void counter_set_open(struct counter_set *set, const struct counter_events *events,
		      const struct counter_pmus *pmus);
void counter_set_close(struct counter_set *set);

/*
 * Reads all groups. Closes them when a read fails, or when those of a CPU have stopped because it was
 * offline; counter_set_open() opens them again.
 */
void counter_set_read(struct counter_set *set, const struct counter_events *events);

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
