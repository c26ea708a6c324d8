/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring how late this machine wakes a thread up: one thread per CPU that sleeps until planned moments. */
#ifndef PANETOP_SYS_LATENCY_PROBE_H
#define PANETOP_SYS_LATENCY_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/histogram.h"

#define CYCLIC_WORST 20
#define CYCLIC_PHASES 3
#define CYCLIC_ANY_CPU UINT32_MAX

enum cyclic_policy { CYCLIC_FIFO, CYCLIC_RR, CYCLIC_DEADLINE, CYCLIC_OTHER, N_CYCLIC_POLICIES };

/* How a thread waits: clock_nanosleep(2), nanosleep(2), a POSIX timer's signal, ppoll(2), timerfd. */
enum cyclic_method {
	CYCLIC_CLOCK_NS,
	CYCLIC_POSIX_NS,
	CYCLIC_ITIMER,
	CYCLIC_POLL,
	CYCLIC_TIMERFD,
	N_CYCLIC_METHODS
};

struct cyclic_plan {
	enum cyclic_policy policy;
	int priority; /* of fifo and rr: 1 to 99 */
	enum cyclic_method method;
	uint64_t period_ns;
	uint64_t slack_ns;             /* timer slack; real-time threads have none whatever it is */
	uint64_t bucket_ns;            /* width of linear buckets, counted besides; 0: none */
	uint64_t settle_ns;            /* from cyclic_open() to the first period */
	uint64_t duration_ns, samples; /* each thread ends after this; 0: never */
	unsigned n_phases;             /* counted apart, see cyclic_set_phase(); 1 to CYCLIC_PHASES */
};

/* A late wake-up. */
struct cyclic_late {
	uint64_t woken_ns; /* CLOCK_MONOTONIC */
	uint64_t late_ns;  /* after it was planned */
};

/* What one thread counted in one phase, all of one moment. */
struct cyclic_counts {
	struct histogram times;   /* log-linear */
	struct histogram *linear; /* of the reader; NULL: not wanted */
	uint64_t missed;          /* periods that passed while the thread was late: they have no sample */
	struct cyclic_late worst[CYCLIC_WORST]; /* in no order */
	unsigned n_worst;
};

struct cyclic;

/*
 * Starts a thread for each CPU, which must be different ones, but for those that have an error already;
 * -errno of each goes to errors, and those that cannot be had do not run. With CYCLIC_DEADLINE the kernel
 * lets no thread be pinned: n_cpus is 1, and cpus[0] CYCLIC_ANY_CPU. NULL when none runs, with *error: -EPERM
 * where the policy is not allowed, -EINVAL where there is no such CPU for us.
 */
struct cyclic *cyclic_open(const struct cyclic_plan *plan, const uint32_t *cpus, size_t n_cpus, int *errors,
			   int *error);

/* CLOCK_MONOTONIC of the first period's begin; until then nothing is measured. */
uint64_t cyclic_start_ns(const struct cyclic *cyclic);

/* The threads end, within 0.1 s unless they do not get to run. */
void cyclic_close(struct cyclic *cyclic);

/*
 * Reads what the thread of cpus[index] counted, without stopping it. counts->linear says whether linear
 * buckets are wanted. False when that thread does not run.
 */
bool cyclic_read(const struct cyclic *cyclic, size_t index, unsigned phase, struct cyclic_counts *counts);

/* CPU time that this thread has used; 0 when it does not run. */
uint64_t cyclic_cpu_ns(const struct cyclic *cyclic, size_t index);

/* Is the CPU of this thread gone (offline)? It is not measured then, until it is there again. */
bool cyclic_is_away(const struct cyclic *cyclic, size_t index);

/* Have all threads come to the end that the plan sets them? */
bool cyclic_has_ended(const struct cyclic *cyclic);

/* Each thread forgets, at its next wake-up, what it has counted. */
void cyclic_restart(struct cyclic *cyclic);

/* From the next wake-up on it is counted there. */
void cyclic_set_phase(struct cyclic *cyclic, unsigned phase);

/* What is locked in memory: everything, what the threads touch, or nothing. */
enum cyclic_lock { CYCLIC_LOCK_NONE, CYCLIC_LOCK_OWN, CYCLIC_LOCK_ALL };
enum cyclic_lock cyclic_locked(const struct cyclic *cyclic);

/* May a thread of ours have this policy? 0 or -errno. */
int cyclic_try_policy(enum cyclic_policy policy, int priority);

/* What rights there are: the capability CAP_SYS_NICE, and RLIMIT_RTPRIO. */
bool cyclic_may_nice(void);
int cyclic_priority_limit(void);

/* CPUs that this process may run on: so many are written to cpus, of at most room. */
size_t cyclic_own_cpus(uint32_t *cpus, size_t room);

/* Keeps all CPUs out of idle states that take time to leave while the descriptor is open: it, or -errno. */
int cyclic_hold_awake(void);

#endif
