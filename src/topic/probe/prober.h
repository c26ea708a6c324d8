/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that finds functions in the files of processes, measures what a hit costs, attaches programs, and
 * takes them off again where that becomes too much: each of these may take up to a second.
 */
#ifndef PANETOP_TOPIC_PROBE_PROBER_H
#define PANETOP_TOPIC_PROBE_PROBER_H

#include "sys/perf_ring.h"
#include "topic/probe/probe_code.h"
#include "topic/trace/trace.h"

#define PROBE_PROCESSES_MAX 64               /* of a probe */
#define PROBE_OWN_NUMBER PROBE_PROCESSES_MAX /* of the hits of panetop itself, when it measures the price */

/* Whose code may be probed. */
struct probe_target {
	uint32_t pid;
	uint64_t start_ticks;
	bool is_outside; /* of the scope */
};

enum probe_state {
	PROBE_LOOKING,   /* for the file and the function */
	PROBE_ATTACHING, /* and measuring what it costs */
	PROBE_COUNTING,
	PROBE_COSTLY,  /* it takes more than allowed, so nothing is attached */
	PROBE_ABSENT,  /* no process has mapped the file so far */
	PROBE_CROWDED, /* more processes than PROBE_PROCESSES_MAX have */
	PROBE_REFUSED, /* see fault */
	PROBE_FAILED,  /* see error */
};

enum probed_state {
	PROBED_NOT, /* nothing is attached: see the probe */
	PROBED_COUNTING,
	PROBED_WAITING, /* it is attached, but the process has not mapped the file yet */
	PROBED_GONE,    /* the process has unmapped the file, or is another program now */
	PROBED_ENDED,   /* the process has exited */
};

/* What is known of a probe. */
struct probe_view {
	enum probe_state state;
	enum probe_fault fault;
	int error; /* -errno */
	char near[PROBE_NEAR_MAX];
	bool is_function;           /* it returns */
	bool is_nop;                /* no hit takes a trap */
	double cost_seconds;        /* of a hit; NaN: not measured yet */
	double expected_per_second; /* hits, by the last look; NaN: none yet */
	size_t n_mapped;            /* of CROWDED: processes */
	struct probed {
		struct probe_target target; /* pid 0: none */
		enum probed_state state;
	} processes[PROBE_PROCESSES_MAX]; /* by the number of their hits */
};

struct prober;
struct probe;

/* No probe may take more of a CPU than limit_ratio. NULL with errno. */
struct prober *prober_open(const struct env *env, const struct uprobe_form *form, double limit_ratio);

/* The thread detaches all and frees what it has; the caller waits only for_end, for a moment. */
void prober_close(struct prober *prober, bool for_end);

/*
 * Begins with a probe, whose programs, of trace_plan_probe, are loaded; pid: of this process alone, 0: of all
 * in the scope. It is of the prober, until prober_remove(). NULL with errno. text is copied.
 */
struct probe *prober_add(struct prober *prober, const struct trace_set *set, const char *text, uint32_t pid);

/* The thread detaches it, and frees it. */
void prober_remove(struct prober *prober, struct probe *probe);

/* The probe may cost what it wants from now on: if it was taken off, it is attached again. */
void prober_allow(struct prober *prober, struct probe *probe);

/* All processes, by pid; is_scoped: the user has chosen some. Copies the list. */
void prober_target(struct prober *prober, const struct probe_target *targets, size_t n, bool is_scoped);

/* Waits until it has looked for all, and attached what there is, as long as it gets on. */
void prober_settle(struct prober *prober);

void prober_view(struct prober *prober, const struct probe *probe, struct probe_view *view);

#endif
