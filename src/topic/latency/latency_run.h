/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One measurement of wake-up latency, shared by the latency topics: its plan, its threads and their counters.
 */
#ifndef PANETOP_TOPIC_LATENCY_LATENCY_RUN_H
#define PANETOP_TOPIC_LATENCY_LATENCY_RUN_H

#include "core/i18n.h"
#include "sys/latency_thread.h"
#include "topic/reader.h"

#define LATENCY_RUN_ALL SIZE_MAX /* instead of an index: all CPUs together */

/* Privileges that the latency topics use. */
#define LATENCY_RUN_USES PRIVILEGE_BIT(PRIVILEGE_LOCK)
#define LATENCY_RUN_TOPIC                                                                                    \
	.opening_uses = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME), .setting = "latency.cpu-dma-latency",            \
	.setting_uses = PRIVILEGE_BIT(PRIVILEGE_AWAKE)

/* What was counted since the start, or the last restart; all phases together. */
struct latency_sums {
	struct histogram times;
	struct histogram *linear; /* NULL: not requested */
	uint64_t missed;
	uint64_t cpu_ns; /* CPU time of the measuring threads since they started */
};

struct latency_run {
	struct env *env; /* borrowed */
	struct latency_probe *probe;
	struct latency_plan plan;  /* that is carried out */
	enum latency_policy requested; /* the requested policy and priority */
	int requested_priority;
	char reason[TEXT_MAX]; /* why the plan differs from the request; "": it does not */
	const char *remedy;
	bool cpus_ignored; /* CPUs were named, but threads of this policy cannot be pinned */
	uint32_t *cpus;
	int *errors; /* -errno of CPUs that cannot be measured */
	size_t n_cpus;
	uint64_t started_ns, mono_ns; /* CLOCK_MONOTONIC of the start, and of the last reading */
	bool stopped;                 /* the threads have ended; mono_ns is then the time of that */
	struct latency_sums all, *sums; /* sums: by index of the CPU */
	struct latency_sums phases[LATENCY_PHASES];
	struct latency_outlier {
		uint32_t cpu;
		struct latency_wakeup late;
	} worst[LATENCY_WORST]; /* of all CPUs, the worst first */
	unsigned n_worst;
	struct latency_counts scratch;
	int awake_fd, awake_error; /* of --cpu-dma-latency; the first is negative: not held */
};

#define LATENCY_RUN_CPUS "CPUs to measure" /* the source that fails when no CPU can be measured */

/*
 * Its threads start when it is opened: -ENOTSUP where env is not the live machine, another -errno when no CPU
 * can be measured.
 */
extern const struct reader latency_run_reader;

void latency_run_restart(struct latency_run *run);

/* Ends the threads; what they counted stays. */
void latency_run_stop(struct latency_run *run);

/* Notices about refused privileges and CPUs that cannot be measured. */
void latency_run_notices(const struct latency_run *run, struct frame *frame);

/* "all", "0", "any": lives as long as the frame. */
const char *latency_run_cpu_text(const struct latency_run *run, struct frame *frame, size_t index);

/* What the settings request; with a command, in three phases. */
void latency_run_plan(const struct topic_settings *settings, bool command, struct latency_plan *plan);

/*
 * The CPUs of this list (may be NULL), each once, else those that panetop may run on; at least one. *errors
 * is -ENODEV for CPUs that this machine lacks. Both lists are owned. Returns their length.
 */
size_t latency_run_cpus(const struct env *env, const char *list, uint32_t **cpus, int **errors);

/* Writes why the requested plan failed with error (-EPERM, -EBUSY); returns the remedy. */
const char *latency_run_refusal(struct env *env, const struct latency_plan *requested, int error,
				char *reason, size_t room);

/*
 * What to try next instead of the requested plan where priorities have this limit, best first from step 0 on;
 * false after the last.
 */
bool latency_run_fallback(const struct latency_plan *requested, int limit, unsigned step,
			  struct latency_plan *plan);

#endif
