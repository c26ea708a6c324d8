/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each CPU did in the last interval: its busiest process, interrupts, frequency, throttling. */
#ifndef PANETOP_TOPIC_LATENCY_CPU_CONTEXT_H
#define PANETOP_TOPIC_LATENCY_CPU_CONTEXT_H

#include "topic/cpu/frequency.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define CPU_ACTIVITY_TEXT_MAX 80

struct cpu_activity {
	char task[CPU_ACTIVITY_TEXT_MAX];    /* process that probably used most of this CPU; "": none */
	double task_ratio;                   /* of one CPU */
	char interrupts[CPU_ACTIVITY_TEXT_MAX]; /* the most frequent: "timer 250, eth0 31" */
	char softirqs[CPU_ACTIVITY_TEXT_MAX];
	uint64_t n_interrupts, n_softirqs; /* all of this CPU */
	double hertz;
	double forks_per_second, switches_per_second; /* of the whole machine */
	uint64_t throttles;                           /* how often heat slowed this CPU down */
};

struct cpu_context;

/* The lists, which it updates, and cpus are borrowed. */
struct cpu_context *cpu_context_open(const struct sample *sample, const struct process_list *tasks,
				     struct frequencies *frequencies, const uint32_t *cpus, size_t n_cpus);
void cpu_context_close(struct cpu_context *context);

/* The interval starts at the previous update. own_ns: CPU time of the measuring threads so far. */
void cpu_context_update(struct cpu_context *context, const struct sample *sample, uint64_t own_ns);

/* For cpus[index]; unknown values are U64_UNKNOWN, NaN or "". */
void cpu_context_read(struct cpu_context *context, const struct sample *sample, size_t index,
		      struct cpu_activity *activity);

#endif
