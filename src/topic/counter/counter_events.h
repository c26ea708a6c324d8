/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are counted, their attributes for the kernel, and the PMUs and CPUs that count them. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_EVENTS_H
#define PANETOP_TOPIC_COUNTER_COUNTER_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "sys/env.h"

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

#endif
