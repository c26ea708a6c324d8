/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measuring of wake-up latency, shared by the topics about it: with which rights, and what was counted.
 */
#ifndef PANETOP_TOPIC_LATENCY_LATENCY_RUN_H
#define PANETOP_TOPIC_LATENCY_LATENCY_RUN_H

#include "core/i18n.h"
#include "sys/env.h"
#include "sys/latency_probe.h"
#include "topic/topic.h"

#define CYCLIC_RUN_ALL SIZE_MAX /* index of all CPUs together */

/* The rights that the topics over it make use of. */
#define CYCLIC_USES PRIVILEGE_BIT(PRIVILEGE_LOCK)
#define CYCLIC_TOPIC                                                                                         \
	.opening_uses = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME), .setting = "latency.cpu-dma-latency",            \
	.setting_uses = PRIVILEGE_BIT(PRIVILEGE_AWAKE)

/* What was counted since the start, or the last restart; all phases together. */
struct cyclic_sums {
	struct histogram times;
	struct histogram *linear; /* NULL: none is wanted */
	uint64_t missed;
	uint64_t cpu_ns; /* that the threads used, since they started */
};

struct cyclic_run {
	struct env *env; /* borrowed */
	struct cyclic *cyclic;
	struct cyclic_plan plan;  /* as it is done */
	enum cyclic_policy asked; /* the policy and priority that were asked for */
	int asked_priority;
	char reason[TEXT_MAX]; /* why it is another; "" when it is not */
	const char *remedy;
	bool cpus_ignored; /* some were named, but threads of the policy cannot be pinned */
	uint32_t *cpus;
	int *errors; /* -errno of those that cannot be measured */
	size_t n_cpus;
	uint64_t started_ns, mono_ns; /* CLOCK_MONOTONIC of the start, and of the last reading */
	uint64_t tick;
	struct cyclic_sums all, *sums; /* sums: by index of the CPU */
	struct cyclic_sums phases[CYCLIC_PHASES];
	struct cyclic_run_late {
		uint32_t cpu;
		struct cyclic_late late;
	} worst[CYCLIC_WORST]; /* of all CPUs, the worst first */
	unsigned n_worst;
	struct cyclic_counts scratch;
	int awake_fd, awake_error; /* of --cpu-dma-latency; the first is negative: not held */
};

#define CYCLIC_CPUS_SOURCE "CPUs to measure" /* what cannot be had when none of them can be measured */

/*
 * The run, which all topics over env share; the threads start with the first. 0; -ENOTSUP where env is not
 * the live machine; or -errno, no CPU can be measured.
 */
int cyclic_run_share(struct env *env, const struct settings *settings, struct cyclic_run **run);
void cyclic_run_unshare(struct cyclic_run *run);

/* Open and close of a topic whose state is the run. */
int cyclic_run_open(struct sample *sample);
void cyclic_run_close(struct sample *sample);

/* The one that somebody has open, NULL when nobody has. */
struct cyclic_run *cyclic_run_opened(const struct env *env);

/* Reads the counters, once per tick. */
void cyclic_run_update(struct cyclic_run *run);

void cyclic_run_restart(struct cyclic_run *run);

/* What is missing, and what to do about it. */
void cyclic_run_tell(const struct cyclic_run *run, struct frame *frame);

/* "all", "0", "any": lives as long as the frame. */
const char *cyclic_run_cpu(const struct cyclic_run *run, struct frame *frame, size_t index);

const char *cyclic_policy_name(enum cyclic_policy policy);
const char *cyclic_method_name(enum cyclic_method method);

#endif
