/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that select events, and notices about selected processes and groups that do not exist. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_FILTER_H
#define PANETOP_TOPIC_EVENT_EVENT_FILTER_H

#include "model/scope.h"
#include "topic/event/event_process.h"
#include "topic/topic.h"

struct event_filter {
	unsigned kinds;                           /* of EVENT_BIT() */
	bool failures_only;                       /* of the exits */
	uint32_t group;                           /* process group; 0: all */
	struct scope_term terms[SCOPE_TERMS_MAX]; /* a copy of the scope, as other threads read it */
	unsigned n_terms;
};

/* scope: NULL: all processes. */
void event_filter_read(struct event_filter *filter, const struct topic_settings *settings,
		       const struct scope *scope);

/* A bit for each term that this control group is in, among those of control groups. */
unsigned event_filter_groups(const struct event_filter *filter, struct span path);

/* A bit for each term of a tree; of those with this root. */
unsigned event_filter_trees(const struct event_filter *filter);
unsigned event_filter_roots(const struct event_filter *filter, uint32_t pid);
bool event_filter_needs_groups(const struct event_filter *filter);

/* Does the filter select this process? */
bool event_filter_process(const struct event_filter *filter, const struct event_process *process);

/*
 * Could the filter select a process that executes this file (NULL: not known)? A cheap check before anything
 * is looked up. process: as it was before the exec; NULL: not known.
 */
bool event_filter_start(const struct event_filter *filter, const struct event_process *process, uint32_t pid,
			const char *file);

/* Does the filter select events of this kind? exit_code as in wait(); UINT32_MAX: not known. */
bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code);

/* Was the process group of the options seen? All zero before the first sample. */
struct event_targets {
	bool group;           /* seen; it is not looked for again */
	uint64_t searched_ns; /* CLOCK_MONOTONIC of the last look */
};

/* Adds a notice if it was never seen. any_event: an event passed the filter. */
void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event);

#endif
