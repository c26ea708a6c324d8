/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures wake-up latency: one thread per CPU that sleeps until planned moments. */
#ifndef PANETOP_SYS_LATENCY_PROBE_H
#define PANETOP_SYS_LATENCY_PROBE_H

#include "sys/env.h"
#include "sys/latency_thread.h"

struct latency_probe;

/*
 * Starts a thread on each CPU (no CPU twice) whose errors entry is 0; errors gets -errno of those that cannot
 * run. The kernel pins no LATENCY_DEADLINE thread: n_cpus is 1 and cpus[0] is LATENCY_ANY_CPU. NULL when no
 * thread runs, with *error: -EPERM: the policy is not permitted; -EINVAL: no such CPU for this process.
 */
struct latency_probe *latency_probe_open(const struct latency_plan *plan, const uint32_t *cpus, size_t n_cpus,
					 int *errors, int *error);

/* Ends the threads, within 0.1 s unless they do not get to run, and keeps their counts. */
void latency_probe_stop(struct latency_probe *probe);
void latency_probe_close(struct latency_probe *probe);

/* Reads the counts of the thread on cpus[index] without stopping it. False: the thread does not run. */
bool latency_probe_read(const struct latency_probe *probe, size_t index, unsigned phase,
			struct latency_counts *counts);

/* CPU time of this thread; 0 when it does not run. */
uint64_t latency_probe_cpu_ns(const struct latency_probe *probe, size_t index);

/* Is the CPU of this thread offline? It is measured again when it is back online. */
bool latency_probe_is_away(const struct latency_probe *probe, size_t index);

/* Have all threads reached the end of the plan? */
bool latency_probe_has_ended(const struct latency_probe *probe);

/* Each thread clears its counts at its next wake-up. */
void latency_probe_restart(struct latency_probe *probe);

/* Wake-ups count in this phase from the next one on. */
void latency_probe_set_phase(struct latency_probe *probe, unsigned phase);

/* What is locked in memory: everything, the threads' memory, or nothing. */
enum latency_lock { LATENCY_LOCK_NONE, LATENCY_LOCK_OWN, LATENCY_LOCK_ALL };
enum latency_lock latency_probe_locked(const struct latency_probe *probe);

/* Real-time privileges: the capability CAP_SYS_NICE, and RLIMIT_RTPRIO. */
bool latency_probe_may_nice(void);
int latency_probe_priority_limit(void);

/* Writes the CPUs that this process may run on to cpus, at most room of them; returns their number. */
size_t latency_probe_own_cpus(uint32_t *cpus, size_t room);

/* Keeps all CPUs out of deep idle states while the descriptor is open: the descriptor, or -errno. */
int latency_probe_hold_awake(const struct env *env);

#endif
