/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counting units that the kernel lists, and which CPUs each of them counts on. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_PMU_H
#define PANETOP_TOPIC_COUNTER_COUNTER_PMU_H

#include "sys/env.h"

struct counter_pmus {
	struct counter_pmu {
		uint32_t type; /* as in perf_event_attr */
		bool is_core;  /* of one kind of cores, on a machine that has several */
		char *cpus;    /* owned: the list of CPUs to open its events on */
	} *list;
	size_t count;
};

/* Only those with such a list: the events of all others are opened on every CPU. */
void counter_pmus_read(struct counter_pmus *pmus, struct env *env);
void counter_pmus_free(struct counter_pmus *pmus);

/* Are events of this type to be opened on this CPU? A unit of a whole package is opened on one CPU of it. */
bool counter_pmu_counts_on(const struct counter_pmus *pmus, uint32_t type, uint32_t cpu);

/* The type of the unit of this kind of core; 0 where all cores are of one kind. */
uint32_t counter_pmu_of_core(const struct counter_pmus *pmus, uint32_t cpu);

#endif
