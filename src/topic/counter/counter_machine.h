/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are counted, their attributes for the kernel, and the PMUs and CPUs that count them; counters
 * of one CPU or one thread, and of all online CPUs, and their sums.
 */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H
#define PANETOP_TOPIC_COUNTER_COUNTER_MACHINE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "kernel/perf_record.h"
#include "sys/env.h"
#include "sys/privilege.h"

#define COUNTER_EVENTS_MAX 32

struct counter_event {
	char *name;                  /* owned */
	struct perf_event_attr attr; /* set unless why is */
	const char *why, *remedy;    /* why it cannot be counted here, translated; NULL: it can */
	bool unknown;                /* … because no machine has such an event */
	int base;                    /* index of the event that it is a share or a rate of; -1: none */
	bool per_cycle;              /* its base is cycles, and it is a rate per cycle, not a share */
	bool is_clock;               /* counts the nanoseconds in which a thread runs */
	unsigned group;              /* events of a group are counted together; below COUNTER_EVENTS_MAX */
};

/* All zero is an empty list. */
struct counter_events {
	struct counter_event list[COUNTER_EVENTS_MAX];
	unsigned count;
	unsigned surplus; /* names beyond COUNTER_EVENTS_MAX */
};

/* Each fills an empty list. */
void counter_events_hardware(struct counter_events *events);
void counter_events_software(struct counter_events *events);
void counter_events_thread(struct counter_events *events); /* software and task-clock */

/* names, separated by commas: of the sets above, or known to libpfm4 or tracefs. */
void counter_events_named(struct counter_events *events, struct env *env, const char *names);

/* The first unknown name, which the caller frees, and why, translated. NULL: none was found. */
char *counter_events_unknown(struct env *env, const char *names, const char **why);
void counter_events_free(struct counter_events *events);

/* The PMUs that the kernel lists with the CPUs that they count on; all others count on every CPU. */
struct counter_pmus {
	struct counter_pmu {
		uint32_t type; /* as in perf_event_attr */
		bool is_core;  /* of one type of cores, on a machine with several */
		char *cpus;    /* owned: list of CPUs to open its events on */
	} *list;
	size_t count, capacity;
};

void counter_pmus_read(struct counter_pmus *pmus, struct env *env);
void counter_pmus_free(struct counter_pmus *pmus);

/* Are events of this PMU type opened on this CPU? PMUs of a package are opened on one of its CPUs. */
bool counter_pmu_counts_on(const struct counter_pmus *pmus, uint32_t type, uint32_t cpu);

/* The PMU type of this core; 0 where all cores are of the same type. */
uint32_t counter_pmu_of_core(const struct counter_pmus *pmus, uint32_t cpu);

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
	struct env *env; /* borrowed; set along with the place */
	struct counter_place place;
	size_t files; /* open descriptors */
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

/* Closes and frees this one of a list. */
void counter_sets_drop(struct counter_set **sets, size_t *n, size_t index);

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
