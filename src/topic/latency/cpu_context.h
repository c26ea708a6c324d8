/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For samplers: what else a CPU did in the last interval: tasks, interrupts, speed, throttling. */
#ifndef PANETOP_TOPIC_LATENCY_CPU_CONTEXT_H
#define PANETOP_TOPIC_LATENCY_CPU_CONTEXT_H

#include "sys/env.h"

#define BYSTANDER_TEXT_MAX 80

struct bystander {
	char task[BYSTANDER_TEXT_MAX];       /* that used most of this CPU, as far as can be told; "": none */
	double task_ratio;                   /* of one CPU */
	char interrupts[BYSTANDER_TEXT_MAX]; /* the most frequent: "timer 250, eth0 31" */
	char softirqs[BYSTANDER_TEXT_MAX];
	uint64_t n_interrupts, n_softirqs; /* all of this CPU */
	double hertz;
	double forks_per_second, switches_per_second; /* of the whole machine */
	uint64_t throttles;                           /* how often the CPU was slowed down for its heat */
};

struct bystanders;

/* cpus (borrowed) are those that will be asked for; own_pid: of panetop. */
struct bystanders *bystanders_open(struct env *env, uint32_t own_pid, const uint32_t *cpus, size_t n_cpus);
void bystanders_close(struct bystanders *bystanders);

/*
 * Once per tick. What is asked for is then of the time since the update before. own_ns: what threads of ours
 * used in all that shall not count as ours.
 */
void bystanders_update(struct bystanders *bystanders, uint64_t own_ns);

/* Of cpus[index]; what is not known is U64_UNKNOWN, NaN or "". */
void bystanders_tell(struct bystanders *bystanders, size_t index, struct bystander *bystander);

#endif
