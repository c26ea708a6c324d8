/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are counted, how they are put to the kernel, and on which CPUs its counting units count. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_EVENTS_H
#define PANETOP_TOPIC_COUNTER_COUNTER_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "sys/env.h"

#define COUNTER_EVENTS_MAX 32

struct counter_event {
	char *name;                  /* owned */
	struct perf_event_attr attr; /* set unless there is a why */
	const char *why, *remedy;    /* why the name means nothing here, translated; NULL when it does */
	bool unknown;                /* … because there is no such event on any machine */
	int base;                    /* index of the event that it is a share of, or counted per; -1: none */
	bool per_cycle;              /* the base is the cycles, and this is no share of them */
	bool is_clock;               /* it counts the nanoseconds in which a thread runs */
	unsigned group;              /* events of a group count at the same time; below COUNTER_EVENTS_MAX */
};

/* All zero is an empty list. */
struct counter_events {
	struct counter_event list[COUNTER_EVENTS_MAX];
	unsigned count;
	unsigned surplus; /* names for which there was no room */
};

/* Each fills an empty list. */
void counter_events_hardware(struct counter_events *events);
void counter_events_software(struct counter_events *events);
void counter_events_thread(struct counter_events *events); /* as software, and the time */

/* Names of the sets above, or that libpfm4 or the tracing file system knows, with commas between. */
void counter_events_named(struct counter_events *events, struct env *env, const char *names);

/*
 * The first of these names that means nothing, which the caller frees, and why, translated. NULL where all
 * mean something, and where that cannot be told.
 */
char *counter_events_unknown(struct env *env, const char *names, const char **why);
void counter_events_free(struct counter_events *events);

/* The counting units that the kernel lists, and which CPUs each of them counts on. */
struct counter_pmus {
	struct counter_pmu {
		uint32_t type; /* as in perf_event_attr */
		bool is_core;  /* of one kind of cores, on a machine that has several */
		char *cpus;    /* owned: the list of CPUs to open its events on */
	} *list;
	size_t count, capacity;
};

/* Only those with such a list: the events of all others are opened on every CPU. */
void counter_pmus_read(struct counter_pmus *pmus, struct env *env);
void counter_pmus_free(struct counter_pmus *pmus);

/* Are events of this type to be opened on this CPU? A unit of a whole package is opened on one CPU of it. */
bool counter_pmu_counts_on(const struct counter_pmus *pmus, uint32_t type, uint32_t cpu);

/* The type of the unit of this kind of core; 0 where all cores are of one kind. */
uint32_t counter_pmu_of_core(const struct counter_pmus *pmus, uint32_t cpu);

#endif
