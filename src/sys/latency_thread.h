/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One measuring thread: its plan, and its counters, which only it writes. */
#ifndef PANETOP_SYS_LATENCY_THREAD_H
#define PANETOP_SYS_LATENCY_THREAD_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/histogram.h"
#include "sys/env.h"
#include "sys/machine_thread.h"

#define LATENCY_WORST 20
#define LATENCY_PHASES 3
#define LATENCY_ANY_CPU UINT32_MAX

enum latency_policy { LATENCY_FIFO, LATENCY_RR, LATENCY_DEADLINE, LATENCY_OTHER, N_LATENCY_POLICIES };

/* How a thread waits: clock_nanosleep(2), nanosleep(2), a POSIX timer's signal, ppoll(2), timerfd. */
enum latency_method {
	LATENCY_CLOCK_NS,
	LATENCY_POSIX_NS,
	LATENCY_ITIMER,
	LATENCY_POLL,
	LATENCY_TIMERFD,
	N_LATENCY_METHODS
};

struct latency_plan {
	enum latency_policy policy;
	int priority; /* for fifo and rr: 1 to 99 */
	enum latency_method method;
	uint64_t period_ns;
	uint64_t slack_ns;             /* timer slack; the kernel ignores it for real-time threads */
	uint64_t bucket_ns;            /* width of additional linear buckets; 0: none */
	uint64_t settle_ns;            /* from latency_probe_open() to the first period */
	uint64_t duration_ns, samples; /* each thread ends after this; 0: never */
	const struct machine_threads *threads; /* borrowed */
	unsigned n_phases; /* counted separately, see latency_probe_set_phase(); 1 to LATENCY_PHASES */
};

struct latency_wakeup {
	uint64_t woken_ns; /* CLOCK_MONOTONIC */
	uint64_t late_ns;  /* after the planned moment */
};

/* The counts of one thread in one phase, all of one moment. */
struct latency_counts {
	struct histogram times;   /* log-linear */
	struct histogram *linear; /* the reader's; NULL: not wanted */
	uint64_t missed;          /* periods without a sample, because the thread was too late */
	struct latency_wakeup worst[LATENCY_WORST]; /* unordered */
	unsigned n_worst;
};

typedef _Atomic uint64_t live_u64;

#define live_load(from) atomic_load_explicit((from), memory_order_acquire)
#define live_store(to, value) atomic_store_explicit((to), (value), memory_order_release)

/* The sequence is odd while the thread writes: what is read then is not of one moment. */
struct live_counts {
	_Alignas(64) live_u64 sequence;
	live_u64 missed, sum_ns, min_ns, max_ns, n_worst;
	live_u64 floor_ns; /* the smallest of the worst, once LATENCY_WORST are kept */
	_Atomic double squares;
	live_u64 woken_ns[LATENCY_WORST], late_ns[LATENCY_WORST];
	live_u64 *linear; /* HISTOGRAM_BUCKETS; NULL: none */
	live_u64 times[HISTOGRAM_BUCKETS];
};

void live_clear(struct live_counts *counts);

/* Counts a wake-up; only one thread may count in the same struct. */
void live_count(struct live_counts *counts, const struct latency_plan *plan, uint64_t woken_ns,
		uint64_t late_ns);

/*
 * Reads the counts from any thread. The writer writes for a moment in each period, so a few tries find it at
 * rest; if none does, sums and extremes may include one sample more or less than the buckets.
 */
void live_read(const struct live_counts *live, const struct latency_plan *plan,
	       struct latency_counts *counts);

/* Orders to all threads. */
struct latency_control {
	live_u64 stop, restarts, phase, start_ns;
	int stop_fd; /* readable when the threads must stop */
	sem_t go;    /* a thread may start */
};

/* A thread that does not get its CPU, as another one of real-time priority keeps it, is left behind. */
enum latency_stage { LATENCY_STARTS, LATENCY_PREPARED, LATENCY_LEFT };

struct latency_thread {
	const struct latency_plan *plan;
	struct latency_control *control;
	uint32_t cpu;
	uint64_t offset_ns;    /* of its moments from those of the first thread */
	bool runs;
	live_u64 stage; /* of LATENCY_PREPARED: … */
	int error;      /* … -errno of its preparation */
	bool left;      /* it hangs, and was not joined */
	uint64_t cpu_ns; /* CPU time, when it was stopped */
	live_u64 away, ended;
	struct thread_work work;
	struct machine_thread *thread;
	void *memory; /* of counters, and its stack */
	size_t memory_bytes;
	struct live_counts *counts[LATENCY_PHASES];
};

uint64_t latency_thread_run(void *thread); /* a round, which is the last one */

/* May a thread of this process use this policy? 0 or -errno. */
int latency_thread_try_policy(const struct machine_threads *threads, enum latency_policy policy,
			      int priority);

/* Measures wake-up latency: one thread per CPU that sleeps until planned moments. */

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

/* CPU load for calibration: threads that keep CPUs busy for a share of time. */

struct cpu_load;

/* CPUs that this process may use; at least 1. */
unsigned cpu_load_cpus(void);

/* Starts an idle thread on each CPU that this process may use; NULL when a thread cannot be started. */
struct cpu_load *cpu_load_open(void);

/* Keeps the first cpus CPUs busy for this share (0 to 1) of each tenth of a second, the others idle. */
void cpu_load_set(struct cpu_load *load, unsigned cpus, double share);

/* Operations that all threads have completed. */
uint64_t cpu_load_operations(const struct cpu_load *load);

void cpu_load_close(struct cpu_load *load);

#endif
